"""CONTRIBUTING.md, done in a copy of the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.blocks import REPOSITORY, blocks
from tests.pages.reader import Reader
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.long

LEFT_OUT = shutil.ignore_patterns(".git", ".portico", ".venv", ".*_cache", "__pycache__", "build", "*.egg-info")


def test_the_commands_of_contributing_work(tmp_path: Path, postgres: PostgresServer) -> None:
    directory = tmp_path / "portico"
    shutil.copytree(REPOSITORY, directory, ignore=LEFT_OUT)
    _make_repository(directory)
    reader = Reader(directory)
    try:
        reader.set(TEST_DATABASE_URL=postgres.url)
        for block in blocks("CONTRIBUTING.md", "sh"):
            reported = reader.run(block)
            assert "1 passed" in reported
            assert "diff --git" not in reported
    finally:
        reader.close()


def _make_repository(directory: Path) -> None:
    """With the copy committed, so that git shows what a command changes."""
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "a copy"]):
        subprocess.run(["git", *command], cwd=directory, check=True, env=environ)
