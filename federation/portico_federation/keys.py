"""Entities: the relations whose rows other subgraphs can refer to, and the keys by which they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from graphql import GraphQLField, GraphQLObjectType, get_nullable_type, is_list_type, is_non_null_type

from portico import ApiRelation, ApiSchema, KeyPart, RequestError, RowKey, ToText, row_keys
from portico_federation.comments import ID, UNFEDERATED, directives_of
from portico_federation.values import checked, text_of_id


@dataclass(frozen=True, eq=False)
class EntityKey:
    """A key of an entity. ``fields``: the fields of the type that hold the values of its ``parts``; those that may be
    null are in ``nullable``."""

    parts: RowKey
    fields: tuple[str, ...]
    nullable: frozenset[str]

    def fits(self, representation: Mapping[str, Any]) -> bool:
        """Whether a representation has a value for each field. Null is one if the field may be null."""
        for name in self.fields:
            if representation.get(name) is None and not (name in representation and name in self.nullable):
                return False
        return True

    def texts(self, representation: Mapping[str, Any]) -> list[str] | None:
        """The key's values as PostgreSQL reads them; None if one is null, so that no row has the key. Raises
        RequestError for a value of the wrong type."""
        texts: list[str] = []
        for name, part in zip(self.fields, self.parts, strict=True):
            try:
                text = part.to_text(representation[name])
            except RequestError as ex:
                raise RequestError(f"{name}: {ex.message}", code="BAD_USER_INPUT", hint=ex.hint) from None
            if text is None:
                return None
            texts.append(text)
        return texts


class Entities:
    """The entities of a schema, by the names of their types. The keys of each are made on first use."""

    def __init__(self, api: ApiSchema) -> None:
        self._api = api
        self._relations = {each.type_name: each for each in api.relations if not each.directives.get(UNFEDERATED)}
        self._keys: dict[str, Sequence[EntityKey]] = {}

    def relation(self, type_name: str) -> ApiRelation:
        return self._relations[type_name]

    def keys(self, type_name: str) -> Sequence[EntityKey]:
        """The keys of the entity with that type; none if there is no such entity."""
        known = self._keys.get(type_name)
        if known is None:
            relation = self._relations.get(type_name)
            if relation is None:
                return ()
            with self._api.making():
                # Those of columns first: they are read faster than node ids.
                keys = sorted(_keys_of(self._api, relation), key=lambda each: not _is_of_columns(relation, each))
                known = self._keys[type_name] = tuple(keys)
        return known

    def types(self) -> list[GraphQLObjectType]:
        """The types of all entities. A row with a readable key has a node id; making its keys would make its fields."""
        has_key = (each for name, each in self._relations.items() if each.has_readable_key or self.keys(name))
        return [self._api.object_type(each) for each in has_key]

    def __bool__(self) -> bool:
        return any(self.keys(name) for name in self._relations)


def entities_of(api: ApiSchema) -> Entities:
    """The entities of a schema."""
    return api.shared("entities of the federation", partial(Entities, api))


def _keys_of(api: ApiSchema, relation: ApiRelation) -> Iterator[EntityKey]:
    fields = api.object_type(relation).fields
    for member, parts in row_keys(api, relation).items():
        names = tuple(part.member or member for part in parts)
        shown = [fields.get(name) for name in names]
        if all(each is not None and _is_key_field(each) for each in shown):
            nullable = (name for name in names if not is_non_null_type(fields[name].type))
            yield EntityKey(tuple(_part(relation, each) for each in parts), names, frozenset(nullable))


def _is_of_columns(relation: ApiRelation, key: EntityKey) -> bool:
    return {each.field_name for each in relation.columns}.issuperset(key.fields)


def _is_key_field(field: GraphQLField) -> bool:
    """Whether the federation permits the field in a key: it has no arguments and is no list."""
    is_federated = not directives_of(field.extensions).get(UNFEDERATED)
    return is_federated and not field.args and not is_list_type(get_nullable_type(field.type))


def _part(relation: ApiRelation, part: KeyPart) -> KeyPart:
    column = relation.by_name.get(part.column)
    to_text: ToText = part.to_text
    if column is not None and column.directives.get(ID):
        to_text = partial(text_of_id, to_text)
    return replace(part, to_text=checked(to_text, part.comparison.type_text))
