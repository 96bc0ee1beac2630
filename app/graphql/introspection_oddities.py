"""pg_graphql's peculiarities of introspection, for clients that were made for them.

``__typename`` within introspection is the name of what is described, not of the introspection type (``__schema`` for
the schema), and the lists ``interfaces`` and ``enumValues`` are empty rather than null.
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


def odd_answer(schema: GraphQLSchema, document: DocumentNode, answer: Any) -> Any:
    """The answer with empty lists where pg_graphql has them instead of null, and its name for the schema."""
    info = TypeInfo(schema)
    lists: set[str] = set()
    names: set[str] = set()

    class Collect(Visitor):
        def enter_field(self, node: FieldNode, *_: Any) -> None:
            parent = info.get_parent_type()
            parent_name = get_named_type(parent).name if parent is not None else None
            key = node.alias.value if node.alias else node.name.value
            if parent_name == "__Type" and node.name.value in EMPTY_NOT_NULL:
                lists.add(key)
            elif parent_name == "__Schema" and node.name.value == "__typename":
                names.add(key)

    visit(document, TypeInfoVisitor(info, Collect()))
    filled = _filled(answer, lists)
    return filled if filled is None else {**filled, **{key: "__schema" for key in names if key in filled}}


def _filled(value: Any, keys: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: [] if item is None and key in keys else _filled(item, keys) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, keys) for item in value]
    return value
