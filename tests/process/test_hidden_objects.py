"""The findings of ``portico doctor`` about objects that are hidden from all roles."""

from __future__ import annotations

from tests.graphql.conftest import ROLES
from tests.graphql.test_exclusion import COMMENTS, SCHEMA
from tests.postgres_server import PostgresServer
from tests.process.conftest import Portico


def test_doctor_lists_what_is_hidden_and_patterns_without_effect(
    portico: Portico, postgres: PostgresServer, database_url: str
) -> None:
    postgres.execute(ROLES + SCHEMA + COMMENTS, database_url)
    patterns = "public.version(),public.versoin(),public.book.nothing,other.*"
    reported = portico("doctor", DATABASE_URL=database_url, ANON_KEY="k", API_EXCLUDE=patterns).stdout
    assert (
        "ok    comments and API_EXCLUDE hide these from all roles: column public.author.notes, "
        "table public.publisher, column public.book.secret, column public.book.author_id, "
        "relationships of written_by on public.book, function public.version, function public.version\n"
    ) in reported
    assert "note  API_EXCLUDE matches nothing with public.versoin(), public.book.nothing, other.*\n" in reported
    plain = portico("doctor", DATABASE_URL=database_url, ANON_KEY="k").stdout
    assert "matches nothing" not in plain
