"""The distributions of a release: built as .ci/build_release.py builds them, and installed alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import zipfile
from configparser import ConfigParser
from hashlib import sha256
from pathlib import Path

import pytest

from tests.process.running import PATIENCE_S, REPOSITORY

SERVICE = "portico-api"
BUILD = [sys.executable, str(REPOSITORY / ".ci" / "build_release.py")]
# The umask, the time zone and the order of sets are those of the machine.
ELSEWHERE = {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7"}


def described() -> dict[str, tuple[str, list[str]]]:
    """The version and requirements of each distribution of the repository, by its folder."""
    service = ConfigParser()
    service.read(REPOSITORY / "setup.cfg")
    found = {".": (service["metadata"]["version"], service["options"]["install_requires"].split())}
    for path in sorted(REPOSITORY.glob("*/pyproject.toml")):
        project = tomllib.loads(path.read_text())["project"]
        found[path.parent.name] = (project["version"], project["dependencies"])
    return found


def test_all_distributions_have_one_version_and_require_the_service_by_its_name() -> None:
    of_service, *others = described().values()
    major = of_service[0].partition(".")[0]
    assert {version for version, _ in others} == {of_service[0]}
    for _, requirements in others:
        assert f"{SERVICE}>={major},<{int(major) + 1}" in requirements, "portico on PyPI is another project"


def test_no_text_installs_the_other_project() -> None:
    # The pattern must not find itself.
    wrong = r"portico[[][a-z]|(install|--from|--spec|uvx) '?portico( |$|')|metadata\(.portico.\)|version\(.portico.\)"
    texts = ["*.py", "*.md", "*.cfg", "*.toml", "*.yml", "*.yaml", "*.sh", ".ci/*", "Dockerfile", "requirements.txt"]
    found = subprocess.run(["git", "grep", "-nE", wrong, "--", *texts], cwd=REPOSITORY, capture_output=True, text=True)
    assert found.stdout == ""


def test_the_changelog_has_the_version() -> None:
    version = described()["."][0]
    assert re.search(rf"^## {re.escape(version)} \(", (REPOSITORY / "CHANGELOG.md").read_text(), re.M)


def test_the_description_for_the_package_index_has_no_relative_links() -> None:
    for path in [REPOSITORY / "PACKAGE.md", *REPOSITORY.glob("*/README.md")]:
        links = re.findall(r"\]\(([^)]+)\)", path.read_text())
        assert [each for each in links if not each.startswith("https://")] == [], path


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two directories with the distributions of the current commit, built at the same time."""
    for module in ("build", "twine"):
        pytest.importorskip(module, reason=f"the extra release is not installed: {module}")
    directories = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("two")
    plain, other = dict(os.environ), os.environ | ELSEWHERE
    running = [
        subprocess.Popen(
            [*BUILD, str(directory)], env=variables, umask=umask, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        for directory, variables, umask in zip(directories, (plain, other), (0o022, 0o077), strict=True)
    ]
    for each in running:
        printed, _ = each.communicate(timeout=540)
        assert each.returncode == 0, printed.decode()
    return directories


@pytest.mark.long
def test_two_builds_of_a_commit_are_equal(builds: tuple[Path, Path]) -> None:
    one, two = ({each.name: sha256(each.read_bytes()).hexdigest() for each in place.iterdir()} for place in builds)
    assert one == two
    assert len(one) == 2 * len(described())


def names_of(archive: Path) -> list[str]:
    if archive.suffix == ".whl":
        return zipfile.ZipFile(archive).namelist()
    with tarfile.open(archive) as opened:
        return opened.getnames()


@pytest.mark.long
def test_no_archive_has_tests_or_caches(builds: tuple[Path, Path]) -> None:
    for archive in builds[0].iterdir():
        names = names_of(archive)
        assert names
        unwanted = re.compile(r"(^|/)(tests?|build|dist|__pycache__|node_modules|\.[^/]+)/|\.pyc$")
        assert [each for each in names if unwanted.search(each)] == [], archive.name


@pytest.mark.long
def test_the_wheel_of_the_service_has_its_packages_alone(builds: tuple[Path, Path]) -> None:
    (wheel,) = builds[0].glob("portico_api-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {each.partition("/")[0] for each in names if ".dist-info/" not in each} == {
        "app", "plugins", "portico", "schema_cache",
    }  # fmt: skip
    assert "app/installation/sql/portico.control" in names


@pytest.fixture(scope="module")
def empty(builds: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the service's wheel and what it requires, without any extra."""
    place = tmp_path_factory.mktemp("empty")
    (wheel,) = builds[0].glob("portico_api-*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    install(place / "bin", wheel)
    return place / "bin"


def install(programs: Path, *wheels: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--quiet", "--no-compile"]
    subprocess.run([*pip, *map(str, wheels)], check=True)


def alone(programs: Path, folder: Path, *arguments: str, **variables: str) -> str:
    """The output of a command, without the repository on the path."""
    done = subprocess.run(
        [programs / "portico", *arguments], cwd=folder, env={"PATH": f"{programs}:/usr/bin:/bin", **variables},
        capture_output=True, text=True, timeout=PATIENCE_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
def test_the_service_works_where_nothing_else_is_installed(empty: Path, database_url: str, tmp_path: Path) -> None:
    assert alone(empty, tmp_path, "--version") == f"portico {described()['.'][0]}\n"
    assert "cannot be loaded" not in alone(empty, tmp_path, "plugins")
    keys = dict(line.split("=", 1) for line in alone(empty, tmp_path, "keys").splitlines())
    variables = {"DATABASE_URL": database_url, "PATH": f"{empty}:/usr/bin:/bin", "PYTHONUNBUFFERED": "1", **keys}
    alone(empty, tmp_path, "init", **variables)
    serve = [str(empty / "portico"), "serve", "--port", "0", "--workers", "1"]
    process = subprocess.Popen(serve, cwd=tmp_path, env=variables, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        printed = next(line for line in process.stdout if "/graphql/v1" in line)
        (address,) = re.findall(r"http://\S+/graphql/v1", printed)
        headers = {"apiKey": keys["ANON_KEY"], "Content-Type": "application/json"}
        request = urllib.request.Request(address, b'{"query": "{ __typename }"}', headers)
        with urllib.request.urlopen(request) as answer:
            assert json.load(answer) == {"data": {"__typename": "Query"}}
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.communicate()


@pytest.mark.long
def test_the_other_distributions_are_found_beside_it(builds: tuple[Path, Path], empty: Path, tmp_path: Path) -> None:
    others = [each for each in builds[0].glob("*.whl") if not each.name.startswith("portico_api-")]
    install(empty, *others)
    listed = alone(empty, tmp_path, "plugins")
    for folder in described():
        if folder != ".":
            name = tomllib.loads((REPOSITORY / folder / "pyproject.toml").read_text())["project"]["name"]
            assert re.search(rf"\b{name} {re.escape(described()['.'][0])}\b", listed), listed
