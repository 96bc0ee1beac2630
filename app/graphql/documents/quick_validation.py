"""A fast check that recognizes most valid documents, so that graphql-core's validation rules need not run.

It covers the documents that clients usually send: one operation with variables and fragments on object types. For any
other document, such as one with directives, and for every error, the rules of graphql-core decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from graphql import (
    ArgumentNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLArgument,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    ListValueNode,
    NullValueNode,
    ObjectFieldNode,
    ObjectValueNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    ValueNode,
    VariableDefinitionNode,
    VariableNode,
    get_named_type,
    is_input_type,
    is_leaf_type,
    type_from_ast,
)
from graphql.utilities import is_type_sub_type_of, validate_input_literal

from app.graphql.values.coercion import non_null_members

MOST_REPEATED = 500
"""How many fields may repeat a response key of the same selection. graphql-core refuses documents with very many."""

_Fields = Mapping[str, FieldNode]
"""The fields of a selection by their response keys."""


class _Undecided(Exception):
    """The fast check cannot decide; the rules of graphql-core must."""


def is_certainly_valid(schema: GraphQLSchema, document: DocumentNode) -> bool:
    """Whether the document is valid by all rules of GraphQL, as far as the fast checks can tell. False is not a
    verdict: the document may be valid."""
    try:
        _QuickCheck(schema, document).check_operation()
    except (_Undecided, RecursionError):
        return False
    return True


class _QuickCheck:
    """Checks the parts of a document of one operation. Each method raises _Undecided unless its part is certainly
    valid."""

    def __init__(self, schema: GraphQLSchema, document: DocumentNode) -> None:
        self._schema = schema
        self._operation, self._fragments = _definitions(document)
        self._variables: dict[str, Any] = {}
        self._used: set[str] = set()
        self._spread: dict[str, _Fields | None] = {}
        self._repeated = 0

    def check_operation(self) -> None:
        operation = self._operation
        root = self._schema.get_root_type(operation.operation)
        if root is None or operation.directives or operation.operation is OperationType.SUBSCRIPTION:
            raise _Undecided
        for each in operation.variable_definitions or ():
            self._declare(each)
        self._selection(root, operation.selection_set)
        if self._used != self._variables.keys() or self._spread.keys() != self._fragments.keys():
            raise _Undecided

    def _declare(self, definition: VariableDefinitionNode) -> None:
        name, type_ = definition.variable.name.value, type_from_ast(self._schema, definition.type)
        if name in self._variables or not is_input_type(type_) or definition.directives:
            raise _Undecided
        if definition.default_value is not None:
            self._value(type_, definition.default_value)
        self._variables[name] = type_

    # Selections

    def _selection(self, parent: GraphQLObjectType, selected: SelectionSetNode) -> _Fields:
        """The fields of a selection, including those of its fragments. Fields of one response key are the same field,
        without arguments or selection, so one of them stands for all."""
        found: dict[str, FieldNode] = {}
        for key, node in self._selected(parent, selected):
            known = found.setdefault(key, node)
            if known is not node:
                self._repeat(known, node)
        if not found:
            raise _Undecided
        return found

    def _repeat(self, known: FieldNode, node: FieldNode) -> None:
        self._repeated += 1
        is_same = _is_plain(known) and _is_plain(node) and known.name.value == node.name.value
        if not is_same or self._repeated > MOST_REPEATED:
            raise _Undecided

    def _selected(self, parent: GraphQLObjectType, selected: SelectionSetNode) -> Iterator[tuple[str, FieldNode]]:
        for node in selected.selections:
            if node.directives:
                raise _Undecided
            if isinstance(node, FieldNode):
                self._field(parent, node)
                yield (node.alias or node.name).value, node
            elif isinstance(node, InlineFragmentNode):
                if node.type_condition is not None and node.type_condition.name.value != parent.name:
                    raise _Undecided
                yield from self._selection(parent, node.selection_set).items()
            elif isinstance(node, FragmentSpreadNode):
                yield from self._fragment(parent, node).items()

    def _fragment(self, parent: GraphQLObjectType, node: FragmentSpreadNode) -> _Fields:
        name = node.name.value
        fragment = self._fragments.get(name)
        if fragment is None or fragment.type_condition.name.value != parent.name:
            raise _Undecided
        if name not in self._spread:
            self._spread[name] = None
            self._spread[name] = self._selection(parent, fragment.selection_set)
        fields = self._spread[name]
        if fields is None:
            # The fragment is spread within itself.
            raise _Undecided
        return fields

    def _field(self, parent: GraphQLObjectType, node: FieldNode) -> None:
        definition = parent.fields.get(node.name.value)
        if definition is None:
            if node.name.value != "__typename" or not _is_plain(node):
                raise _Undecided
            return
        if definition.args or node.arguments:
            self._arguments(definition.args, node.arguments or ())
        type_ = get_named_type(definition.type)
        if node.selection_set is None:
            if not is_leaf_type(type_):
                raise _Undecided
        elif isinstance(type_, GraphQLObjectType):
            self._selection(type_, node.selection_set)
        else:
            raise _Undecided

    # Arguments and values

    def _arguments(self, known: Mapping[str, GraphQLArgument], given: Sequence[ArgumentNode]) -> None:
        names = self._given(known, given)
        for name, declared in known.items():
            if isinstance(declared.type, GraphQLNonNull) and name not in names and declared.default is None:
                raise _Undecided

    def _given(
        self,
        known: Mapping[str, GraphQLArgument] | Mapping[str, GraphQLInputField],
        given: Sequence[ArgumentNode] | Sequence[ObjectFieldNode],
    ) -> Set[str]:
        """The names of arguments, or of members of an input object, whose values fit."""
        nodes = {each.name.value: each.value for each in given}
        if len(nodes) < len(given):
            raise _Undecided
        for name, node in nodes.items():
            if name not in known:
                raise _Undecided
            self._value(known[name].type, node)
        return nodes.keys()

    def _value(self, type_: Any, node: ValueNode) -> None:
        if isinstance(node, VariableNode):
            self._variable(type_, node.name.value)
        elif isinstance(type_, GraphQLNonNull):
            if isinstance(node, NullValueNode):
                raise _Undecided
            self._value(type_.of_type, node)
        elif isinstance(node, NullValueNode):
            return
        elif isinstance(type_, GraphQLList):
            for each in node.values if isinstance(node, ListValueNode) else (node,):
                self._value(type_.of_type, each)
        elif isinstance(type_, GraphQLInputObjectType):
            if type_.is_one_of or not isinstance(node, ObjectValueNode):
                raise _Undecided
            if not self._given(type_.fields, node.fields) >= non_null_members(type_):
                raise _Undecided
        elif isinstance(node, (ObjectValueNode, ListValueNode)):
            # It may contain variables.
            raise _Undecided
        else:
            validate_input_literal(node, type_, _refuse, hide_suggestions=True)

    def _variable(self, type_: Any, name: str) -> None:
        declared = self._variables.get(name)
        if declared is None or not is_type_sub_type_of(self._schema, declared, type_):
            raise _Undecided
        self._used.add(name)


def _definitions(document: DocumentNode) -> tuple[OperationDefinitionNode, Mapping[str, FragmentDefinitionNode]]:
    operations, fragments = [], {}
    for each in document.definitions:
        if isinstance(each, OperationDefinitionNode):
            operations.append(each)
        elif isinstance(each, FragmentDefinitionNode) and not (each.directives or each.variable_definitions):
            fragments[each.name.value] = each
        else:
            raise _Undecided
    if len(operations) != 1 or len(fragments) != len(document.definitions) - 1:
        raise _Undecided
    return operations[0], fragments


def _is_plain(node: FieldNode) -> bool:
    return not node.arguments and node.selection_set is None


def _refuse(*_: Any) -> None:
    raise _Undecided
