"""A reader's directory with a few rows in the tables of the demonstration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from app.installation.install import install
from tests.docs.blocks import REPOSITORY
from tests.pages.reader import Reader
from tests.postgres_server import PostgresServer
from tests.process.running import open_directory

WORLD = """
insert into continent values ('EU', 'Europe');
insert into currency values ('EUR', 'Euro');
insert into country values ('AT', 'AUT', 'Austria', 'EU', 'EUR', 'Vienna', 83858, 8840521, '{de}', '43', '.at');
insert into city select n, name, 'AT', 'city', 100000 * n, 48, 16, 'Europe/Vienna', '{}'
  from unnest(string_to_array('$cities', ' ')) with ordinality as t(name, n);
"""


@contextmanager
def demonstration(postgres: PostgresServer, cities: Sequence[str]) -> Iterator[Reader]:
    """A reader with keys in the environment, on a database that has these cities and no service yet."""
    url = postgres.create_database()
    install(url)
    tables = REPOSITORY / "app" / "demo"
    for sql in (
        (tables / "schema.sql").read_text(),
        WORLD.replace("$cities", " ".join(cities)),
        (tables / "after_load.sql").read_text(),
    ):
        postgres.execute(sql, url)
    with open_directory() as directory:
        reader = Reader(directory, url)
        reader.set(DATABASE_URL=url)
        reader.shell("portico keys > .env; set -a; . ./.env; set +a")
        yield reader
        reader.close()
    postgres.drop_database(url)
