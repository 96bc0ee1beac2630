"""Applications whose installation takes gigabytes are walked through only where ``tests/elsewhere`` is named."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
LARGE = HERE / "test_applications.py"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    named = (Path(config.invocation_params.dir, each.partition("::")[0]).resolve() for each in config.args)
    return True if collection_path == LARGE and not any(each.is_relative_to(HERE) for each in named) else None
