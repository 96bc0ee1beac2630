from __future__ import annotations

import pytest

from app.discovery import plugin_manager
from schema_cache.directive_values import String
from schema_cache.directives import Commented, Directive, DirectiveReader, Directives

BUILT_IN_DIRECTIVES = tuple(each for some in plugin_manager().hook.comment_directives() for each in some)
KEYS_OF_RELATIONS = ", ".join(sorted(each.key for each in BUILT_IN_DIRECTIVES if each.on == "relation"))
KEY = '"local_columns": ["a"], "foreign_schema": "s", "foreign_table": "t", "foreign_columns": ["b"]'


def read_directives(on: Commented, comment: str | None) -> Directives:
    """The directives of a comment, by what the built-in plugins declare."""
    return DirectiveReader(BUILT_IN_DIRECTIVES).read(on, comment).directives


@pytest.mark.parametrize(
    ("on", "comment", "expected"),
    [
        ("relation", None, {}),
        ("relation", "", {}),
        ("relation", "just words (with parentheses)", {}),
        ("relation", "@graphql()", {}),
        ("relation", '@graphql({"name": "Person"})', {"name": "Person"}),
        ("relation", 'Words. @graphql( {\n"name":\n"Per(son)" }\n ) more words', {"name": "Per(son)"}),
        ("relation", '@graphql({"max_rows": 0, "unknown": [1]})', {"max_rows": 0}),
        ("relation", '@graphql({"name": null})', {}),
        ("relation", '@graphql({"inflect_names": 1})', {}),
        ("relation", '@graphql({"totalCount": {"enabled": true}})', {"totalCount": True}),
        ("relation", '@graphql({"totalCount": {"enabled": "true"}})', {"totalCount": True}),
        ("relation", '@graphql({"primary_key_columns": ["a", "b c"]})', {"primary_key_columns": ("a", "b c")}),
        (
            "relation",
            f'@graphql({{"foreign_keys": [{{{KEY}, "local_name": "x"}}]}})',
            {
                "foreign_keys": (
                    {
                        "local_columns": ("a",),
                        "foreign_schema": "s",
                        "foreign_table": "t",
                        "foreign_columns": ("b",),
                        "local_name": "x",
                    },
                )
            },
        ),
        ("schema", '@graphql({"inflect_names": true})', {"inflect_names": True}),
        ("column", '@graphql({"name": "n", "description": "d", "max_rows": -1})', {"name": "n", "description": "d"}),
        ("function", '@graphql({"name": "n"})', {"name": "n"}),
        ("foreign_key", '@graphql({"local_name": "l", "foreign_name": "f"})', {"local_name": "l", "foreign_name": "f"}),
        ("enum", '@graphql({"mappings": {"a-b": "A_B", "c": "C"}})', {"mappings": {"a-b": "A_B", "c": "C"}}),
    ],
)
def test_directives_are_read(on, comment, expected) -> None:
    read = read_directives(on, comment)
    assert {key: value for key, value in read.items() if value is not False} == expected


@pytest.mark.parametrize("value", ["1", '"true"', "null", "{}", "[]", "false"])
def test_a_flag_is_on_only_when_it_is_true(value: str) -> None:
    assert not read_directives("schema", f'@graphql({{"inflect_names": {value}}})').get("inflect_names")


@pytest.mark.parametrize("value", ["true", '{"enabled": 1}', '{"enabled": false}', "{}", "null", '"true"', "[1]"])
def test_a_switch_is_on_only_when_enabled_is_true(value: str) -> None:
    assert not read_directives("relation", f'@graphql({{"aggregate": {value}}})').get("aggregate")


@pytest.mark.parametrize(
    ("on", "json", "detail"),
    [
        ("relation", '{"max_rows": -1}', "invalid value: integer `-1`, expected u64 at max_rows"),
        ("schema", '{"max_rows": "5"}', 'invalid type: string "5", expected u64 at max_rows'),
        ("relation", '{"max_rows": 1.5}', "invalid type: floating point `1.5`, expected u64 at max_rows"),
        ("relation", '{"max_rows": true}', "invalid type: boolean `true`, expected u64 at max_rows"),
        ("relation", '{"name": 3}', "invalid type: integer `3`, expected a string at name"),
        ("column", '{"name": ["a"]}', "invalid type: sequence, expected a string at name"),
        (
            "relation",
            '{"primary_key_columns": "id"}',
            'invalid type: string "id", expected a sequence at primary_key_columns',
        ),
        (
            "relation",
            '{"primary_key_columns": ["id", null]}',
            "invalid type: null, expected a value at primary_key_columns[1]",
        ),
        (
            "relation",
            '{"foreign_keys": [{"local_columns": "account_id"}]}',
            'invalid type: string "account_id", expected a sequence at foreign_keys[0].local_columns',
        ),
        ("relation", '{"foreign_keys": [{"local_columns": []}]}', "missing field `foreign_schema` at foreign_keys[0]"),
        ("relation", '{"foreign_keys": {}}', "invalid type: map, expected a sequence at foreign_keys"),
        ("relation", '{"foreign_keys": [7]}', "invalid type: integer `7`, expected a map at foreign_keys[0]"),
        ("enum", '{"mappings": ["a"]}', "invalid type: sequence, expected a map at mappings"),
        ("enum", '{"mappings": {"a": 1}}', "invalid type: integer `1`, expected a string at mappings.a"),
        (
            "enum",
            '{"mappings": {"a": "X", "b": "X"}}',
            'invalid value: string "X", expected each value only once at mappings',
        ),
        ("relation", '["name"]', "invalid type: it is not a JSON object"),
        ("relation", "name", "invalid JSON: Expecting value at line 1 column 1"),
        ("relation", '{"name": "a"', "invalid JSON: Expecting ',' delimiter at line 1 column 13"),
        ("relation", '{"max_rows": NaN}', "invalid JSON"),
        ("relation", "[" * 100_000, "invalid JSON"),
    ],
)
def test_a_malformed_directive_is_ignored_and_reported(on, json: str, detail: str) -> None:
    reading = DirectiveReader(BUILT_IN_DIRECTIVES).read(on, f"Some words @graphql({json}) here")
    assert detail in reading.problems
    assert set(reading.directives) <= {"totalCount", "aggregate"}


@pytest.mark.parametrize(
    ("json", "problem"),
    [
        (
            '{"totalCont": {"enabled": true}}',
            'unknown key "totalCont"; did you mean "totalCount"? The relation stays in the API, as without this key. '
            f"Known keys: {KEYS_OF_RELATIONS}",
        ),
        (
            '{"colour": 1}',
            'unknown key "colour". The relation stays in the API, as without this key. '
            f"Known keys: {KEYS_OF_RELATIONS}",
        ),
        ('{"totalCount": true}', 'totalCount has no effect; write {"enabled": true}'),
        (
            '{"description": "half \\ud800"}',
            "invalid value: half of a surrogate pair, expected a character at description",
        ),
    ],
)
def test_a_well_formed_directive_without_effect_is_reported(json: str, problem: str) -> None:
    assert DirectiveReader(BUILT_IN_DIRECTIVES).read("relation", f"@graphql({json})").problems == (problem,)


def test_valid_keys_beside_invalid_ones_count() -> None:
    reading = DirectiveReader(BUILT_IN_DIRECTIVES).read("relation", '@graphql({"name": 5, "max_rows": 7})')
    assert reading.directives["max_rows"] == 7
    assert "name" not in reading.directives


def test_directives_can_be_added_and_taken_away() -> None:
    reader = DirectiveReader((*BUILT_IN_DIRECTIVES, Directive("column", "colour", String())))
    assert reader.read("column", '@graphql({"colour": "red", "name": "n"})').directives == {
        "colour": "red",
        "name": "n",
    }
    assert DirectiveReader(()).read("column", '@graphql({"name": 3})').directives == {}
    with pytest.raises(ValueError, match="colour on a column is declared twice"):
        DirectiveReader([Directive("column", "colour", String())] * 2)


def test_a_text_is_read_once() -> None:
    reader = DirectiveReader(BUILT_IN_DIRECTIVES)
    comment = '@graphql({"name": "a"})'
    assert reader.read("column", comment) is reader.read("column", str(comment))


def test_read_directives_cannot_be_changed() -> None:
    read = read_directives("enum", '@graphql({"mappings": {"a": "A"}})')
    with pytest.raises(TypeError):
        read["mappings"]["b"] = "B"  # type: ignore[index]
    with pytest.raises(TypeError):
        read["name"] = "B"  # type: ignore[index]
