"""Regular expressions in filters: those that could keep the database busy are refused, others are passed on."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.query.filter.regular_expressions import refusal
from tests.graphql.api import Api
from tests.graphql.conftest import StartApi

WORDS = """
create table word (id int primary key, text text); grant select on word to anon;
insert into word values (1, repeat('a', 40)), (2, 'ab12'), (3, 'x{1}');
"""
QUERY = "query ($x: String) { wordCollection(filter: {text: {regex: $x}}) { edges { node { id } } } }"


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(WORDS)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(.+)+\\1x", r"(a*)*(a*)*\\2b", r"((a{1,255}){1,255})", r"(a{30}){40}", r"((a{2}){30}){20}", r"(a{9,}b){200}",
        r"***:(.)\\1", "***=a", "(?b)a\\{1,255\\}", "(?e)a{3}", "(?q)a", r"a{255}{255}", "(?#[)(.)\\\\1(?#])",
        "(?x)#[\n(.)\\\\1#]", "\\\\c[?(.)\\\\1|]", "[\\\\c][](.)\\\\1]", "(?=.*(?!.*b))x", "(?<=(a(?<!b)))x",
        "(?=a)(?=(?=b))", r"(?i)(.)\\1", r"[^]a](.)\\1", "(?:[^a]?[^b]?){0,255}c", "(?:[^a]?){0,255}c",
        "(a|b|){0,255}c", "((a?){0,40}){0,40}", "(?:(?:^|a*)$){101}", "[^a]{0,255}" * 4, "(?=.*a)" * 11,
        "(?:(?=.*a)b){11}", "(?:" + "{}" * 300 + "){2}", "(?:a?){250}a{250}", "(x?y?z?){100}", "(?:a*){255}",
        "a?" * 201, "(a*)*" * 80, "(?:(?:a?){15}b?){15}", "(?:|a){201}", r"\\y" * 20, r"(?:\\ya?){20}",
        r"(?:\\m|\\M){30}",
        "[[:<:]]" * 11, "(?=.*x)y", "(?<!b+)a", "x|^(?=.*a)b", "^a|(?=.*a)b", "^.*(?=.*a)b", "(?n)^(?=.*a)b",
        "(?=.*?x)y", "(?=x{2,})y",
    ],
)  # fmt: skip
def test_patterns_that_are_not_linear_are_refused(api: Api, pattern: str) -> None:
    assert api.ask(QUERY, {"x": pattern.replace("\\\\", "\\")}).code == "LIMIT_EXCEEDED"


_OTHERS = [f"[^{chr(0x4E00 + number)}]" for number in range(200)]
"""Each makes PostgreSQL distinguish one more kind of character from all others."""


@pytest.mark.parametrize(
    "pattern",
    [
        "".join(f"{each}?" for each in _OTHERS[:150]), f"(?:{'|'.join(f'{each}+' for each in _OTHERS[:100])})+",
        f"(?:{'|'.join(f'{each}?{each}?' for each in _OTHERS[:80])})*x", f"(?:{'|'.join(_OTHERS[:190])})+x",
        "".join(f"{each}{{0,30}}" for each in _OTHERS[:33]),
        "(?:" * 100 + "".join(f"{each})*" for each in _OTHERS[:100]), "".join(f"(^|$){each}*" for each in _OTHERS[:20]),
        f"(?:{'|'.join(f'{each}*$' for each in _OTHERS[:20])})*", "".join(f"{each}?[[:<:]]" for each in _OTHERS[:80]),
        f"(?:{'|'.join(_OTHERS[:90])}){{0}}(?:{'|'.join(f'{each}+' for each in _OTHERS[:60])})+",
    ],
)  # fmt: skip
def test_patterns_that_compile_slowly_are_refused(api: Api, pattern: str) -> None:
    """PostgreSQL takes up to minutes to compile them, for any text."""
    assert api.ask(QUERY, {"x": pattern}).code == "LIMIT_EXCEEDED"


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("^(?:a?b?){0,50}$", [1]), ("^(?:[^1]c?){30,255}$", [1]), ("(?i)^(?:A|b)+$", [1]),
        ("^a{40}$", [1]), ("a{2,255}", [1]), (r"\\d+", [2, 3]), ("[0-9]{2}", [2]), (r"x\\{1\\}", [3]), ("[]b]", [2]),
        ("(?i)AB", [2]), ("^(a|b|[[:digit:]])*$", [1, 2]), ("(a+)+b", [2]), ("[{}]", [3]), ("x[\\{]1", [3]),
        ("(?=a)(?!ab)a", [1]), ("(?<=b)1(?=2)", [2]), (r"a\\c[|^ab", [2]),
        (r"x\\{1000\\}|12$", [2]), (r"x{1}|x{,1}|{a}|x\\{1\\}", [3]), ("(?:.{0,255}){3}2", [2]),
        ("^.{0,255}[^b]{0,255}.{0,255}2", [2]),
        ("(?:a?){40}b", [2]), (r"\\yab12\\y|\\ya{40}\\y|\\yx\\y", [1, 2, 3]), (r"^(?:\\ya|\\y){3}", [1, 2, 3]),
        (r"(?=.{0,255}2)a", [2]), ("^(?=.*2).*", [2]),
        (r"^(?=.*\\d)(?=.*[a-z])(?=.*[12]).{3,64}$", [2, 3]), (r"^[\\w.+-]+([[:>:]]|\\d?)$", [1, 2]),
        ("(?:" + "|".join(f"word{number}" for number in range(100)) + "|12)+$", [2]),
    ],
)  # fmt: skip
def test_other_patterns_match_as_in_postgresql(api: Api, pattern: str, found: list[int]) -> None:
    edges = api.ask(QUERY, {"x": pattern.replace("\\\\", "\\")}).data["wordCollection"]["edges"]
    assert [edge["node"]["id"] for edge in edges] == found


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="a()[]{}|*+?^$.,1259\\\\:=-", max_size=40))
def test_every_pattern_is_parsed_to_its_end(pattern: str) -> None:
    reason = refusal(pattern)
    assert reason is None or "regular expression" in reason


@pytest.mark.timing
def test_parsing_takes_linear_time() -> None:
    began = process_time()
    for _ in range(100):
        assert refusal("{" + " " * 998) is None
    assert process_time() - began < 1
