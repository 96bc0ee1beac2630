"""Documents that follow the grammar and the schema, and documents that were spoilt a little."""

from __future__ import annotations

import json
import random
import re
from typing import Any

INTROSPECTION = """{ __schema { queryType { name } types { kind name enumValues { name } inputFields { ...I }
  fields { name type { ...T } args { ...I } } } } }
fragment I on __InputValue { name type { ...T } }
fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }
}"""
_DEEPEST = 7
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[\w-]+|\S')
_TEXTS = (
    "",
    "a",
    "item 1",
    "%",
    "_",
    "[",
    "(a+)+$",
    "\\",
    "'",
    "NULL",
    "W10=",
    "WyJpdGVtIl0=",
    "2020-01-01",
    "{}",
    "0",
)


class Documents:
    """Makes documents for the schema of an introspection, always the same ones for the same ``chance``."""

    def __init__(self, schema: dict[str, Any], chance: random.Random) -> None:
        self._types = {each["name"]: each for each in schema["types"]}
        self._root = schema["queryType"]["name"]
        self._chance = chance

    def document(self) -> str:
        """One that is valid but for its values."""
        return f"query {self._selection(self._root, 0)}"

    def spoilt(self) -> str:
        """One that lost, got or swapped a few of its tokens."""
        parts: list[str] = _TOKEN.findall(self.document())
        for _ in range(self._chance.randint(1, 3)):
            at, other = self._chance.randrange(len(parts)), self._chance.randrange(len(parts))
            change = self._chance.randrange(3)
            if change == 0:
                parts[at] = parts[other]
            elif change == 1:
                parts.insert(at, parts[other])
            elif len(parts) > 1:
                parts.pop(at)
        return " ".join(parts)

    def _selection(self, name: str, depth: int) -> str:
        fields = self._types[name]["fields"]
        if depth >= _DEEPEST:
            fields = [each for each in fields if self._is_leaf(each["type"])]
        chosen = self._chance.sample(fields, min(len(fields), self._chance.randint(1, 3)))
        parts = [f"f{number}: {self._field(each, depth)}" for number, each in enumerate(chosen)]
        return "{ " + " ".join([*parts, "__typename"]) + " }"

    def _field(self, field: dict[str, Any], depth: int) -> str:
        needed = [each for each in field["args"] if each["type"]["kind"] == "NON_NULL"]
        free = [each for each in field["args"] if each not in needed]
        given = needed + self._chance.sample(free, min(len(free), self._chance.choice((0, 0, 1, 2))))
        arguments = ", ".join(f"{each['name']}: {self._value(each['type'], 0)}" for each in given)
        inner = "" if self._is_leaf(field["type"]) else self._selection(_named(field["type"])["name"], depth + 1)
        return f"{field['name']}{f'({arguments})' if arguments else ''} {inner}"

    def _value(self, type_: dict[str, Any], depth: int) -> str:
        kind, name = type_["kind"], type_["name"]
        if kind == "NON_NULL":
            return self._value(type_["ofType"], depth)
        if kind == "LIST":
            return "[" + ", ".join(self._value(type_["ofType"], depth) for _ in range(self._chance.randrange(3))) + "]"
        if kind == "ENUM":
            return str(self._chance.choice(self._types[name]["enumValues"])["name"])
        if kind == "INPUT_OBJECT":
            return self._object(name, depth)
        if name in ("Int", "BigInt", "Float"):
            return str(self._chance.choice((0, 1, 2, 3, 7, 50, 150, -1)))
        if name == "Boolean":
            return self._chance.choice(("true", "false"))
        return json.dumps(self._chance.choice(_TEXTS))

    def _object(self, name: str, depth: int) -> str:
        members = self._types[name]["inputFields"]
        count = 0 if depth > 3 else self._chance.randint(1, 2)
        chosen = self._chance.sample(members, min(len(members), count))
        return "{" + ", ".join(f"{each['name']}: {self._value(each['type'], depth + 1)}" for each in chosen) + "}"

    def _is_leaf(self, type_: dict[str, Any]) -> bool:
        return _named(type_)["kind"] in ("SCALAR", "ENUM")


def _named(type_: dict[str, Any]) -> dict[str, Any]:
    while type_["ofType"]:
        type_ = type_["ofType"]
    return type_
