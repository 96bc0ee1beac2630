"""Compares mutations with the same changes in SQL: whether both succeed, or fail for the same reason. All changes are
rolled back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphql import GraphQLField, get_named_type, is_leaf_type
from sqlalchemy import delete, insert, update

from app.graphql.schema.relations import ApiColumn
from app.verification.questions import Question
from app.verification.result import ResultOrFailure, Value
from app.verification.sql import typed
from app.verification.target import ComparedRelation, Sample


def compare_writes(target: ComparedRelation, sample: Sample) -> None:
    """Compare four changes: an update of the sample row with its own values, its deletion, an insert of the same row,
    and an insert without the columns that have defaults."""
    root = target.sides.schema.graphql.mutation_type
    name, fields = target.relation.type_name, root.fields if root is not None else {}
    if not all(each.field_name in target.argument_members("filter") for each in target.key):
        return
    if f"update{name}Collection" in fields:
        _update(target, sample, fields[f"update{name}Collection"])
    if f"deleteFrom{name}Collection" in fields:
        question = Question(
            f"deleteFrom{name}Collection(filter: {_filter(target)}) {{ affectedCount }}", _key(target, sample)
        )
        _compare(target, "delete", question, delete(target.relation.table).where(*target.is_the_row(sample)))
    if f"insertInto{name}Collection" in fields:
        _insert(target, sample, fields[f"insertInto{name}Collection"])


def _update(target: ComparedRelation, sample: Sample, field: GraphQLField) -> None:
    given = _given(target, sample, get_named_type(field.args["set"].type), lambda column: True)
    if given:
        key = _key(target, sample)
        place = len(key)
        text = (
            f"update{target.relation.type_name}Collection(set: ${place}, filter: {_filter(target)}) {{ affectedCount }}"
        )
        variables = (
            *key,
            (str(field.args["set"].type), {each.field_name: sample.printed[each.field_name] for each in given}),
        )
        statement = update(target.relation.table).where(*target.is_the_row(sample)).values(_values(sample, given))
        _compare(target, "update", Question(text, variables), statement)


def _insert(target: ComparedRelation, sample: Sample, field: GraphQLField) -> None:
    type_: Any = field.args["objects"].type
    for kind, takes in (("insert", _any), ("insert with defaults", _without_default)):
        given = _given(target, sample, get_named_type(type_), takes)
        if given:
            row = {each.field_name: sample.printed[each.field_name] for each in given}
            question = Question(
                f"insertInto{target.relation.type_name}Collection(objects: $0) {{ affectedCount }}",
                ((str(type_), [row]),),
            )
            _compare(target, kind, question, insert(target.relation.table).values(_values(sample, given)))


def _any(column: ApiColumn) -> bool:
    return True


def _without_default(column: ApiColumn) -> bool:
    return not (column.column.has_default or column.column.identity)


def _given(target: ComparedRelation, sample: Sample, type_: Any, takes: Callable[[ApiColumn], bool]) -> list[ApiColumn]:
    """The columns that the input type has, and whose printed value can be sent back as it is."""
    return [
        each
        for name, each in target.columns.items()
        if name in type_.fields
        and name in target.comparators
        and is_leaf_type(get_named_type(type_.fields[name].type))
        and sample.printed[name] is not None
        and takes(each)
    ]


def _values(sample: Sample, columns: list[ApiColumn]) -> dict[str, Any]:
    return {each.name: typed(sample.texts[each.name], each.column.type_text) for each in columns}


def _filter(target: ComparedRelation) -> str:
    return f"{{{', '.join(f'{each.field_name}: {{eq: ${place}}}' for place, each in enumerate(target.key))}}}"


def _key(target: ComparedRelation, sample: Sample) -> tuple[tuple[str, Any], ...]:
    members = target.argument_members("filter")
    types = (get_named_type(members[each.field_name].type).fields["eq"].type for each in target.key)
    return tuple((str(type_), sample.printed[each.field_name]) for type_, each in zip(types, target.key, strict=True))


def _compare(target: ComparedRelation, kind: str, question: Question, statement: Any) -> None:
    sides = target.sides
    sides.report.compare(
        kind,
        target.name,
        question,
        lambda: _succeeded(sides.api.try_mutation(question)),
        lambda: _succeeded(sides.sql.try_statement(statement)),
        lambda printed, sql: True,
    )


def _succeeded(result: ResultOrFailure) -> ResultOrFailure:
    return Value(True) if isinstance(result, Value) else result
