"""Databases that were not made for this service: those of programs that Debian packages, walked through.

Needs Debian and the extra ``elsewhere``; run it with ``python -m pytest tests/elsewhere``.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.installation.install import install
from tests.elsewhere.walking import inserted_and_verified
from tests.packages import debian_packages
from tests.postgres_server import PostgresServer

psycopg = pytest.importorskip("psycopg")

pytestmark = pytest.mark.long

RADIUS = "freeradius-config/etc/freeradius/3.0/mods-config/sql"
AWL, DAVICAL = "libawl-php/usr/share/awl/dba", "davical/usr/share/davical/dba"
LEDGER = "sql-ledger/usr/share/sql-ledger/sql"
WIKI = "mediawiki/usr/share/mediawiki/maintenance/postgres"
ZABBIX = "zabbix-server-pgsql/usr/share/zabbix-server-pgsql"

SCHEMAS = {
    "bacula": ["bacula-director-pgsql/usr/share/dbconfig-common/data/bacula-director-pgsql/install/pgsql"],
    "davical": [f"{AWL}/awl-tables.sql", f"{AWL}/schema-management.sql"]
    + [f"{DAVICAL}/{name}.sql" for name in ("davical", "caldav_functions", "rrule_functions", "base-data")],
    "freeradius": [f"{RADIUS}/{name}/postgresql/schema.sql" for name in ("main", "ippool", "cui")],
    "icinga": ["icinga2-ido-pgsql/usr/share/icinga2-ido-pgsql/schema/pgsql.sql"],
    "mediawiki": [f"{WIKI}/tables-generated.sql"],
    "powerdns": ["pdns-backend-pgsql/usr/share/pdns-backend-pgsql/schema/schema.pgsql.sql"],
    "request-tracker": ["request-tracker5/usr/share/request-tracker5/etc/schema.Pg"],
    "roundcube": ["roundcube-core/usr/share/roundcube/SQL/postgres.initial.sql"],
    "sql-ledger": [f"{LEDGER}/{name}.sql" for name in ("Pg-tables", "Pg-functions", "Pg-indices", "Default-chart")],
    "tt-rss": ["tt-rss/usr/share/tt-rss/schema/ttrss_schema_pgsql.sql"],
    "zabbix": [f"{ZABBIX}/{name}.sql.gz" for name in ("schema", "images", "data")],
}
"""Files of packages, each below its package's name, that make a database when they are run in order."""


@pytest.fixture(params=SCHEMAS)
def database_url(request: pytest.FixtureRequest, postgres: PostgresServer) -> Iterator[str]:
    files = SCHEMAS[request.param]
    packages = debian_packages(*dict.fromkeys(file.partition("/")[0] for file in files))
    url = postgres.create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        for file in files:
            connection.execute(_text(packages / file))
    install(url)
    yield url
    postgres.drop_database(url)


def test_everything_in_the_schema_works(database_url: str) -> None:
    assert len(inserted_and_verified(database_url)) >= 5


def _text(file: Path) -> str:
    return gzip.decompress(file.read_bytes()).decode() if file.suffix == ".gz" else file.read_text()
