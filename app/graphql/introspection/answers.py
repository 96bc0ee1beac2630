"""Introspection: answered from the types of the role's schema, as a constant of the plan."""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import Any, cast

from graphql import (
    DocumentNode,
    FieldNode,
    FieldsOnCorrectTypeRule,
    FragmentDefinitionNode,
    GraphQLError,
    KnownArgumentNamesRule,
    MaxIntrospectionDepthRule,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableValues,
    get_variable_values,
    print_ast,
    validate,
)

from app.bounded_cache import BoundedCache
from app.errors import Unavailable
from app.graphql.documents.errors import DocumentError
from app.graphql.documents.selection import Selector, nodes_of, variable_names
from app.graphql.introspection.description import META_FIELDS as DESCRIBED
from app.graphql.introspection.description import Describer
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.values.values import ABSENT, Steering, Variables, whole_value
from schema_cache.collector import collector_paused

KEPT = 64
"""How much is remembered of each schema: answers that take up to 64 KiB when compressed, fewer of larger ones."""

META_FIELDS = frozenset(DESCRIBED)
NECESSARY_RULES = (FieldsOnCorrectTypeRule, KnownArgumentNamesRule, MaxIntrospectionDepthRule)
OF_ALL_TYPES = frozenset(("types", "possibleTypes"))
"""The fields of introspection that ask for all types."""

_MOST_DESCRIBING = 2
"""How many threads describe all types, or wait until they can. Others have the service's other requests to answer."""


class Descriptions:
    """The answers that one schema gave. They are kept compressed, which makes them 20 times smaller."""

    def __init__(self) -> None:
        self._kept: BoundedCache[bytes] = BoundedCache(KEPT)
        self._describing = Lock()
        self._places = BoundedSemaphore(_MOST_DESCRIBING)

    def get(self, asked: Hashable) -> bytes | None:
        """The json text that answered the same before."""
        packed = self._kept.get(asked)
        return None if packed is None else zlib.decompress(packed)

    def put(self, asked: Hashable, text: bytes) -> None:
        packed = zlib.compress(text, 1)
        self._kept.put(asked, packed, len(packed))

    @contextmanager
    def describing_all(self) -> Iterator[None]:
        """While all types are described: two threads that do it at once would take twice the memory. Raises Unavailable
        where one does it and another waits."""
        if not self._places.acquire(blocking=False):
            raise Unavailable("The schema is being described for other requests.", code="OVERLOADED", hint="Try again.")
        try:
            with self._describing:
                yield
        finally:
            self._places.release()


def introspect(
    api: ApiSchema,
    operation: OperationDefinitionNode,
    fragments: Mapping[str, FragmentDefinitionNode],
    nodes: Sequence[FieldNode],
    variables: Variables,
) -> bytes:
    """The json text of one introspection field, which ``nodes`` select at the root of a query.

    Raises DocumentError if the selection is not valid, and Unavailable if too many requests ask for all types.
    """
    document = _only(operation, fragments, nodes)
    values = _steer_all(document, variables)
    descriptions = api.shared("introspection", Descriptions)
    asked = _asked(document, nodes, values)
    answer = descriptions.get(asked)
    if answer is None:
        if _asks_for_all_types(document):
            # Types lead to one another. Those made here are young when they are left, so the next collection of young
            # objects, which is soon, takes all of them; after a collection in between only one of all objects would.
            with descriptions.describing_all(), collector_paused:
                answer = descriptions.get(asked) or _answer(api.anew(), document, fragments, nodes, values)
        else:
            with api.making():
                answer = _answer(api, document, fragments, nodes, values)
        descriptions.put(asked, answer)
    return answer


def _asked(document: DocumentNode, nodes: Sequence[FieldNode], values: Mapping[str, Any]) -> Hashable:
    """What an answer depends on, apart from its response key."""
    selected = [(print_ast(each.selection_set) if each.selection_set else "", *_arguments(each)) for each in nodes]
    fragments = [print_ast(each) for each in document.definitions if isinstance(each, FragmentDefinitionNode)]
    return nodes[0].name.value, tuple(selected), tuple(fragments), whole_value(dict(values))


def _arguments(node: FieldNode) -> list[str]:
    return [print_ast(each) for each in (*(node.arguments or ()), *(node.directives or ()))]


def _asks_for_all_types(document: DocumentNode) -> bool:
    """Whether an answer may need all types. Most documents that ask for one or a few need only those."""
    return any(isinstance(node, FieldNode) and node.name.value in OF_ALL_TYPES for node in nodes_of(document))


def _answer(
    api: ApiSchema,
    document: DocumentNode,
    fragments: Mapping[str, FragmentDefinitionNode],
    nodes: Sequence[FieldNode],
    values: Mapping[str, Any],
) -> bytes:
    schema = api.unchecked
    if not api.dialect.validates:
        _check(api, document)
    operation = cast(OperationDefinitionNode, document.definitions[0])
    given = get_variable_values(schema, operation.variable_definitions or (), dict(values))
    if not isinstance(given, VariableValues):
        raise _refused(given)
    selector = Selector(schema, api.dialect, fragments, Variables(values, Steering()))
    try:
        return Describer(schema, selector, given, oddities=api.dialect.introspection_oddities).text(nodes).encode()
    except GraphQLError as ex:
        raise _refused([ex]) from None


def _refused(errors: Sequence[GraphQLError]) -> DocumentError:
    return DocumentError(errors[0].message, "GRAPHQL_VALIDATION_FAILED", list(errors))


def _check(api: ApiSchema, document: DocumentNode) -> None:
    """The part of validation that introspection cannot do without: fields that do not exist, and nested lists of types
    and fields, which multiply the size of the answer."""
    errors = validate(api.unchecked, document, NECESSARY_RULES)
    if errors:
        raise _refused(errors)


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
            variables.steer((name,), whole_value)
            values[name] = value
    return values
