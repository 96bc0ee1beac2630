"""Comment directives: ``@graphql({...})`` anywhere in an object's comment.

Which directives exist is data, so that each feature can bring its own.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from schema_cache.shapes import Object, Shape, ShapeError

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


class DirectiveError(ValueError):
    """The comment on ``object_name`` has directives that cannot be understood; ``detail`` says what is wrong."""

    def __init__(self, object_name: str, detail: str) -> None:
        super().__init__(
            f"Error while loading schema, check comment directives. {detail}, in the comment on {object_name}"
        )


class DirectiveReader:
    """Reads comments by a set of known directives, each text once. Safe to share between threads."""

    def __init__(self, known: Iterable[Directive]) -> None:
        self._shapes: dict[str, dict[str, Shape]] = defaultdict(dict)
        for directive in known:
            if directive.key in self._shapes[directive.on]:
                raise ValueError(f"the directive {directive.key} on a {directive.on} is declared twice")
            self._shapes[directive.on][directive.key] = directive.shape
        self._read_text = lru_cache(_REMEMBERED)(self._interpret)

    def read(self, on: Commented, comment: str | None, object_name: str) -> Directives:
        """The directives in ``comment``, validated and frozen; those that nobody declared are left out.

        ``object_name``, such as ``table public.account``, is for the message of ``DirectiveError``.
        """
        if comment is None or not has_directives(comment):
            return _NONE
        try:
            return self._read_text(on, comment)
        except ShapeError as error:
            where = f" at {error.path.removeprefix('.')}" if error.path else ""
            raise DirectiveError(object_name, f"{error.detail}{where}") from None

    def _interpret(self, on: Commented, comment: str) -> Directives:
        mark = _MARK.search(comment)
        if mark is None:
            return _NONE
        shapes = self._shapes.get(on, {})
        written = Object(required={}, optional=shapes).read(_parse(mark.group(1)))
        return written if written is not None else _NONE


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
