"""The package ``portico``: its public names, and what happens if its implementation packages are hidden."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import portico
import portico.diagnosis
import portico.testing
from tests.process.running import REPOSITORY, environment

NAMES = """
AccessError ApiColumn ApiRelation ApiSchema Application Around ArrayText Arrived Backend BackendFull
BackendUnavailable BackendUnusable Blob BlobMissing Caller Collection Compared Creating Deferred Directive
DocumentSource DocumentsUnusable Entrance EventReceiver Field Fields Identification Identity ItemErrors KeyPart
Labels Leaf Linking ObjectDescription ObjectEvent ObservedOperation ObservedRequest OutsidePlace OverLimit Piece
PlaceOptions PlaceRefused PlaceUnusable PlacedObject Planning PluginUnusable Plugins PorticoError Readable
Relationship RequestError RequestHead RowKey Rows Scalar Services Setting Settings SlowOperation SqlConsole
StorageError Stored StreamCutShort StringText ToText Unavailable UploadLink UploadLinking UploadRefused
UploadedObject ValueType as_text cast_to checked_key configure create_app directive_kinds hookimpl identifier
is_from_this_machine json_list json_object plugin_manager qualified row_keys rows_by_keys scalar_type schema_text
setting_kinds shown_settings
"""


def test_public_names_are_as_listed() -> None:
    assert portico.__all__ == NAMES.split(), "a name is added with a line in docs/plugins.md, and none is taken away"
    assert portico.testing.__all__ == ["MakeDatabase", "MakeService", "Service"]
    assert portico.diagnosis.__all__ == ["Finding", "findings"]


def test_a_command_does_not_import_all_public_names() -> None:
    script = "import sys, portico.__main__; print('portico.names' in sys.modules, 'sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ImportError, match="cannot import name 'nothing' from 'portico'"):
        exec("from portico import nothing")
    assert set(portico.__all__) <= set(dir(portico))


def test_the_package_is_a_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "portico", "--help"], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: portico [OPTIONS]")


def test_a_hidden_package_is_reported_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").touch()
    done = subprocess.run(
        [sys.executable, "-m", "portico", "version"],
        cwd=tmp_path,
        env=environment(PYTHONPATH=f"{tmp_path}:{REPOSITORY}"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    reported = done.stderr.splitlines()[-1]
    assert f"Portico's package 'app' is hidden by {tmp_path}/app: start Portico from another directory" in reported
