"""Decides which relations and columns of a view the API shows, and which object owns each type name."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from app.graphql.schema import missing_keys, names
from app.graphql.schema.comments import Comments
from app.graphql.schema.dialect import Dialect
from app.graphql.schema.name_conflicts import NamesOf
from app.graphql.schema.notices import Notices, relation_subject
from app.graphql.schema.relations import ApiColumn, ApiRelation, SupportedColumns, is_exposed_kind, key_of
from app.graphql.values.types import ValueType
from schema_cache.model import Column, Relation
from schema_cache.role_view import RoleView, VisibleRelation


@dataclass(frozen=True)
class Exposure:
    """The rules by which a view's relations are shown. ``schemas``: the names of the schemas whose objects are shown.
    ``value_type_of``: the API's type for the values of a column. ``reserved``: the API's own type names."""

    view: RoleView
    dialect: Dialect
    comments: Comments
    schemas: frozenset[str]
    names_of: NamesOf
    value_type_of: Callable[[Column], ValueType | None]
    max_rows: int
    reserved: frozenset[str]
    notices: Notices
    _owners: dict[str, Hashable] = field(default_factory=dict)
    _type_names: dict[int, str] = field(default_factory=dict)

    def is_exposed(self, relation: Relation) -> bool:
        """Whether a relation can be shown to any role: relations of its kind are, and nothing hides it."""
        return is_exposed_kind(relation, self.dialect) and not self.view.exclusion.hides_relation(relation)

    def is_hidden(self, relation: Relation, column: Column) -> bool:
        """Whether a column is hidden from all roles."""
        return self.view.exclusion.hides_column(relation.schema, relation.name, column.name, column.comment)

    def is_name(self, name: str) -> bool:
        """Whether ``name`` may be used. GraphQL reserves two leading underscores: in a dialect that validates, one such
        name would make the whole schema invalid."""
        return names.is_valid(name) and not (self.dialect.validates and name.startswith("__"))

    def claim(self, owner: Hashable, type_names: Iterable[str]) -> bool:
        """Reserve these type names for ``owner``. False if the API, a relation or an earlier owner has one of them."""
        return not any(name in self.reserved or self._owners.setdefault(name, owner) != owner for name in type_names)

    def owns(self, owner: Hashable, name: str) -> bool:
        """Whether ``owner`` has claimed that type name."""
        return name not in self.reserved and name in self._owners and self._owners[name] == owner

    def free_name(self, owner: Hashable, name: str) -> str:
        """``name``, with underscores appended until no other owner has it."""
        while name in self.reserved or (name in self._owners and self._owners[name] != owner):
            name = f"{name}_"
        return name

    def relations(self) -> list[ApiRelation]:
        """The relations that are shown, in the view's order, but those without a key at the end."""
        considered = [
            each
            for each in self.view.relations
            if each.relation.schema in self.schemas and is_exposed_kind(each.relation, self.dialect)
        ]
        for visible in considered:
            for name in self.names_of(self.type_name(visible.relation)).types:
                self._owners.setdefault(name, visible.relation)
        self._make_value_types(considered)
        shown = (self._relation(visible) for visible in considered)
        return sorted((each for each in shown if each is not None), key=lambda each: not each.key)

    def _make_value_types(self, relations: Iterable[VisibleRelation]) -> None:
        """Make the types of all columns, in the order of the columns: some of them claim type names, and the first one
        gets a name."""
        for visible in (each for each in relations if each.select):
            allowed = visible.select | visible.insert | visible.update
            for column in visible.relation.columns:
                if column.name in allowed:
                    self.value_type_of(column)

    def type_name(self, relation: Relation) -> str:
        if relation.oid not in self._type_names:
            directives = self.comments.on_relation(relation)
            self._type_names[relation.oid] = self.comments.type_name(relation.schema, relation.name, directives)
        return self._type_names[relation.oid]

    def _relation(self, visible: VisibleRelation) -> ApiRelation | None:
        relation = visible.relation
        directives = self.comments.on_relation(relation)
        type_name = self.type_name(relation)
        key = key_of(relation, directives)
        self._note_missing(visible, key, type_name)
        self._note_refused_changes(visible)
        is_shown = bool(key) or self.dialect.keyless_rows
        if not (visible.select and is_shown and self.is_name(type_name)):
            return None
        of_schema = self.comments.on_schema(relation.schema)
        return ApiRelation(
            visible=visible,
            relation=relation,
            type_name=type_name,
            inflect=self.comments.inflects(relation.schema),
            max_rows=directives.get("max_rows", of_schema.get("max_rows", self.max_rows)),
            key=key,
            supported_columns=SupportedColumns(relation, partial(self._column, relation), self._is_writable),
            directives=directives,
        )

    def _note_missing(self, visible: VisibleRelation, key: tuple[str, ...], type_name: str) -> None:
        """Add a notice if the relation has no collection."""
        if not self.is_name(type_name):
            reason, fix = f"{type_name} is not a valid GraphQL name", 'comment it with @graphql({"name": "..."})'
        elif not key:
            directives = self.comments.on_relation(visible.relation)
            reason = missing_keys.reason(visible.relation, directives)
            fix = missing_keys.fix(visible.relation, visible.select)
        else:
            return
        field_name = f"{names.lower_first(type_name)}Collection"
        self.notices.add(relation_subject(visible.relation), reason, fix=fix, field=field_name)

    def _note_refused_changes(self, visible: VisibleRelation) -> None:
        """Add a notice if the API lacks changes of a table that the role is granted, because of a rule on the table."""
        of = visible.relation
        granted = ((visible.insert, of.insertable), (visible.update, of.updatable), (visible.delete, of.deletable))
        if of.kind in "rp" and any(allowed and not possible for allowed, possible in granted):
            reason = "some changes of its rows are left out: because of a rule, PostgreSQL refuses to return the rows"
            self.notices.add(relation_subject(of), reason, fix="use a trigger in place of the rule")

    def field_names_of_columns(self, relation: Relation) -> frozenset[str]:
        """The field names of all its columns that are not hidden, including those that the role may not read."""
        inflect = self.comments.inflects(relation.schema)
        return frozenset(
            [
                names.field(each.name, each.comment and self._on_column(relation, each).get("name"), inflect)
                for each in relation.columns
                if not self.is_hidden(relation, each)
            ]
        )

    def _on_column(self, relation: Relation, column: Column) -> Mapping[str, Any]:
        if column.comment is None:
            return {}
        return self.comments.on("column", f"{relation.schema}.{relation.name}.{column.name}", column.comment)

    def _value_type(self, column: Column, directives: Mapping[str, Any]) -> ValueType | None:
        value_type = self.value_type_of(column)
        return value_type and value_type.of_declared(directives.get("dimensions") or column.dimensions)

    def _is_writable(self, column: Column) -> bool:
        """Whether requests give the column values: the database does not generate them, and the role can name the
        column's type."""
        is_generated = column.generated or column.identity or column.serial
        return not is_generated and column.type not in self.view.unnamed_types

    def _column(self, relation: Relation, column: Column) -> ApiColumn | None:
        if self.is_hidden(relation, column):
            return None
        directives = self._on_column(relation, column)
        value_type = self._value_type(column, directives)
        field_name = names.field(column.name, directives.get("name"), self.comments.inflects(relation.schema))
        if value_type is None or not self.is_name(field_name):
            return None
        return ApiColumn(column, field_name, value_type, directives)
