"""pg_graphql's peculiarities of introspection, for clients that were made for them.

``__typename`` within introspection is the name of what is described, not of the introspection type, and the lists
``interfaces`` and ``enumValues`` are empty rather than null.
"""

from __future__ import annotations

from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLSchema,
    NameNode,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    get_named_type,
    visit,
)

NAMED = frozenset(("__Type", "__Field", "__InputValue", "__EnumValue"))
EMPTY_NOT_NULL = frozenset(("interfaces", "enumValues"))


def with_oddities(schema: GraphQLSchema, document: DocumentNode) -> DocumentNode:
    """The document asking for ``name`` where it asks for the ``__typename`` of something described."""
    info = TypeInfo(schema)

    class Rename(Visitor):
        def enter_field(self, node: FieldNode, *_: Any) -> FieldNode | None:
            parent = info.get_parent_type()
            if node.name.value != "__typename" or parent is None or parent.name not in NAMED:
                return None
            alias = node.alias or NameNode(value="__typename")
            return FieldNode(name=NameNode(value="name"), alias=alias, directives=node.directives, loc=node.loc)

    renamed: DocumentNode = visit(document, TypeInfoVisitor(info, Rename()))
    return renamed


def without_nulls(schema: GraphQLSchema, document: DocumentNode, answer: Any) -> Any:
    """The answer with empty lists where pg_graphql has them instead of null."""
    info = TypeInfo(schema)
    keys: set[str] = set()

    class Collect(Visitor):
        def enter_field(self, node: FieldNode, *_: Any) -> None:
            parent = info.get_parent_type()
            if parent is not None and get_named_type(parent).name == "__Type" and node.name.value in EMPTY_NOT_NULL:
                keys.add(node.alias.value if node.alias else node.name.value)

    visit(document, TypeInfoVisitor(info, Collect()))
    return _filled(answer, keys)


def _filled(value: Any, keys: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: [] if item is None and key in keys else _filled(item, keys) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, keys) for item in value]
    return value
