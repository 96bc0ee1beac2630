"""Finds the shape of a document: its text without numbers and strings, the same for documents that differ only in
those.

The shape is found without parsing, so two documents that mean different things must never have the same one. A token
that is not certainly a number or a string of GraphQL's grammar therefore stays in the shape, or the whole text becomes
the shape. Equal literals get the same name, because a document may select one field twice if the arguments are equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from operator import is_
from typing import Any, NamedTuple, TypeVar, cast

from graphql import (
    FloatValueNode,
    IntValueNode,
    NameNode,
    Node,
    StringValueNode,
    VariableNode,
)
from graphql.language.ast import QUERY_DOCUMENT_KEYS

AnyNode = TypeVar("AnyNode", bound=Node)

LiteralKey = tuple[bool, str]
"""Whether a literal is a string, and its value; for a number its text, since -0.0 and 0.0 are equal as values."""

# Begins with a set of characters, so that the others are skipped quickly. The named groups are empty; the one that took
# part says what was found. The alternative (?!) always fails: in Python 3.11.2 matching continues after a possessive
# group at the position where its last alternative failed, which for this one is the right position.
_TOKEN = re.compile(
    r"""
    [-"\#0-9] (?:
        (?<=") "" (?: [^"\\]++ | \\"{3} | \\(?!"{3}) | "(?!"") | (?!) )*+ "{3}       # a block string
      | (?<=") (?!"") (?: [^"\\\n\r\ud800-\udfff]++ | \\[^\n\r] )*+ " (?P<string>)
      | (?<=\#) [^\n\r]*+
      | (?: (?<=-)(?:0|[1-9]\d*+) | (?<![-\w.].) (?: (?<=0) | (?<=[1-9])\d*+ ) )
        (?: (?![\w.]) (?P<whole>) | (?:\.\d++)? (?:[eE][+-]?\d++)? (?![\w.]) (?P<real>) )
      | (?<=") (?P<stray>)
    )
    """,
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_INTROSPECTION = re.compile(r"__(?:schema|type)\b", re.ASCII)
# Escapes that JSON and GraphQL read differently.
_OTHER_ESCAPE = re.compile(r"\\u(?:\{|d[89a-f])", re.IGNORECASE)
_WITHOUT_LITERALS = frozenset({"alias", "description", "name", "type_condition", "variable_definitions"})
_LEADING_TO_LITERALS = {
    kind: tuple(key for key in keys if key not in _WITHOUT_LITERALS) for kind, keys in QUERY_DOCUMENT_KEYS.items()
}
_LITERALS = (IntValueNode, FloatValueNode, StringValueNode)
_MARK = "\0"
_LONGEST_NUMBER = 40

MAX_LITERALS = 1000
"""The text of a document with more literals and comments is its own shape. Reading them takes a microsecond each."""


class DocumentShape(NamedTuple):
    """``text`` has a mark and a name in place of each literal. ``literals``: the values by these names, which no
    variable of GraphQL can have. ``names``: the names by the keys of the literals in the syntax tree."""

    text: str
    literals: Mapping[str, Any]
    names: Mapping[LiteralKey, str]


class _NotMarked(Exception):
    """The document has a string that is not read here, or more than MAX_LITERALS."""


def shape_of(text: str) -> DocumentShape:
    """The shape of a document. That of an introspection document keeps its literals, because the response depends on
    them."""
    if _MARK in text or _INTROSPECTION.search(text):
        return DocumentShape(text, {}, {})
    marking = _Marking()
    try:
        shape = _TOKEN.sub(marking.mark, text)
    except (_NotMarked, ValueError):
        return DocumentShape(text, {}, {})
    return DocumentShape(shape, marking.values, marking.names)


def lifted(node: AnyNode, shape: DocumentShape) -> AnyNode:
    """An operation or a fragment with variables in place of its literals. Default values of variables stay."""
    return cast(AnyNode, _lifted(node, shape.names)) if shape.names else node


def _lifted(node: Node, names: Mapping[LiteralKey, str]) -> Node:
    """Half of the work of graphql-core's ``visit``, since nodes that cannot have literals below them are not
    visited."""
    if isinstance(node, _LITERALS):
        name = names.get(_key(node))
        return node if name is None else VariableNode(name=NameNode(value=name), loc=node.loc)
    changed: dict[str, Any] = {}
    for key in _LEADING_TO_LITERALS.get(node.kind, ()):
        below = getattr(node, key)
        if not below:
            continue
        if isinstance(below, Node):
            new: Any = _lifted(below, names)
            is_same = new is below
        else:
            new = tuple([_lifted(each, names) for each in below])
            is_same = all(map(is_, new, below))
        if not is_same:
            changed[key] = new
    return _with(node, changed) if changed else node


def _with(node: Node, changed: Mapping[str, Any]) -> Node:
    """A copy of the node with some fields changed. This takes a fraction of the time of calling its class."""
    made = object.__new__(type(node))
    vars(made).update(vars(node), **changed)
    return made


def _key(node: IntValueNode | FloatValueNode | StringValueNode) -> LiteralKey:
    """The key of a literal in the syntax tree; for a block string a key that no literal has."""
    if isinstance(node, StringValueNode):
        return (False, "") if node.block else (True, node.value)
    return False, node.value


class _Marking:
    """The values of the literals found so far, by their names."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.names: dict[LiteralKey, str] = {}
        self._left = MAX_LITERALS

    def mark(self, found: re.Match[str]) -> str:
        """The text that replaces a token in the shape."""
        token, kind = found[0], found.lastgroup
        self._left -= 1
        if kind == "stray" or self._left < 0:
            raise _NotMarked
        if kind is None or (kind != "string" and len(token) > _LONGEST_NUMBER):
            return token
        if kind == "string":
            text = _string(token)
            return self._named((True, text), text)
        return self._named((False, token), float(token) if kind == "real" else int(token))

    def _named(self, key: LiteralKey, value: Any) -> str:
        name = self.names.setdefault(key, str(len(self.names)))
        self.values[name] = value
        return f"{_MARK}{_kind(value)}{name}{_MARK}"


def _string(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    if _OTHER_ESCAPE.search(token):
        raise _NotMarked
    value: str = json.loads(token)
    return value


def _kind(value: Any) -> str:
    """The kind of a literal: literals of one kind are accepted by the same types, regardless of their values."""
    if isinstance(value, str):
        return "s"
    if isinstance(value, float):
        return "f"
    return "i" if -(2**31) <= value < 2**31 else "l"
