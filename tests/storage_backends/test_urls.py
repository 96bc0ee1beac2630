"""Storage URLs: which plugin serves them, and the error for a wrong one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app.discovery import plugin_manager
from app.storage.bytes.backend import BackendUnusable, open_backend
from plugins.storage.file import FolderBackend


@pytest.mark.parametrize("form", ["file://{path}/a%20b", "file://localhost{path}/a%20b", "FILE://{path}/a%20b"])
def test_a_missing_folder_is_created(tmp_path: Path, form: str) -> None:
    backend = open_backend(plugin_manager(), form.format(path=tmp_path))
    assert isinstance(backend, FolderBackend)
    assert (tmp_path / "a b").is_dir()


@pytest.mark.parametrize(
    "url",
    [
        *("file://relative/path", "file:relative", "file://", "file:///x?y=1", "file://host/var/lib"),
        *("s3://", "s3:///prefix", "s3://key:secret@bucket/prefix", "s3://bucket/prefix?x=1", "gs://", "azure://"),
    ],
)
def test_malformed_urls_are_refused(url: str) -> None:
    with pytest.raises(BackendUnusable) as caught:
        open_backend(plugin_manager(), url)
    assert caught.value.hint
    assert "secret" not in caught.value.message


@pytest.mark.parametrize("url", ["ftp://host/path", "", "/var/lib", "storage"])
def test_unknown_schemes_are_refused(url: str) -> None:
    with pytest.raises(BackendUnusable, match="No storage backend serves the scheme"):
        open_backend(plugin_manager(), url)


def test_a_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BackendUnusable, match="cannot be created"):
        open_backend(plugin_manager(), f"file://{tmp_path}/file/root")


@pytest.mark.parametrize(
    ("url", "module", "extra"),
    [
        ("s3://bucket", "boto3.session", "s3"),
        ("gs://bucket", "google.cloud.storage", "gcs"),
        ("azure://container", "azure.storage.blob", "azure"),
    ],
)
def test_a_missing_sdk_names_the_extra(monkeypatch: pytest.MonkeyPatch, url: str, module: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BackendUnusable) as caught:
        open_backend(plugin_manager(), url)
    assert caught.value.hint == f"pip install 'portico-api[{extra}]'"


def test_azure_needs_an_account(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("azure.storage.blob")
    for name in ("CONNECTION_STRING", "ACCOUNT", "KEY", "SAS_TOKEN"):
        monkeypatch.delenv(f"AZURE_STORAGE_{name}", raising=False)
    with pytest.raises(BackendUnusable, match="is not configured"):
        open_backend(plugin_manager(), "azure://container")
    monkeypatch.setenv("AZURE_STORAGE_CONNECTION_STRING", "nonsense")
    with pytest.raises(BackendUnusable, match="not valid"):
        open_backend(plugin_manager(), "azure://container")


def test_google_needs_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("google.cloud.storage")
    monkeypatch.delenv("STORAGE_EMULATOR_HOST", raising=False)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    with pytest.raises(BackendUnusable, match="credentials"):
        open_backend(plugin_manager(), "gs://bucket")
