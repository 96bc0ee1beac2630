"""The limits in docs/security.md are those of the settings, and its statements run."""

from __future__ import annotations

import re

from app.settings import SETTINGS
from tests.docs.blocks import REPOSITORY, blocks
from tests.postgres_server import PostgresServer

_ROW = re.compile(r"^\| `([A-Z_]+)` \| (\S+) \|", re.M)
_ROW_OF_SETTINGS = re.compile(r"^\| `([A-Z_]+)` \| [^|]* \| [^|]* \| `?([\w]+)[^|]* \|", re.M)


def test_limits_have_the_defaults_of_the_settings() -> None:
    defaults = dict(_ROW_OF_SETTINGS.findall((REPOSITORY / "docs" / "settings.md").read_text()))
    listed = dict(_ROW.findall((REPOSITORY / "docs" / "security.md").read_text()))
    assert listed == {name: defaults[name] for name in listed}


def test_each_limit_is_documented() -> None:
    listed = dict(_ROW.findall((REPOSITORY / "docs" / "security.md").read_text()))
    limits = {each.env for each in SETTINGS if re.search(r"_LIMIT$|_TIMEOUT_|_SPACE$", each.env)}
    assert "BODY_LIMIT" in limits
    missing = limits - {"PREPARED_STATEMENT_LIMIT"} - set(listed)
    assert not missing, "add them to the table of the section Limits in docs/security.md"


def test_a_role_can_have_its_own_timeout(postgres: PostgresServer, database_url: str) -> None:
    postgres.execute("do $$ begin create role anon; exception when duplicate_object then null; end $$")
    for block in (each for each in blocks("docs/security.md", "sql") if "statement_timeout" in each.text):
        # The connection ends without a commit.
        has_it = "select 'statement_timeout=3s' = any (rolconfig) from pg_roles where rolname = 'anon'"
        assert postgres.execute(f"begin; {block.text} {has_it}", database_url) == [[True]]
