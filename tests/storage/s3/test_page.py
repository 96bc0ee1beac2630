"""The code of docs/s3.md runs."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli import cli
from tests.docs.blocks import blocks
from tests.storage.s3.clients import KEY, SECRET_KEY
from tests.storage.service import ANON, SECRET, USER, Service, token


def test_the_lines_in_python_work(s3_service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.pdf").write_bytes(b"%PDF")
    s3_service.post("/bucket", json={"name": "avatars"})
    s3_service.sql(
        "create policy page on storage.objects to authenticated using (bucket_id = 'avatars') with check (true)"
    )
    given = {"access_key_id": KEY, "secret_access_key": SECRET_KEY, "anon_key": ANON, "user_token": token(sub=USER)}
    for block in blocks("docs/s3.md", "python"):
        exec(block.text.replace("http://127.0.0.1:8000", s3_service.url), given)
    rows = s3_service.sql("select bucket_id, name from storage.objects where bucket_id in ('avatars', 'reports')")
    assert sorted(rows) == [["avatars", "me.png"], ["reports", "2026/report.pdf"]]


def test_the_commands_work(s3_service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "DATABASE_URL": s3_service.database_url, "JWT_SECRET": SECRET, "PUBLIC_URL": s3_service.url,
        "DATA_DIR": str(tmp_path),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    output = ""
    for line in (line for block in blocks("docs/s3.md", "sh") for line in block.text.splitlines()):
        ran = CliRunner().invoke(cli, shlex.split(line)[1:])
        assert ran.exception is None or "doctor" in line, ran.output
        output += ran.output
    assert output.count("AWS_SECRET_ACCESS_KEY=") == 2
    assert "buckets backups  expires " in output
    assert f"authenticated  sub {USER}  mobile uploads" in output
