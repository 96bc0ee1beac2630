"""merge, setPath and removePath: updates of parts of jsonb documents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLEnumValue,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLString,
)
from sqlalchemy import ColumnElement, case, func, literal_column, or_, select
from sqlalchemy.dialects.postgresql import array

from app.errors import OverLimit, RequestError
from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.relations import ApiColumn, ApiRelation, OwnName, own_name
from app.graphql.values.types import ToText
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.plan.rows import Rows
from app.query.plan.walk import Field
from app.query.sql.constructs import as_text, builtin, cast_to, constant, fail_with
from app.query.sql.texts import StringText
from app.query.write.assignments import Assignments, operator_argument, own_operators_name, read_and_updated

MAX_STEPS = 100
"""The most steps in all paths of one argument: each makes the statement longer."""

HINT = 'docs/changes.md, "Operators"'


@hookimpl
def features() -> Sequence[str]:
    return ("update_operators",)


MERGE, SET_PATH, REMOVE_PATH = "Merge", "SetPath", "RemovePath"
"""Suffixes of the argument type names."""

COLUMN = "JSONColumn"


@hookimpl
def own_type_names_of(relation: ApiRelation) -> Sequence[OwnName]:
    operators = (own_operators_name(relation, kind) for kind in (MERGE, SET_PATH, REMOVE_PATH))
    return [*operators, own_name(relation, COLUMN)]


@hookimpl
def update_arguments(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    documents = [
        each
        for each in read_and_updated(relation)
        if api.catalog.type_by_oid[each.column.type].name == "jsonb" and each.field_name not in names.NOT_ENUM_VALUES
    ]
    merge = operator_argument(
        api, relation, MERGE, documents, _merged, "JSON objects whose members are set in the documents"
    )
    if merge is None:
        return None
    columns = {each.field_name: each for each in documents}
    of_paths = {"setPath": SetPath(api, relation, columns), "removePath": RemovePath(api, relation, columns)}
    return Fields(16, {"merge": merge, **{name: each.argument() for name, each in of_paths.items()}})


def _document(own: ColumnElement[Any]) -> ColumnElement[Any]:
    """The document of a column; an empty object for NULL and for the null of JSON, which the API prints the same."""
    return func.coalesce(func.nullif(own, _jsonb("null")), _jsonb("{}"))


def _jsonb(text: str) -> ColumnElement[Any]:
    return cast_to(constant(text), "jsonb")


@dataclass(frozen=True)
class ObjectText:
    """Converts a JSON object to text, and refuses other JSON values."""

    to_text: ToText

    def __call__(self, value: Any) -> str | None:
        text = self.to_text(value)
        try:
            is_object = text is None or isinstance(json.loads(text), dict)
        except (ValueError, RecursionError):
            is_object = False
        if not is_object:
            raise RequestError("merge needs a JSON object", code="BAD_USER_INPUT", hint=HINT)
        return text


def _merged(field: Field, column: ApiColumn, own: ColumnElement[Any], operand: Leaf) -> ColumnElement[Any]:
    members = field.planning.bind(operand, ObjectText(column.to_text), "jsonb")
    document = _document(own)
    return case(
        (builtin.jsonb_typeof(document) == constant("object"), document.op("||")(members)),
        else_=_failure(f"{column.field_name} holds no JSON object to merge with", document),
    )


def _failure(message: str, because: ColumnElement[Any]) -> ColumnElement[Any]:
    return cast_to(fail_with(message, as_text(builtin.jsonb_typeof(because))), "jsonb")


_step = StringText("String")


@dataclass(frozen=True)
class PathStep:
    """Converts a path to the text of one of its steps."""

    number: int

    def __call__(self, path: Any) -> str | None:
        text = _step(path[self.number] if isinstance(path, list) else path)
        if text is None:
            raise RequestError("Invalid input for NonNull type")
        return text


def number_of_steps(path: Any) -> int:
    """The path's length, on which the SQL depends."""
    return len(path) if isinstance(path, list) else 1


@dataclass(frozen=True)
class Paths:
    """An argument of one relation's updates: a list of inputs that each name a column and a path in its document. A
    subclass defines the change of the document, the suffix ``kind`` of its input type, and a ``description``."""

    api: ApiSchema
    relation: ApiRelation
    columns: Mapping[str, ApiColumn]

    kind: ClassVar[str]
    description: ClassVar[str]

    def argument(self) -> GraphQLArgument:
        column = self.api.own_type_name(*own_name(self.relation, COLUMN))
        type_ = self.api.named(
            self.api.own_type_name(*own_operators_name(self.relation, self.kind)),
            lambda name: GraphQLInputObjectType(name, lambda: self.members(column)),
        )
        return GraphQLArgument(
            GraphQLList(GraphQLNonNull(type_)), description=self.description, extensions={"assign": self._assign}
        )

    def members(self, column_type: str) -> dict[str, GraphQLInputField]:
        """The members of an input; ``column_type`` is the name of the enum of columns."""
        values = {each: GraphQLEnumValue(each) for each in self.columns}
        columns = self.api.named(column_type, lambda name: GraphQLEnumType(name, values))
        return {
            "column": GraphQLInputField(GraphQLNonNull(columns)),
            "path": GraphQLInputField(
                GraphQLNonNull(GraphQLList(GraphQLNonNull(GraphQLString))),
                description="The path to the part: members of objects, and indexes of array elements",
            ),
        }

    def changes(self, given: Mapping[str, Leaf | None]) -> bool:
        """Whether an input changes anything."""
        return True

    def changed(self, part: PathEnd, given: Mapping[str, Leaf | None]) -> ColumnElement[Any]:
        """The document after the change that an input describes."""
        raise NotImplementedError

    def _assign(self, field: Field, rows: Rows, given: Sequence[Mapping[str, Leaf | None]]) -> Assignments:
        new: Assignments = {}
        left = MAX_STEPS
        for each in given:
            column = self.columns[_given(each, "column").steer()]
            path = _given(each, "path")
            length = number_of_steps(path.steer(number_of_steps))
            left -= length
            if left < 0:
                raise OverLimit(f"The paths have more than {MAX_STEPS} steps")
            if not length:
                raise RequestError("A path has no steps", code="BAD_USER_INPUT", hint=HINT)
            if not self.changes(each):
                continue
            steps = [field.planning.bind(path, PathStep(number), "text") for number in range(length)]
            document = new.get(column.name, _document(rows.column(column.name)))
            new[column.name] = self.changed(PathEnd(field, rows, column, document, steps), each)
        return new


@dataclass(frozen=True)
class PathEnd:
    """The part at the end of a path: ``steps`` in the ``document`` of a column."""

    field: Field
    rows: Rows
    column: ApiColumn
    document: ColumnElement[Any]
    steps: Sequence[ColumnElement[Any]]


class RemovePath(Paths):
    """The argument removePath."""

    kind = REMOVE_PATH
    description = "Parts to remove"

    def changed(self, part: PathEnd, given: Mapping[str, Leaf | None]) -> ColumnElement[Any]:
        return part.document.op("#-")(array(part.steps))


class SetPath(Paths):
    """The argument setPath."""

    kind = SET_PATH
    description = "Parts to set; missing parents are created"

    def members(self, column_type: str) -> dict[str, GraphQLInputField]:
        json_type = next(iter(self.columns.values())).type.input
        value = GraphQLInputField(json_type, description="The new value; null is the null of JSON")
        return {**super().members(column_type), "value": value}

    def changes(self, given: Mapping[str, Leaf | None]) -> bool:
        return "value" in given

    def changed(self, part: PathEnd, given: Mapping[str, Leaf | None]) -> ColumnElement[Any]:
        leaf = given["value"]
        if leaf is None:
            return _with_value(part, _jsonb("null"))
        return _with_value(part, part.field.planning.bind(leaf, part.column.to_text, "jsonb"))


def _given(entry: Mapping[str, Leaf | None], member: str) -> Leaf:
    leaf = entry[member]
    if leaf is None:
        raise RequestError("Invalid input for NonNull type")
    return leaf


def _with_value(part: PathEnd, value: ColumnElement[Any]) -> ColumnElement[Any]:
    """The document with a value at the end of the path. It is built from the inside out, because jsonb_set creates only
    the last step of a path."""
    # OFFSET 0 keeps the planner from repeating the document, which may be an expression, in each place that uses it.
    source = select(part.document.label("document")).offset(literal_column("0")).correlate(part.rows.element)
    whole = source.subquery(part.field.planning.alias("source")).c.document
    name, steps = part.column.field_name, part.steps
    for number in reversed(range(len(steps))):
        there = whole if number == 0 else whole.op("#>")(array(steps[:number]))
        kind = builtin.jsonb_typeof(there)
        parent = case(
            (kind.in_((constant("object"), constant("array"))), there),
            (or_(kind.is_(None), kind == constant("null")), _jsonb("{}")),
            else_=_failure(f"setPath leads through a value of {name} that is neither object nor array", there),
        )
        value = builtin.jsonb_set(parent, array(steps[number : number + 1]), value)
    return select(value).scalar_subquery()
