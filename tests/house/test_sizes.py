"""Files and functions of the product are short enough to be read at once."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

from tests.process.running import REPOSITORY

MAX_FILE_LINES = 350
MAX_FUNCTION_LINES = 60
HOT = {"app/database/wire/wire.py": ["_read"]}
"""Functions that may be longer: a call for each message of a response would cost time."""
PRODUCT = (
    "app", "plugins", "portico", "schema_cache", "federation/portico_federation", "signin/portico_sign_in",
    "studio/portico_studio", "telemetry/portico_opentelemetry",
)  # fmt: skip


def product_files() -> list[Path]:
    command = ["git", "ls-files", "--", *PRODUCT]
    listed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.splitlines()
    return [REPOSITORY / each for each in listed if each.endswith(".py")]


def long_functions(text: str) -> list[str]:
    functions = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [each.name for each in functions if (each.end_lineno or 0) - each.lineno + 1 > MAX_FUNCTION_LINES]


@pytest.mark.parametrize("file", product_files(), ids=lambda file: str(file.relative_to(REPOSITORY)))
def test_no_file_or_function_is_too_long(file: Path) -> None:
    text = file.read_text()
    assert len(text.splitlines()) <= MAX_FILE_LINES, "move one of its ideas to a file of its own"
    assert long_functions(text) == HOT.get(str(file.relative_to(REPOSITORY)), [])


def test_a_long_function_is_found() -> None:
    short, long = (f"def {name}():\n" + "    pass\n" * lines for name, lines in (("short", 59), ("long", 60)))
    assert long_functions(short + long) == ["long"]
