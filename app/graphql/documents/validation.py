"""Validation by the rules of graphql-core, in a third of the time of its own ``validate``. Documents that pass the fast
check (``quick_validation.py``) need none of it.

graphql-core's function is slower for three reasons. It finds out anew for each document which rules have methods for
which kind of node. It visits names, which no rule uses, with a visitor that can edit the tree. And it caches facts
about a node by a hash of the whole tree below the node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    Node,
    TypeInfo,
    ValidationContext,
    Visitor,
    specified_rules,
)
from graphql.language.visitor import BREAK
from graphql.pyutils import RefMap
from graphql.validation.rules import overlapping_fields_can_be_merged
from graphql.validation.validate import ValidationAbortedError
from graphql.validation.validation_context import NodeWithSelectionSet, VariableUsage, VariableUsageVisitor

from app.graphql.documents.quick_validation import is_certainly_valid
from app.graphql.documents.selection import BELOW
from app.graphql.schema.fields import ABSENT_FIELD

_SUGGESTING = 5
"""How many errors of a document may suggest names: finding one takes 3 ms with 90 types, and longer with more."""

_MOST_NAMES = 2000
"""Names are suggested only in a schema with at most this number of types."""

_LARGE, _LONG = 1000, 50_000
"""A document with more tokens, or characters, is large: only its first errors are reported, without suggestions.
graphql-core scans the whole text to find the line of an error, and prints the whole object that has a wrong member."""

overlapping_fields_can_be_merged.MAX_COMPLEXITY_BUDGET = 30_000
"""How many comparisons of fields with the same name graphql-core makes before it gives up; each takes 3 us."""


def validate(
    schema: GraphQLSchema, document: DocumentNode, *, max_errors: int, hide_suggestions: bool
) -> list[GraphQLError]:
    """The errors of a document, the same as those of graphql-core's ``validate``, but only the first ones suggest
    names.

    If there are more than ``max_errors``, or too many fields to compare, the last one is a ValidationAbortedError.
    """
    if is_certainly_valid(schema, document):
        return []
    if _is_large(document):
        return _errors(schema, document, min(_SUGGESTING, max_errors), hide_suggestions=True)
    errors = _errors(schema, document, max_errors, hide_suggestions=True)
    if not errors or hide_suggestions or len(schema.type_map) > _MOST_NAMES:
        return errors
    # A second pass finds the suggestions: graphql-core suggests names for all errors of one literal or for none, so the
    # first pass could not stop suggesting after _SUGGESTING errors.
    suggesting = _errors(schema, document, _SUGGESTING, hide_suggestions=False)[:_SUGGESTING]
    return [*suggesting, *errors[len(suggesting) :]]


def _is_large(document: DocumentNode) -> bool:
    return (document.token_count or 0) > _LARGE or (document.loc is not None and document.loc.end > _LONG)


def _errors(
    schema: GraphQLSchema, document: DocumentNode, max_errors: int, *, hide_suggestions: bool
) -> list[GraphQLError]:
    errors: list[GraphQLError] = []

    def on_error(error: GraphQLError) -> None:
        if len(errors) >= max_errors:
            raise ValidationAbortedError("Too many validation errors, error limit reached. Validation aborted.")
        errors.append(_with_reason(error, type_info))

    type_info = TypeInfo(schema)
    context = _Context(schema, document, type_info, on_error, hide_suggestions)
    try:
        _Visit(type_info, [rule(context) for rule in specified_rules]).see(document)
    except ValidationAbortedError as ex:
        errors.append(ex)
    except RecursionError:
        errors.append(ValidationAbortedError("Validation aborted."))
    return errors


def _with_reason(error: GraphQLError, type_info: TypeInfo) -> GraphQLError:
    """The error, with a hint if it is about a missing field and the type knows why the field is missing."""
    node, parent = error.nodes[0] if error.nodes else None, type_info.get_parent_type()
    if parent is None or not isinstance(node, FieldNode):
        return error
    absent = parent.extensions.get(ABSENT_FIELD)
    reason = None if absent is None else absent(node.name.value)
    return error if reason is None else GraphQLError(error.message, error.nodes, extensions={"hint": reason})


class _Context(ValidationContext):
    """A context whose caches find nodes by identity instead of by a hash of the tree below them."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        for name in ("_variable_usages", "_recursive_variable_usages", "_fragment_spreads"):
            setattr(self, name, RefMap())
        self._usages: dict[int, list[VariableUsage]] = {}

    def get_variable_usages(self, node: NodeWithSelectionSet) -> list[VariableUsage]:
        usages = self._usages.get(id(node))
        if usages is None:
            visitor = VariableUsageVisitor(self._type_info, node if isinstance(node, FragmentDefinitionNode) else None)
            _Visit(self._type_info, [visitor]).see(node)
            usages = self._usages[id(node)] = visitor.usages
        return usages


_Methods = Sequence[tuple[int, Callable[..., Any]]]
"""Methods of rules, each with the index of its rule."""


class _Kind(NamedTuple):
    """The methods to call at a node of one kind, and its attributes that have child nodes."""

    enter_types: Callable[[Node], None] | None
    entering: _Methods
    below: Sequence[str]
    leaving: _Methods
    leave_types: Callable[[], None] | None


class _Visit:
    """Calls each rule at the nodes that it has methods for, like graphql-core's ``visit`` with visitors that edit
    nothing. A rule that skips the nodes below one is paused until that node is left."""

    def __init__(self, type_info: TypeInfo, rules: Sequence[Visitor]) -> None:
        self._type_info = type_info
        self._rules = rules
        self._classes = tuple(map(type, rules))
        self._kinds: dict[str, _Kind] = {}
        self._path: list[str | int] = []
        self._ancestors: list[Node | tuple[Node, ...]] = []
        self._paused = [False] * len(rules)

    def see(self, node: Node, key: str | int | None = None, parent: Node | tuple[Node, ...] | None = None) -> None:
        """Visit a node, which is under ``key`` in ``parent``, and all nodes below it."""
        kind = self._kinds.get(node.kind) or self._learn(node.kind)
        path, ancestors, paused = self._path, self._ancestors, self._paused
        if kind.enter_types is not None:
            kind.enter_types(node)
        skipping = []
        for index, method in kind.entering:
            if not paused[index]:
                result = method(node, key, parent, path, ancestors)
                if result is not None:
                    paused[index] = True
                    if result is not BREAK and result is not True:
                        skipping.append(index)
        if kind.below:
            self._see_below(node, parent, kind.below)
        for index, method in kind.leaving:
            if not paused[index]:
                method(node, key, parent, path, ancestors)
        for index in skipping:
            paused[index] = False
        if kind.leave_types is not None:
            kind.leave_types()

    def _see_below(self, node: Node, parent: Node | tuple[Node, ...] | None, keys: Sequence[str]) -> None:
        parts = [(key, below) for key in keys if (below := getattr(node, key))]
        if not parts:
            return
        path, ancestors = self._path, self._ancestors
        if parent is not None:
            ancestors.append(parent)
        for key, below in parts:
            path.append(key)
            if isinstance(below, tuple):
                ancestors.append(node)
                for index, each in enumerate(below):
                    path.append(index)
                    self.see(each, index, below)
                    path.pop()
                ancestors.pop()
            else:
                self.see(below, key, node)
            path.pop()
        if parent is not None:
            ancestors.pop()

    def _learn(self, kind: str) -> _Kind:
        entering, leaving = (
            [(index, getattr(self._rules[index], name)) for index, name in _methods(self._classes, event, kind)]
            for event in ("enter", "leave")
        )
        enter_types, leave_types = (getattr(self._type_info, f"{event}_{kind}", None) for event in ("enter", "leave"))
        learnt = self._kinds[kind] = _Kind(enter_types, entering, BELOW.get(kind, ()), leaving, leave_types)
        return learnt


@lru_cache(500)
def _methods(rules: Sequence[type[Visitor]], event: str, kind: str) -> Sequence[tuple[int, str]]:
    """The methods that rules have for an event at nodes of a kind: the index of the rule, and the method's name."""
    names = (next((name for name in (f"{event}_{kind}", event) if hasattr(rule, name)), None) for rule in rules)
    return [(index, name) for index, name in enumerate(names) if name]
