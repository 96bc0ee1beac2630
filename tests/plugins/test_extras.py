"""The package in examples/ as a third-party package: installed by pip, found by entry points, with its own tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.postgres_server import PostgresServer
from tests.process.running import REPOSITORY, environment

FILES = ("at_least", "audit", "intervals", "memory", "rate_limit", "sessions", "text_search")


def test_the_example_package_is_installed_and_works(tmp_path: Path, postgres: PostgresServer) -> None:
    source, target = tmp_path / "source", tmp_path / "site-packages"
    shutil.copytree(REPOSITORY / "examples" / "portico-extras", source)
    install = ["install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", "--target", str(target)]
    run(tmp_path, "-m", "pip", *install, str(source))
    shutil.rmtree(source / "portico_extras")

    found = {"PYTHONPATH": f"{target}:{REPOSITORY}", "TEST_DATABASE_URL": postgres.url}
    listed = run(tmp_path, "-m", "portico", "plugins", **found)
    for name in FILES:
        assert f"extras_{name}" in listed
    assert listed.count("portico-extras 1.0.0") == len(FILES)
    assert "SESSION_SECRET" in run(tmp_path, "-m", "portico", "settings", **found)

    done = run(source, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", **found)
    assert f"{len(FILES)} passed" in done


def run(directory: Path, *arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=directory,
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
