"""Enums of exposed schemas. The directive ``mappings`` in a comment renames their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLEnumType, GraphQLEnumValue, GraphQLNamedType
from sqlalchemy import ColumnElement, case

from app.errors import RequestError
from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.values.types import ValueType
from app.hooks import hookimpl
from app.query.sql.constructs import as_text, constant
from schema_cache.directive_values import Renaming, String
from schema_cache.directives import Directive
from schema_cache.model import Type


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("enum", "name", String()), Directive("enum", "mappings", Renaming()))


@hookimpl
def database_types(api: ApiSchema) -> Sequence[GraphQLNamedType]:
    """In a dialect that lists all enums: the enums of exposed schemas that the role may use."""
    if not api.dialect.lists_all_enums:
        return ()
    shown = {schema.name for schema in api.schemas}
    enums = (each.oid for each in api.catalog.types if each.kind == "e" and each.schema in shown)
    known = (api.value_type(oid) for oid in enums if api.view.usable_type(oid))
    return [each.graphql for each in known if each is not None and isinstance(each.graphql, GraphQLEnumType)]


@dataclass(frozen=True)
class EnumText:
    """Converts a GraphQL enum value, or a string with its name, to its SQL label."""

    type_name: str
    labels: Mapping[str, str]

    def __call__(self, value: Any) -> str | None:
        if value is None:
            return None
        label = self.labels.get(value) if isinstance(value, str) else None
        if label is None:
            raise RequestError(f"Invalid input for {self.type_name} type")
        return label

    def __hash__(self) -> int:
        return hash(self.type_name)


@dataclass(frozen=True)
class EnumJson:
    """Prints an enum value: its label, or its name in ``renamed``."""

    renamed: tuple[tuple[str, str], ...]

    def __call__(self, expression: ColumnElement[Any]) -> ColumnElement[Any]:
        if not self.renamed:
            return expression
        label = as_text(expression)
        return case(*((label == constant(old), constant(new)) for old, new in self.renamed), else_=label)


@hookimpl
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    if type_.kind != "e" or type_.schema not in {schema.name for schema in api.schemas}:
        return None
    directives = api.comments.on("enum", f"{type_.schema}.{type_.name}", type_.comment)
    mappings: Mapping[str, str] = directives.get("mappings") or {}
    name = api.comments.type_name(type_.schema, type_.name, directives)
    labels = _labels_by_value(api, type_, mappings)
    listed = [value for value in labels if api.is_name(value) and value not in names.NOT_ENUM_VALUES]
    if not (api.is_name(name) and listed and api.claim(type_, name, f"{name}Filter")):
        return None
    graphql = api.named(
        name,
        lambda name: GraphQLEnumType(
            name, {value: GraphQLEnumValue(value) for value in listed}, description=directives.get("description")
        ),
    )
    renamed = tuple((label, value) for value, label in labels.items() if value != label)
    accepted = {value: labels[value] for value in listed} if api.dialect.validates else labels
    return ValueType(graphql=graphql, to_json=EnumJson(renamed), to_text=EnumText(name, accepted), filter=name)


def _labels_by_value(api: ApiSchema, type_: Type, mappings: Mapping[str, str]) -> dict[str, str]:
    if not api.dialect.all_enum_labels:
        return {mappings.get(label, label): label for label in type_.labels}
    # If two labels would have the same name, the one with a mapping to it comes first.
    mapped_first = sorted(type_.labels, key=lambda label: label not in mappings)
    values = names.enum_values([mappings.get(label, label) for label in mapped_first])
    value_of = dict(zip(mapped_first, values, strict=True))
    return {value_of[label]: label for label in type_.labels}
