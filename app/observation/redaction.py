"""GraphQL documents without what may be secret in them: their literals and comments."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from graphql import FloatValueNode, GraphQLError, IntValueNode, StringValueNode, Visitor, parse, print_ast, visit

_LONGEST = 8192


def without_literals(text: str) -> str:
    """The document with an empty string or 0 for each literal of that kind, and without comments; '' if it cannot be
    parsed. It ends with … where it was cut."""
    try:
        told = print_ast(visit(parse(text), _Literals()))
    except (GraphQLError, RecursionError):
        return ""
    return told if len(told) <= _LONGEST else told[:_LONGEST] + "…"


def key_of(document: str, operation_name: str) -> str:
    """A short key of an operation, from its document without literals."""
    return blake2b(f"{operation_name}\0{document}".encode(errors="replace"), digest_size=8).hexdigest()


class _Literals(Visitor):
    def leave_string_value(self, node: StringValueNode, *_: Any) -> StringValueNode:
        return StringValueNode(value="", block=False, loc=node.loc)

    def leave_int_value(self, node: IntValueNode, *_: Any) -> IntValueNode:
        return IntValueNode(value="0", loc=node.loc)

    def leave_float_value(self, node: FloatValueNode, *_: Any) -> FloatValueNode:
        return FloatValueNode(value="0", loc=node.loc)
