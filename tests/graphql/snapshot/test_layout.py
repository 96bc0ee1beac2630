"""The layout of SQL in snapshots."""

from __future__ import annotations

import pytest

from tests.graphql.snapshot.layout import WIDTH, laid_out, tokens

LONG = ", ".join(f"'key_{number}', t.column_{number}" for number in range(6))


def test_short_text_stays_on_one_line() -> None:
    assert laid_out("SELECT  a,\n b \nFROM t") == "SELECT a, b FROM t"


def test_clauses_have_lines_and_keys_stay_with_their_values() -> None:
    sql = f"SELECT json_build_object({LONG}) AS o, x \nFROM t \nWHERE (a = 1) AND b ORDER BY a"
    assert laid_out(sql).splitlines() == [
        "SELECT json_build_object(",
        *(f"  'key_{number}', t.column_{number}{',' * (number < 5)}" for number in range(6)),
        ") AS o,",
        "  x",
        "FROM t",
        "WHERE (a = 1)",
        "AND b",
        "ORDER BY a",
    ]


@pytest.mark.parametrize("text", ["'a  (b'", "'it''s  )'", r"E'\'  ('", '"a  ""(b"', "'SELECT\n  FROM'"])
def test_quoted_text_is_not_changed(text: str) -> None:
    padding = ", ".join(["column_of_some_length"] * 6)
    assert text in laid_out(f"SELECT {padding}, {text} FROM t")


def test_the_layout_changes_only_white_space() -> None:
    sql = f"WITH p AS \n(SELECT {LONG} FROM t WHERE a::text <> $1 LIMIT 30)\n SELECT count(*), ({LONG}) FROM p"
    assert tokens(laid_out(sql)) == tokens(sql)
    assert laid_out(laid_out(sql)) == laid_out(sql)
    assert max(map(len, laid_out(sql).splitlines())) <= WIDTH
