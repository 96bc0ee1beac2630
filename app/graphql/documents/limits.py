"""Limits on a document and its variables. They are checked by counting, in linear time, before validation."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    Token,
    TokenKind,
)

from app.errors import OverLimit
from app.graphql.documents.errors import DocumentError

MAX_FRAGMENT_DEPTH = 50
"""How deep fragments may be nested in one another, in both dialects."""


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """The limits of a document, for all roles. ``depth`` is the highest one that a role can have; the rules of a role
    may be stricter. ``fields`` counts a fragment's fields wherever it is spread. ``variables`` counts the lists and
    objects in the values of the variables."""

    tokens: int
    depth: int
    root_fields: int
    aliases: int
    fields: int
    variables: int


@dataclass(frozen=True, slots=True)
class _Size:
    """The size of a selection. ``roots``: the number of fields on its first level."""

    roots: int = 0
    fields: int = 0
    aliases: int = 0
    depth: int = 0


def check_limits(
    operations: Sequence[OperationDefinitionNode],
    fragments: Mapping[str, FragmentDefinitionNode],
    limits: DocumentLimits,
) -> int:
    """The number of levels of fields in the deepest operation. Raises DocumentError for a document over a limit, which
    the message names, and for a cycle of fragments."""
    measure = _Measure(fragments)
    for name in fragments:
        measure.fragment(name)
    sizes = [measure.selections(operation.selection_set) for operation in operations]
    for size in sizes:
        check_depth(size.depth, limits.depth)
        for name, actual, limit in (
            ("root fields", size.roots, limits.root_fields),
            ("aliases", size.aliases, limits.aliases),
            ("fields", size.fields, limits.fields),
        ):
            if actual > limit:
                raise DocumentError(f"The operation has more than {limit} {name}", "LIMIT_EXCEEDED")
    return max((size.depth for size in sizes), default=0)


def check_numbers(document: DocumentNode) -> None:
    """Raises DocumentError for a whole number of more digits than Python converts; converting takes quadratic time."""
    most, at = sys.get_int_max_str_digits(), document.loc
    if at is None or not 0 < most < at.end:
        return
    token: Token | None = at.start_token
    while token is not None:
        if token.kind is TokenKind.INT and len((token.value or "").lstrip("-")) > most:
            message = f"The document has a whole number of more than {most} digits"
            raise DocumentError(message, "LIMIT_EXCEEDED", [GraphQLError(message, None, at.source, [token.start])])
        token = token.next


def check_depth(levels: int, limit: int) -> None:
    """Raises DocumentError for an operation whose fields are nested deeper than ``limit`` levels."""
    if levels > limit:
        raise DocumentError(f"The operation is more than {limit} levels deep", "LIMIT_EXCEEDED")


def check_variables(variables: Mapping[str, Any], limit: int) -> None:
    """Raises OverLimit if the values contain more than ``limit`` lists and objects. Each of these costs several
    microseconds in every step that reads the values; a scalar costs a fraction of one."""
    left = limit
    pending: list[Any] = [variables]
    while pending:
        value = pending.pop()
        items = value.values() if isinstance(value, dict) else value
        inner = [each for each in items if isinstance(each, (dict, list))]
        left -= len(inner)
        if left < 0:
            raise OverLimit(f"The variables hold more than {limit} lists and objects (VARIABLE_LIMIT)")
        pending.extend(inner)


class _Measure:
    """Measures selections, with their fragments expanded. Each fragment is measured once, so nesting fragments does not
    multiply the work."""

    def __init__(self, fragments: Mapping[str, FragmentDefinitionNode]) -> None:
        self._fragments = fragments
        self._sizes: dict[str, _Size] = {}
        self._open: list[str] = []

    def fragment(self, name: str) -> _Size:
        if name in self._sizes:
            return self._sizes[name]
        if name in self._open:
            raise DocumentError("Found a cycle between fragments", "GRAPHQL_VALIDATION_FAILED")
        if len(self._open) >= MAX_FRAGMENT_DEPTH:
            raise DocumentError(f"Fragment cycle depth is greater than {MAX_FRAGMENT_DEPTH}", "LIMIT_EXCEEDED")
        fragment = self._fragments.get(name)
        if fragment is None:
            return _Size()
        self._open.append(name)
        size = self.selections(fragment.selection_set)
        self._open.pop()
        self._sizes[name] = size
        return size

    def selections(self, selection_set: SelectionSetNode | None) -> _Size:
        roots = fields = aliases = depth = 0
        for node in selection_set.selections if selection_set else ():
            size = self._node(node)
            roots += size.roots
            fields += size.fields
            aliases += size.aliases
            depth = max(depth, size.depth)
        return _Size(roots, fields, aliases, depth)

    def _node(self, node: SelectionNode) -> _Size:
        if isinstance(node, FragmentSpreadNode):
            return self.fragment(node.name.value)
        if isinstance(node, InlineFragmentNode):
            return self.selections(node.selection_set)
        field = cast(FieldNode, node)
        below = self.selections(field.selection_set)
        return _Size(1, below.fields + 1, below.aliases + bool(field.alias), below.depth + 1)
