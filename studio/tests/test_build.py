"""The build of the package, also without npm."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

STUDIO = Path(__file__).parents[1]
BUILD = (
    "import sys; sys.path.insert(0, 'build_backend'); import studio_build; print(studio_build.build_wheel(sys.argv[1]))"
)


CLOSED_REGISTRY = {"PATH": os.environ["PATH"], "npm_config_registry": "http://127.0.0.1:9"}


@pytest.mark.parametrize("environment", [{"PATH": ""}, CLOSED_REGISTRY], ids=["no npm", "no registry"])
def test_without_npm_or_its_registry_the_package_is_built_without_its_page_and_says_so(tmp_path, environment):
    source = tmp_path / "studio"
    shutil.copytree(STUDIO, source, ignore=shutil.ignore_patterns("node_modules", "page", "tests", "*.egg-info"))
    command = [sys.executable, "-c", BUILD, str(tmp_path)]
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "portico-studio: the page is left out" in done.stderr
    names = zipfile.ZipFile(tmp_path / done.stdout.split()[-1]).namelist()
    assert {"portico_studio/plugin.py", "portico_studio/catalog.sql"} <= set(names)
    assert not [name for name in names if "page/" in name]


def test_a_page_that_is_not_built_says_how_to_build_it(studio, monkeypatch, tmp_path):
    monkeypatch.setattr("portico_studio.page.PAGE", tmp_path)
    page = studio().client.simulate_get("/studio")
    assert (page.status_code, "pip install" in page.text) == (200, True)
