"""Introspection: answered by graphql-core from the role's schema, as a constant of the plan."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FieldsOnCorrectTypeRule,
    FragmentDefinitionNode,
    KnownArgumentNamesRule,
    MaxIntrospectionDepthRule,
    OperationDefinitionNode,
    SelectionSetNode,
    execute_sync,
    print_ast,
    validate,
)

from app.graphql.api_schema import ApiSchema
from app.graphql.bounded_cache import BoundedCache
from app.graphql.errors import DocumentError
from app.graphql.introspection_oddities import odd_answer, with_oddities
from app.graphql.selection import variable_names
from app.graphql.values import ABSENT, Variables, whole_value

KEPT = 64
"""How much is remembered of each schema: answers of up to 64 KiB, fewer of larger ones."""

META_FIELDS = frozenset(("__schema", "__type"))
NECESSARY_RULES = (FieldsOnCorrectTypeRule, KnownArgumentNamesRule, MaxIntrospectionDepthRule)


def introspect(
    api: ApiSchema,
    operation: OperationDefinitionNode,
    fragments: Mapping[str, FragmentDefinitionNode],
    nodes: Sequence[FieldNode],
    variables: Variables,
) -> bytes:
    """The json text of one introspection field, which ``nodes`` select at the root of a query.

    Raises DocumentError if graphql-core rejects the selection.
    """
    document = _only(operation, fragments, nodes)
    values = _steer_all(document, variables)
    remembered: BoundedCache[bytes] = api.shared("introspection", lambda: BoundedCache(KEPT))
    key = _asked(document, nodes, values)
    answer = remembered.get(key)
    if answer is None:
        # The part of a schema that introspection shows has types of its own, which may not be made yet.
        with api.making():
            answer = _answer(api, document, nodes, values)
        remembered.put(key, answer, len(answer))
    return answer


def _asked(document: DocumentNode, nodes: Sequence[FieldNode], values: Mapping[str, Any]) -> Hashable:
    """What an answer depends on, apart from its response key."""
    selected = [(print_ast(each.selection_set) if each.selection_set else "", *_arguments(each)) for each in nodes]
    fragments = [print_ast(each) for each in document.definitions if isinstance(each, FragmentDefinitionNode)]
    return nodes[0].name.value, tuple(selected), tuple(fragments), whole_value(dict(values))


def _arguments(node: FieldNode) -> list[str]:
    return [print_ast(each) for each in (*(node.arguments or ()), *(node.directives or ()))]


def _answer(api: ApiSchema, document: DocumentNode, nodes: Sequence[FieldNode], values: Mapping[str, Any]) -> bytes:
    if not api.dialect.validates:
        _check(api, document)
    if api.dialect.introspection_oddities:
        document = with_oddities(api.unchecked, document)
    result = execute_sync(api.unchecked, document, variable_values=dict(values))
    if result.errors or result.data is None:
        errors = result.errors or []
        raise DocumentError(
            errors[0].message if errors else "Introspection failed", "GRAPHQL_VALIDATION_FAILED", errors
        )
    key = nodes[0].alias.value if nodes[0].alias else nodes[0].name.value
    answer = result.data[key]
    if api.dialect.introspection_oddities:
        answer = odd_answer(api.unchecked, document, answer)
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()


def _check(api: ApiSchema, document: DocumentNode) -> None:
    """The part of validation that introspection cannot do without: graphql-core would ignore unknown fields, and nested
    lists of types and fields multiply the size of the answer."""
    errors = validate(api.unchecked, document, NECESSARY_RULES)
    if errors:
        raise DocumentError(errors[0].message, "GRAPHQL_VALIDATION_FAILED", errors)


def _only(
    operation: OperationDefinitionNode, fragments: Mapping[str, FragmentDefinitionNode], nodes: Sequence[FieldNode]
) -> DocumentNode:
    """A document with nothing but these fields of the operation."""
    selected = OperationDefinitionNode(
        operation=operation.operation,
        name=operation.name,
        variable_definitions=operation.variable_definitions,
        directives=operation.directives,
        selection_set=SelectionSetNode(selections=tuple(nodes)),
        loc=operation.loc,
    )
    return DocumentNode(definitions=(selected, *fragments.values()))


def _steer_all(document: DocumentNode, variables: Variables) -> dict[str, Any]:
    """The values of the variables that occur in the document, which become part of the plan's key."""
    values = {}
    for name in variable_names(document):
        value = variables.get(name)
        if value is not ABSENT:
            variables.steering.add((name,), whole_value)
            values[name] = value
    return values
