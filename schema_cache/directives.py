"""Comment directives: ``@graphql({...})`` anywhere in an object's comment.

Which directives exist is data, so that each feature can bring its own.
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

from schema_cache.shapes import Shape, ShapeError

Commented = Literal["schema", "relation", "column", "function", "foreign_key", "enum"]
"""The kinds of objects whose comments hold directives."""


@dataclass(frozen=True, slots=True)
class Directive:
    """That comments on objects of kind ``on`` may have the member ``key``, and its shape."""

    on: Commented
    key: str
    shape: Shape


Directives = Mapping[str, object]
"""The directives of one object by key. Absent ones are absent; a flag that is off is False or absent."""

_NONE: Directives = MappingProxyType({})
_MARK_BEGINS = "@graphql("
# Greedy, so that the JSON runs to the last parenthesis and may hold some itself.
_MARK = re.compile(r"@graphql\((.+)\)", re.DOTALL)
_REMEMBERED = 20_000


def has_directives(comment: str | None) -> bool:
    """Whether the comment speaks to the API at all."""
    return comment is not None and _MARK_BEGINS in comment


@dataclass(frozen=True, slots=True)
class Reading:
    """What a comment says: the directives that can be understood, and what is wrong with the others."""

    directives: Directives
    problems: tuple[str, ...] = ()


_NOTHING = Reading(_NONE)


class DirectiveReader:
    """Reads comments by a set of known directives, each text once. Safe to share between threads.

    A directive that is malformed is left out: whoever may comment on one table must not take down the API of all.
    """

    def __init__(self, known: Iterable[Directive]) -> None:
        self._shapes: dict[str, dict[str, Shape]] = defaultdict(dict)
        for directive in known:
            if directive.key in self._shapes[directive.on]:
                raise ValueError(f"the directive {directive.key} on a {directive.on} is declared twice")
            self._shapes[directive.on][directive.key] = directive.shape
        self._read_text = lru_cache(_REMEMBERED)(self._interpret)

    def read(self, on: Commented, comment: str | None) -> Reading:
        """The directives in ``comment``, validated and frozen, without those that nobody declared."""
        if comment is None or "@graphql(" not in comment:
            return _NOTHING
        return self._read_text(on, comment)

    def _interpret(self, on: Commented, comment: str) -> Reading:
        mark = _MARK.search(comment)
        if mark is None:
            return _NOTHING
        try:
            written = _parse(mark.group(1))
        except ShapeError as error:
            return Reading(_NONE, (error.detail,))
        if written is None:
            return _NOTHING
        if not isinstance(written, dict):
            return Reading(_NONE, ("invalid type: it is no JSON object",))
        shapes = self._shapes.get(on, {})
        read: dict[str, object] = {}
        problems = [_unknown(key, shapes) for key in written if key not in shapes]
        for key, shape in shapes.items():
            try:
                value = shape.read(written.get(key))
            except ShapeError as error:
                problems.append(f"{error.detail} at {key}{error.path}")
                continue
            if value is not None:
                read[key] = value
            if key in written and (expected := shape.expected_of(written[key])) is not None:
                problems.append(f"{key} has no effect; write {expected}")
        return Reading(MappingProxyType(read), tuple(problems))


def _unknown(key: str, shapes: Mapping[str, Shape]) -> str:
    alike = get_close_matches(key, shapes, 1)
    return f"unknown key {json.dumps(key)}" + (f"; did you mean {json.dumps(alike[0])}?" if alike else "")


def _parse(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ShapeError(f"invalid JSON: {error.msg} at line {error.lineno} column {error.colno}") from None
    except (ValueError, RecursionError):
        raise ShapeError("invalid JSON") from None


def _refuse_constant(name: str) -> object:
    # Python would take NaN and Infinity, which are no JSON.
    raise ValueError(name)
