"""The page about testing an app: its Django project and its TypeScript project pass their tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import yaml

from tests.docs.blocks import all_blocks, blocks
from tests.packages import node_packages
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, REPOSITORY, environment

PAGE = "docs/testing.md"
COMMANDS = [line for block in blocks("docs/testing.md", "sh") for line in block.text.splitlines()]


@pytest.fixture(scope="module")
def django_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project of the page, made with Django's own commands."""
    pytest.importorskip("django")
    folder = tmp_path_factory.mktemp("django")
    _run([sys.executable, "-m", "django", "startproject", "site_of_notes", "."], folder)
    _run([sys.executable, "manage.py", "startapp", "notes"], folder)
    settings, models, policies, tests = (each.text for each in blocks("docs/testing.md", "python"))
    with (folder / "site_of_notes" / "settings.py").open("a") as file:
        file.write(settings)
    (folder / "notes" / "models.py").write_text(models)
    _run([sys.executable, "manage.py", "makemigrations", "notes"], folder, DATABASE_URL="sqlite://:memory:")
    (folder / "notes" / "migrations" / "0002_policies.py").write_text(policies)
    (folder / "pytest.ini").write_text(_only("ini"))
    (folder / "seed.sql").write_text(blocks("docs/testing.md", "sql")[0].text)
    (folder / "test_notes.py").write_text(tests)
    return folder


def test_the_tests_of_the_django_project_pass(django_project: Path, postgres: PostgresServer) -> None:
    assert COMMANDS[1] == "pytest"
    output = _run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider"], django_project, postgres)
    assert "3 passed" in output


def test_they_fail_without_the_policy(django_project: Path, postgres: PostgresServer) -> None:
    ini = (django_project / "pytest.ini").read_text()
    (django_project / "open.ini").write_text(ini.replace("seed.sql", "seed.sql\n    open.sql"))
    (django_project / "open.sql").write_text("alter table notes_note disable row level security")
    done = _finished([sys.executable, "-m", "pytest", "-c", "open.ini"], django_project, postgres)
    assert re.search(r"2 failed, 1 passed|1 failed, 2 passed", done.stdout), done.stdout


def test_the_tests_of_the_typescript_project_pass(tmp_path: Path, postgres: PostgresServer) -> None:
    (tmp_path / "node_modules").symlink_to(node_packages() / "node_modules")
    for folder in ("migrations", "tests"):
        (tmp_path / folder).mkdir()
    (tmp_path / "migrations" / "1_notes.sql").write_text(blocks("docs/testing.md", "sql")[1].text)
    shared, tests = (each.text for each in blocks("docs/testing.md", "ts"))
    (tmp_path / "tests" / "portico.ts").write_text(shared)
    (tmp_path / "tests" / "notes.test.ts").write_text(tests)
    program = f"{sys.executable} -m {COMMANDS[2]}"
    output = _run(["sh", "-c", program], tmp_path, postgres)
    assert re.search(r"Tests +2 passed", re.sub(r"\x1b\[\d+m", "", output)), output


def test_the_workflow_runs_the_commands_of_the_page() -> None:
    workflow, service = (yaml.safe_load(each.text) for each in all_blocks(PAGE) if each.language == "yaml")
    steps = [each["run"] for each in workflow["jobs"]["test"]["steps"] if "run" in each]
    assert COMMANDS[2] in steps
    assert service["env"]["TEST_DATABASE_URL"].endswith("@localhost:5432/postgres")


def _only(language: str) -> str:
    (block,) = (each for each in all_blocks(PAGE) if each.language == language)
    return block.text


def _run(command: Sequence[str], folder: Path, postgres: PostgresServer | None = None, **variables: str) -> str:
    done = _finished(command, folder, postgres, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def _finished(
    command: Sequence[str], folder: Path, postgres: PostgresServer | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    known: Mapping[str, str] = environment(**variables)
    programs = Path(sys.executable).parent
    path = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": f"{REPOSITORY}{os.pathsep}{folder}"}
    server = {"TEST_DATABASE_URL": postgres.url} if postgres else {}
    return subprocess.run(
        command, cwd=folder, env={**known, **path, **server}, capture_output=True, text=True, timeout=PATIENCE_S
    )
