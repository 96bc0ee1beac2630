"""Comment directives: ``@graphql({...})`` anywhere in an object's comment.

The known directives are data, so that each feature can declare its own.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from schema_cache.directive_values import DirectiveValueError, ValueKind

Commented = Literal[
    "schema", "relation", "column", "function", "foreign_key", "unique_index", "enum", "composite", "role"
]
"""The kinds of objects whose comments may have directives."""


@dataclass(frozen=True, slots=True)
class Directive:
    """A member ``key`` in the comments on objects of the kind ``on``. ``value`` is the kind of its value. Only dialects
    that go beyond pg_graphql read an ``extended`` directive."""

    on: Commented
    key: str
    value: ValueKind
    extended: bool = False


Directives = Mapping[str, object]
"""The directives of one object by key; absent ones are left out. A flag that is off is False or left out."""

_NONE: Directives = MappingProxyType({})
_MARK_BEGINS = "@graphql("
# Greedy, so that the JSON extends to the last parenthesis and may contain parentheses itself.
_MARK = re.compile(r"@graphql\((.+)\)", re.DOTALL)
_REMEMBERED = 20_000


def has_directives(comment: str | None) -> bool:
    """Whether the comment has any directives."""
    return comment is not None and _MARK_BEGINS in comment


def plain_text(comment: str | None) -> str | None:
    """The text of a comment without its directives; None if nothing else is left."""
    return _MARK.sub("", comment or "").strip() or None


@dataclass(frozen=True, slots=True)
class ReadComment:
    """The valid directives of a comment, and messages about the invalid ones."""

    directives: Directives
    problems: tuple[str, ...] = ()


_NOTHING = ReadComment(_NONE)


class DirectiveReader:
    """Reads comments with a set of known directives; results are cached by text. Threads may share it.

    A malformed directive is left out: a user who may comment on one table must not break the whole API.
    """

    def __init__(self, known: Iterable[Directive]) -> None:
        self._kinds: dict[str, dict[str, ValueKind]] = defaultdict(dict)
        for directive in known:
            if directive.key in self._kinds[directive.on]:
                raise ValueError(f"the directive {directive.key} on a {directive.on} is declared twice")
            self._kinds[directive.on][directive.key] = directive.value
        self._read_text = lru_cache(_REMEMBERED)(self._interpret)

    def read(self, on: Commented, comment: str | None) -> ReadComment:
        """The directives in ``comment``, validated and immutable; unknown ones are left out."""
        if comment is None or "@graphql(" not in comment:
            return _NOTHING
        return self._read_text(on, comment)

    def _interpret(self, on: Commented, comment: str) -> ReadComment:
        mark = _MARK.search(comment)
        if mark is None:
            return _NOTHING
        try:
            written = _parse(mark.group(1))
        except DirectiveValueError as ex:
            return ReadComment(_NONE, (ex.detail,))
        if written is None:
            return _NOTHING
        if not isinstance(written, dict):
            return ReadComment(_NONE, ("invalid type: it is not a JSON object",))
        kinds = self._kinds.get(on, {})
        read: dict[str, object] = {}
        problems = [_unknown(on, key, kinds) for key in written if key not in kinds]
        for key, kind in kinds.items():
            try:
                value = kind.read(written.get(key))
            except DirectiveValueError as ex:
                problems.append(f"{ex.detail} at {key}{ex.path}")
                continue
            if value is not None:
                read[key] = value
            if key in written and (expected := kind.expected_of(written[key])) is not None:
                problems.append(f"{key} has no effect; write {expected}")
        return ReadComment(MappingProxyType(read), tuple(problems))


def _unknown(on: Commented, key: str, kinds: Mapping[str, ValueKind]) -> str:
    similar = get_close_matches(key, kinds, 1)
    kind = on.replace("_", " ")
    suggestion = f"; did you mean {json.dumps(similar[0])}?" if similar else "."
    stays = "has its rules" if on == "role" else "stays in the API"
    known = f"Known keys: {', '.join(sorted(kinds))}" if kinds else "No key is known"
    return f"unknown key {json.dumps(key)}{suggestion} The {kind} {stays}, as without this key. {known}"


def _parse(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as ex:
        raise DirectiveValueError(f"invalid JSON: {ex.msg} at line {ex.lineno} column {ex.colno}") from None
    except (ValueError, RecursionError):
        raise DirectiveValueError("invalid JSON") from None


def _refuse_constant(name: str) -> object:
    # Python accepts NaN and Infinity, which are not JSON.
    raise ValueError(name)
