"""Documents that differ in literals alone have one form: the text without their numbers and strings.

A form is found without parsing, so it must never be that of two documents that mean different things. Whatever is not
certainly a number or a string as GraphQL's grammar has it stays in the form as it is, or leaves the document without
one. Equal literals have the same name, because a document may ask for one field twice if the arguments are equal.
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
"""Whether a literal is a string, and its value, or its text if it is a number: those of -0.0 and 0.0 differ."""

# Begins with a set of characters, so that the others are skipped quickly. What was found is told by an empty group.
# (?!) fails where it stands: in Python 3.11.2 what follows a possessive group begins where its last alternative failed.
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
# What JSON reads otherwise than GraphQL does.
_OTHER_ESCAPE = re.compile(r"\\u(?:\{|d[89a-f])", re.IGNORECASE)
_PASSED = frozenset({"alias", "description", "name", "type_condition", "variable_definitions"})
_LEADING_TO_LITERALS = {
    kind: tuple(key for key in keys if key not in _PASSED) for kind, keys in QUERY_DOCUMENT_KEYS.items()
}
_LITERALS = (IntValueNode, FloatValueNode, StringValueNode)
_MARK = "\0"
_LONGEST_NUMBER = 40

MAX_LITERALS = 1000
"""A document with more literals and comments keeps them in its form: reading them takes a microsecond each."""


class DocumentShape(NamedTuple):
    """``text`` has a mark and a name in the place of each literal. ``literals`` are their values by these names, which
    no variable of GraphQL can have, and ``names`` the names by what the syntax tree has of a literal."""

    text: str
    literals: Mapping[str, Any]
    names: Mapping[LiteralKey, str]


class _NotMarked(Exception):
    """The document has a string that is not read here, or too many literals."""


def shape_of(text: str) -> DocumentShape:
    """The form of a document. One that introspects has its literals in it: what describes a schema depends on them."""
    if _MARK in text or _INTROSPECTION.search(text):
        return DocumentShape(text, {}, {})
    marking = _Marking()
    try:
        shape = _TOKEN.sub(marking.mark, text)
    except (_NotMarked, ValueError):
        return DocumentShape(text, {}, {})
    return DocumentShape(shape, marking.values, marking.names)


def lifted(node: AnyNode, shape: DocumentShape) -> AnyNode:
    """An operation or a fragment with variables in the place of its literals. Defaults of variables stay."""
    return cast(AnyNode, _lifted(node, shape.names)) if shape.names else node


def _lifted(node: Node, names: Mapping[LiteralKey, str]) -> Node:
    """Half of the work of graphql-core's ``visit``: what cannot have literals below it is not visited."""
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
    """The node with some fields changed, in a fraction of the time that its class takes to make another one."""
    made = object.__new__(type(node))
    vars(made).update(vars(node), **changed)
    return made


def _key(node: IntValueNode | FloatValueNode | StringValueNode) -> LiteralKey:
    """What a node has of a literal; the key of none for a block string."""
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
        """What stands for a token in the form."""
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
    """What decides which types take a literal, whatever its value."""
    if isinstance(value, str):
        return "s"
    if isinstance(value, float):
        return "f"
    return "i" if -(2**31) <= value < 2**31 else "l"
