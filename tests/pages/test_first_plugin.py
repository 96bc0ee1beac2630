"""The tutorial of docs/plugins.md, followed by copying its blocks into files and a shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import blocks
from tests.postgres_server import PostgresServer
from tests.process.running import REPOSITORY, environment

pytestmark = pytest.mark.long


def test_the_first_plugin_is_installed_and_tested(tmp_path: Path, postgres: PostgresServer) -> None:
    module, test, *_ = blocks("docs/plugins.md", "python")
    (declaration,) = blocks("docs/plugins.md", "toml")
    (commands,) = blocks("docs/plugins.md", "sh")
    target = tmp_path / "installed"
    project = tmp_path / "shouting"
    project.mkdir()
    (project / "pyproject.toml").write_text(declaration.text)
    (project / "shouting.py").write_text(module.text)
    (project / "test_shouting.py").write_text(test.text)
    done = subprocess.run(
        ["sh", "-euc", commands.text],
        cwd=project,
        env=environment(
            PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            PYTHONPATH=f"{target}:{REPOSITORY}",
            PIP_TARGET=str(target),
            PIP_NO_INDEX="1",
            # No index, so the setuptools of the tests builds it. pip reads this variable the wrong way round.
            PIP_NO_BUILD_ISOLATION="0",
            TEST_DATABASE_URL=postgres.url,
        ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^shouting +shouting 1\.0 +Names in capitals\.$", done.stdout, re.MULTILINE)
    assert "1 passed" in done.stdout
