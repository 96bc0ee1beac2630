"""Third-party packages: distributions with an entry point, found on the path of this process only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.graphql.conftest import start_api as start_api
from tests.process.conftest import portico as portico

Distribute = Callable[..., Path]


@pytest.fixture
def distribute(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Distribute]:
    """``distribute(plugin, source)``: a distribution ``house-plugin`` whose entry point is the module ``plugin``."""
    made: list[str] = []

    def make(plugin: str, source: str, distribution: str = "house-plugin") -> Path:
        directory = tmp_path_factory.mktemp("distribution")
        (directory / f"house_{plugin}.py").write_text(source)
        metadata = directory / f"{distribution.replace('-', '_')}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[portico]\n{plugin} = house_{plugin}\n")
        monkeypatch.syspath_prepend(directory)
        made.append(f"house_{plugin}")
        return directory

    yield make
    for name in made:
        sys.modules.pop(name, None)
