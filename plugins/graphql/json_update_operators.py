"""merge, setPath and removePath: updates of parts of jsonb documents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
from app.graphql import names
from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.relations import ApiColumn, ApiRelation, OwnName, own_name
from app.graphql.values import Leaf
from app.graphql.values_of_types import ToText
from app.hooks import hookimpl
from app.query.assignments import Assignments, operator_argument, own_operators_name, read_and_updated
from app.query.planning import Rows
from app.query.sql import as_text, cast_to, constant, fail_with
from app.query.texts import StringText
from app.query.walk import Field

MAX_STEPS = 100
"""How many steps the paths of one argument may have together: each makes the statement longer."""

HINT = 'docs/changes.md, "Operators"'


@hookimpl
def features() -> Sequence[str]:
    return ("update_operators",)


MERGE, SET_PATH, REMOVE_PATH = "Merge", "SetPath", "RemovePath"
"""What the names of the arguments' types begin with, behind the relation's."""

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
    merge = operator_argument(api, relation, MERGE, documents, _merged, "JSON objects, whose members are set")
    if merge is None:
        return None
    columns = {each.field_name: each for each in documents}
    set_path = Paths(api, relation, SET_PATH, columns).argument("Parts that are set; missing parents are made")
    remove_path = Paths(api, relation, REMOVE_PATH, columns).argument("Parts that are taken away")
    return Fields(16, {"merge": merge, "setPath": set_path, "removePath": remove_path})


def _document(own: ColumnElement[Any]) -> ColumnElement[Any]:
    """The document of a column: an empty object where it is null, or JSON's null, which the API prints alike."""
    return func.coalesce(func.nullif(own, _jsonb("null")), _jsonb("{}"))


def _jsonb(text: str) -> ColumnElement[Any]:
    return cast_to(constant(text), "jsonb")


@dataclass(frozen=True)
class ObjectText:
    """The text of a JSON object."""

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
        (func.jsonb_typeof(document) == constant("object"), document.op("||")(members)),
        else_=_failure(f"{column.field_name} holds no JSON object to merge with", document),
    )


def _failure(message: str, because: ColumnElement[Any]) -> ColumnElement[Any]:
    return cast_to(fail_with(message, as_text(func.jsonb_typeof(because))), "jsonb")


_step = StringText("String")


@dataclass(frozen=True)
class PathStep:
    """The text of one step of a path."""

    number: int

    def __call__(self, path: Any) -> str | None:
        text = _step(path[self.number] if isinstance(path, list) else path)
        if text is None:
            raise RequestError("Invalid input for NonNull type")
        return text


def number_of_steps(path: Any) -> int:
    """What of a path the SQL depends on."""
    return len(path) if isinstance(path, list) else 1


@dataclass(frozen=True)
class Paths:
    """setPath or removePath of one relation: a list of inputs that each name a column and a path into its document."""

    api: ApiSchema
    relation: ApiRelation
    kind: str
    columns: Mapping[str, ApiColumn]

    def argument(self, says: str) -> GraphQLArgument:
        column = self.api.own_type_name(*own_name(self.relation, COLUMN))
        type_ = self.api.named(
            self.api.own_type_name(*own_operators_name(self.relation, self.kind)),
            lambda name: GraphQLInputObjectType(name, lambda: self._members(column)),
        )
        return GraphQLArgument(
            GraphQLList(GraphQLNonNull(type_)), description=says, extensions={"assign": self._assign}
        )

    def _members(self, column_type: str) -> dict[str, GraphQLInputField]:
        values = {each: GraphQLEnumValue(each) for each in self.columns}
        columns = self.api.named(column_type, lambda name: GraphQLEnumType(name, values))
        members = {
            "column": GraphQLInputField(GraphQLNonNull(columns)),
            "path": GraphQLInputField(
                GraphQLNonNull(GraphQLList(GraphQLNonNull(GraphQLString))),
                description="The members of objects, and numbers of elements, that lead to the part",
            ),
        }
        if self.kind == "SetPath":
            json_type = next(iter(self.columns.values())).type.input
            members["value"] = GraphQLInputField(json_type, description="The new value; null is JSON's")
        return members

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
            steps = [field.planning.bind(path, PathStep(number), "text") for number in range(length)]
            document = new.get(column.name, _document(rows.column(column.name)))
            if self.kind == "SetPath":
                value = each.get("value")
                made = _jsonb("null") if value is None else field.planning.bind(value, column.to_text, "jsonb")
                new[column.name] = _with_part(field, rows, document, steps, made, column.field_name)
            else:
                new[column.name] = document.op("#-")(array(steps))
        return new


def _given(entry: Mapping[str, Leaf | None], member: str) -> Leaf:
    leaf = entry[member]
    if leaf is None:
        raise RequestError("Invalid input for NonNull type")
    return leaf


def _with_part(
    field: Field,
    rows: Rows,
    document: ColumnElement[Any],
    steps: Sequence[ColumnElement[Any]],
    value: ColumnElement[Any],
    name: str,
) -> ColumnElement[Any]:
    """A document with a value at the end of a path, made from the inside out: jsonb_set makes the last step only."""
    # OFFSET 0 keeps the planner from writing out the document, which may be an expression, once for each use.
    source = select(document.label("document")).offset(literal_column("0")).correlate(rows.element)
    whole = source.subquery(field.planning.alias("source")).c.document
    for number in reversed(range(len(steps))):
        part = whole if number == 0 else whole.op("#>")(array(steps[:number]))
        kind = func.jsonb_typeof(part)
        parent = case(
            (kind.in_((constant("object"), constant("array"))), part),
            (or_(kind.is_(None), kind == constant("null")), _jsonb("{}")),
            else_=_failure(f"setPath leads through a value of {name} that is neither object nor array", part),
        )
        value = func.jsonb_set(parent, array(steps[number : number + 1]), value)
    return select(value).scalar_subquery()
