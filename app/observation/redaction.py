"""Removes the parts of GraphQL documents that may be secret: literals and comments."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from graphql import FloatValueNode, GraphQLError, IntValueNode, StringValueNode, Visitor, parse, print_ast, visit

_MAX_LENGTH = 8192


def without_literals(text: str) -> str:
    """The document with each literal replaced by an empty string or 0, and without comments; '' if it cannot be parsed.
    A long one is cut and ends with "…"."""
    try:
        printed = print_ast(visit(parse(text), _Literals()))
    except (GraphQLError, RecursionError):
        return ""
    return printed if len(printed) <= _MAX_LENGTH else printed[:_MAX_LENGTH] + "…"


def key_of(document: str, operation_name: str) -> str:
    """A short key of an operation. ``document`` is without literals."""
    return blake2b(f"{operation_name}\0{document}".encode(errors="replace"), digest_size=8).hexdigest()


class _Literals(Visitor):
    def leave_string_value(self, node: StringValueNode, *_: Any) -> StringValueNode:
        return StringValueNode(value="", block=False, loc=node.loc)

    def leave_int_value(self, node: IntValueNode, *_: Any) -> IntValueNode:
        return IntValueNode(value="0", loc=node.loc)

    def leave_float_value(self, node: FloatValueNode, *_: Any) -> FloatValueNode:
        return FloatValueNode(value="0", loc=node.loc)
