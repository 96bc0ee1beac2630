"""Answers introspection fields from the types of the role's schema; the result is a constant of the plan."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import Any, cast

from graphql import (
    DocumentNode,
    FieldNode,
    FieldsOnCorrectTypeRule,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLNamedType,
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
from app.packed_text import AnyText, packed_text, size_of
from schema_cache.collector import collector_paused

KEPT = 256
"""The number of answers that are kept for each schema. One of 64 KiB or more, packed, counts as several; that of a
schema of 1,100 tables, 67 MB of JSON, has 3 MiB."""

META_FIELDS = frozenset(DESCRIBED)
NECESSARY_RULES = (FieldsOnCorrectTypeRule, KnownArgumentNamesRule, MaxIntrospectionDepthRule)
OF_ALL_TYPES = frozenset(("types", "possibleTypes"))
"""The introspection fields that list all types."""

_MOST_DESCRIBING = 3
"""How many threads may describe all types or wait for their turn; the others stay free for other requests."""


class Descriptions:
    """The answers for one schema. Long ones are packed, which makes them 20 times smaller."""

    def __init__(self) -> None:
        self._kept: BoundedCache[AnyText] = BoundedCache(KEPT)
        self._describing = Lock()
        self._places = BoundedSemaphore(_MOST_DESCRIBING)

    def get(self, key: Hashable) -> AnyText | None:
        """The JSON text of an earlier answer with this key."""
        return self._kept.get(key)

    def put(self, key: Hashable, text: AnyText) -> None:
        self._kept.put(key, text, size_of(text))

    @contextmanager
    def describing_all(self) -> Iterator[None]:
        """Held while all types are described, by one thread at a time: two would take twice the memory. Raises
        Unavailable if one thread holds it and others already wait."""
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
) -> AnyText:
    """The JSON text of one introspection field, which ``nodes`` select at the root of a query.

    Raises DocumentError if the selection is not valid, and Unavailable if too many requests need all types.
    """
    document = _only(operation, fragments, nodes)
    values = _steer_all(document, variables)
    descriptions = api.shared("introspection", Descriptions)
    cache_key = _cache_key(document, nodes, values)
    answer = descriptions.get(cache_key)
    if answer is None:
        if _needs_all_types(document):
            # The types made here are freed one by one. The collector would only look at those that stay.
            with descriptions.describing_all(), collector_paused:
                answer = descriptions.get(cache_key)
                if answer is None:
                    copy = api.passing()
                    answer = _answer(copy, document, fragments, nodes, values, copy.each_type())
                    descriptions.put(cache_key, answer)
        else:
            with api.making():
                answer = _answer(api, document, fragments, nodes, values)
            descriptions.put(cache_key, answer)
    return answer


def schema_text(api: ApiSchema, key: str, describe: Callable[[ApiSchema], Iterable[bytes]]) -> AnyText:
    """The text that ``describe`` writes about all types of a schema, of which it gets a copy whose types are freed. The
    text is kept under ``key``. Raises Unavailable if too many requests need all types."""
    descriptions = api.shared("introspection", Descriptions)
    text = descriptions.get(key)
    if text is None:
        with descriptions.describing_all(), collector_paused:
            text = descriptions.get(key)
            if text is None:
                text = packed_text(describe(api.passing()))
                descriptions.put(key, text)
    return text


def _cache_key(document: DocumentNode, nodes: Sequence[FieldNode], values: Mapping[str, Any]) -> Hashable:
    """Everything that the answer depends on. The response key is not part of it."""
    selected = [(print_ast(each.selection_set) if each.selection_set else "", *_arguments(each)) for each in nodes]
    fragments = [print_ast(each) for each in document.definitions if isinstance(each, FragmentDefinitionNode)]
    return nodes[0].name.value, tuple(selected), tuple(fragments), whole_value(dict(values))


def _arguments(node: FieldNode) -> list[str]:
    return [print_ast(each) for each in (*(node.arguments or ()), *(node.directives or ()))]


def _needs_all_types(document: DocumentNode) -> bool:
    """Whether the answer may need all types of the schema, rather than those that the document names."""
    return any(isinstance(node, FieldNode) and node.name.value in OF_ALL_TYPES for node in nodes_of(document))


def _answer(
    api: ApiSchema,
    document: DocumentNode,
    fragments: Mapping[str, FragmentDefinitionNode],
    nodes: Sequence[FieldNode],
    values: Mapping[str, Any],
    types: Iterable[GraphQLNamedType] = (),
) -> AnyText:
    """``types``: all types of the schema, if the answer may need them."""
    schema = api.unchecked
    if not api.dialect.validates:
        _check(api, document)
    operation = cast(OperationDefinitionNode, document.definitions[0])
    given = get_variable_values(schema, operation.variable_definitions or (), dict(values))
    if not isinstance(given, VariableValues):
        raise _refused(given)
    selector = Selector(schema, api.dialect, fragments, Variables(values, Steering()))
    try:
        describer = Describer(schema, selector, given, oddities=api.dialect.introspection_oddities)
        return packed_text(describer.text(nodes, types))
    except GraphQLError as ex:
        raise _refused([ex]) from None


def _refused(errors: Sequence[GraphQLError]) -> DocumentError:
    return DocumentError(errors[0].message, "GRAPHQL_VALIDATION_FAILED", list(errors))


def _check(api: ApiSchema, document: DocumentNode) -> None:
    """Raise DocumentError for unknown fields and arguments, and for nested lists of types and fields, which multiply
    the size of the answer: introspection needs these checks even in a dialect that does not validate."""
    errors = validate(api.unchecked, document, NECESSARY_RULES)
    if errors:
        raise _refused(errors)


def _only(
    operation: OperationDefinitionNode, fragments: Mapping[str, FragmentDefinitionNode], nodes: Sequence[FieldNode]
) -> DocumentNode:
    """A document with only these fields of the operation."""
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
    """The values of the variables that occur in the document. All of them steer, so they become part of the plan's
    key."""
    values = {}
    for name in variable_names(document):
        value = variables.get(name)
        if value is not ABSENT:
            variables.steer((name,), whole_value)
            values[name] = value
    return values
