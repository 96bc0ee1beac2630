"""Turns the text that the catalog statement returns into records.

The payload is a JSON object of flat lists of positional rows, as ``catalog_query.py`` defines them. Rows that belong
together are joined here. Equal access control lists become one object, because ``Privileges`` caches by its identity.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from schema_cache.collector import collector_paused
from schema_cache.decode_acls import read_acls
from schema_cache.decode_roles import read_roles
from schema_cache.distribution import Distribution, Placement
from schema_cache.effects import Effects, read_effects
from schema_cache.model import (
    Acl,
    Argument,
    Attribute,
    Catalog,
    Column,
    ForeignKey,
    Function,
    Relation,
    ResultColumn,
    Schema,
    Type,
    UniqueIndex,
)
from schema_cache.type_operators import TypeOperators, TypeRow, members_of_types, read_operators
from schema_cache.type_text import modified_type_text, type_text
from schema_cache.view_columns import with_fixed_columns
from schema_cache.view_keys import with_keys_of_views

Payload = Mapping[str, Any]
CatalogRow = Sequence[Any]

_OF_LIMITED_LENGTH = frozenset((1042, 1043, 1014, 1015))  # char(n), varchar(n), and arrays of them
_LENGTH_HEADER = 4  # the modifier of char(n) and varchar(n) is n + VARHDRSZ
_UPDATE, _INSERT, _DELETE = 1 << 2, 1 << 3, 1 << 4  # 1 << CmdType, as in the result of pg_relation_is_updatable
_VECTORS = frozenset({"int2vector", "oidvector"})  # arrays that are not named after their element
_INPUT_MODES = frozenset("ibv")
_OUTPUT_MODES = frozenset("obt")


def decode(payload: str | bytes) -> Catalog:
    """The catalog that the text describes. Raises ``ValueError``, ``KeyError`` or ``TypeError`` for any other text."""
    with collector_paused:
        return CatalogDecoder(json.loads(payload)).catalog()


class CatalogDecoder:
    """Holds the look-up tables for decoding one payload. ``known``: the catalog of which the payload has a part."""

    def __init__(self, payload: Payload, known: Catalog | None = None) -> None:
        self._payload = payload
        self._operators = read_operators(payload) if known is None else known.operators
        self._known_types = {} if known is None else known.type_by_oid
        self._known_relations = {} if known is None else known.relation_by_oid
        self._acls = read_acls(self._rows("acls"))
        self._schema_names: dict[int, str] = {oid: name for oid, name, *_ in self._rows("schemas")}
        self._quoted_schemas: dict[int, str] = {oid: quoted for oid, _, quoted, *_ in self._rows("schemas")}
        self._comments = {(catalog, oid, number): text for catalog, oid, number, text in self._rows("comments")}
        self._extension_members = frozenset(payload["extension_members"] or ())
        self.types = self._read_types()

    def catalog(self) -> Catalog:
        payload = self._payload
        database, owner = payload["database"]
        count = payload["change_count"]
        shared, contents = payload["shared"], payload["contents"]
        relations = tuple(with_keys_of_views(self.relations(), self._view_queries()))
        effects = self.effects(relations)
        return Catalog(
            version=f"{shared}-{contents}" if count is None else f"{count}-{shared}-{contents}",
            database=database,
            login=payload["login"],
            database_owner=owner,
            counted=count is not None,
            change_count=count or 0,
            shared_fingerprint=shared,
            contents_fingerprint=contents,
            schemas=self.schemas(),
            types=tuple(self.types.values()),
            relations=relations,
            functions=tuple(self.functions()),
            roles=tuple(read_roles(self._rows)),
            distributed=payload["distribution"] is not None,
            operators=self._operators,
            effects=effects,
            writes_run_code=self.writes_run_code(effects),
            snapshot=payload["snapshot"] or "",
            server_version=payload["server_version"],
        )

    def effects(self, relations: Iterable[Relation]) -> Effects:
        """The effects of code; ``relations`` are those of the whole catalog."""
        return read_effects(self._payload["effects"], {each.oid: (each.name, each.kind) for each in relations})

    def writes_run_code(self, effects: Effects) -> bool:
        return bool(self._payload["triggers"]) or effects.may_follow(self._payload["called_by_writes"] or ())

    def relations(self) -> list[Relation]:
        """The relations. Columns of views that show generated columns or identities of tables are not writable."""
        relations = list(self._read_relations())
        views = {oid: (changes, query) for oid, changes, query in self._rows("views_of_made_columns")}
        return with_fixed_columns(relations, views) if views else relations

    def _view_queries(self) -> dict[int, str]:
        return {oid: query for oid, query in self._rows("view_queries")}  # noqa: C416 (dict() fails in mypy)

    def _rows(self, key: str) -> Sequence[CatalogRow]:
        return self._payload.get(key) or ()

    def _acl(self, number: int) -> Acl:
        # A list without any grants has no row.
        return self._acls.get(number, ())

    def _comment(self, catalog: str, oid: int | None) -> str | None:
        return self._comments.get((catalog, oid, 0))

    def schemas(self) -> tuple[Schema, ...]:
        return tuple(
            Schema(oid, name, self._acl(acl), self._comment("pg_namespace", oid))
            for oid, name, _, acl in self._rows("schemas")
        )

    def _read_types(self) -> dict[int, Type]:
        rows = {row[0]: TypeRow(*row) for row in self._rows("types")}
        labels: dict[int, list[str]] = defaultdict(list)
        for oid, label in self._rows("labels"):
            labels[oid].append(label)
        attributes = self._read_attributes()
        members = members_of_types(self._payload, rows)
        operators = TypeOperators(self._operators, rows, members, self._known_types)
        types = {}
        for oid, row in rows.items():
            # An array is named after its element.
            named = rows.get(row.element) if row.name not in _VECTORS else None
            printed = named or row
            text = type_text(
                self._schema_names[printed.schema],
                self._quoted_schemas[printed.schema],
                printed.name,
                printed.quoted_name,
            )
            acl_type = row.element if row.element in rows else oid
            acl_type = self._operators.range_of.get(acl_type, acl_type)
            types[oid] = Type(
                oid=oid,
                schema=self._schema_names[row.schema],
                name=row.name,
                category=row.category,
                kind=row.kind,
                element=row.element,
                relation=row.relation,
                base=row.base,
                delimiter=row.delimiter,
                acl=self._acl(rows[acl_type].acl),
                text=f"{text}[]" if named else text,
                labels=tuple(labels.get(oid, ())),
                comment=self._comment("pg_type", oid),
                operators=operators.of(oid),
                equality=operators.equality(oid),
                has_json_cast=oid in self._operators.with_json_cast,
                attributes=tuple(attributes.get(oid, ())),
            )
        return types

    def _read_attributes(self) -> dict[int, list[Attribute]]:
        attributes: dict[int, list[Attribute]] = defaultdict(list)
        for oid, relation, number, name, type_, dimensions in self._rows("attributes"):
            comment = self._comments.get(("pg_class", relation, number))
            attributes[oid].append(Attribute(name, type_, dimensions, comment))
        return attributes

    def _text(self, oid: int) -> str:
        type_ = self.types.get(oid) or self._known_types.get(oid)
        return type_.text if type_ else "unknown"

    def _read_columns(self) -> dict[int, dict[int, Column]]:
        types = {**self._known_types, **self.types} if self._known_types else self.types
        acls = {(relation, number): self._acl(acl) for relation, number, acl in self._rows("column_acls")}
        serials = {(relation, number) for relation, number in self._rows("serials")}
        fixed = {(relation, number): changes for relation, number, changes in self._rows("fixed_columns")}
        nullable = {(relation, number) for relation, number in self._rows("unvalidated_not_nulls")}
        comments = {(oid, number): text for (catalog, oid, number), text in self._comments.items() if number}
        nondeterministic = {(relation, number) for relation, number in self._rows("nondeterministic")}
        noted = {*acls, *serials, *fixed, *nullable, *comments, *nondeterministic}
        columns: dict[int, dict[int, Column]] = defaultdict(dict)
        for (
            relation, number, name, type_oid, modifier, printed, not_null, has_default, generated, identity, dimensions
        ) in self._rows("columns"):  # fmt: skip
            type_ = types.get(type_oid)
            text = type_.text if type_ else "unknown"
            if printed is not None and type_:
                text = modified_type_text(type_.schema, text, printed)
            length = modifier - _LENGTH_HEADER if type_oid in _OF_LIMITED_LENGTH and modifier > 0 else None
            has_default = bool(has_default) and not generated
            column = Column(
                name, number, type_oid, text, length, bool(not_null), has_default, generated, identity,
                dimensions=dimensions,
            )  # fmt: skip
            place = relation, number
            if place in noted:
                changes = fixed.get(place, 0)
                column = column._replace(
                    not_null=column.not_null and place not in nullable,
                    serial=place in serials,
                    insertable=not changes & _INSERT,
                    updatable=not changes & _UPDATE,
                    acl=acls.get(place, ()),
                    comment=comments.get(place),
                    nondeterministic=place in nondeterministic,
                )
            columns[relation][number] = column
        return columns

    def _read_unique_indexes(self, columns: Mapping[int, Mapping[int, Column]]) -> dict[int, list[UniqueIndex]]:
        indexes: dict[int, list[UniqueIndex]] = defaultdict(list)
        for (
            relation, name, primary, partial, keys, oid, constraint, arbiter, nulls_distinct, elements, predicate, needs
        ) in self._rows("unique_indexes"):  # fmt: skip
            of_relation = columns[relation]
            named = tuple(of_relation[key].name for key in keys if key > 0)
            # Number 0 stands for the whole row.
            read = None if needs and 0 in needs else frozenset(of_relation[key].name for key in needs or ())
            indexes[relation].append(
                UniqueIndex(
                    name=name,
                    columns=named,
                    primary=bool(primary),
                    partial=bool(partial),
                    has_expressions=0 in keys,
                    constraint=constraint is not None,
                    arbiter=bool(arbiter),
                    nulls_distinct=bool(nulls_distinct),
                    elements=tuple(elements or ()),
                    predicate=predicate,
                    needs=read if read is None else read.union(named),
                    comment=self._comment("pg_constraint", constraint) or self._comment("pg_class", oid),
                    oid=oid,
                )
            )
        return indexes

    def _read_foreign_keys(self, columns: Mapping[int, Mapping[int, Column]]) -> dict[int, list[ForeignKey]]:
        keys: dict[int, list[ForeignKey]] = defaultdict(list)
        for relation, oid, name, foreign, local_numbers, foreign_numbers in self._rows("foreign_keys"):
            foreign_columns = columns.get(foreign) or self._known_columns(foreign)
            if not foreign_columns:
                continue
            keys[relation].append(
                ForeignKey(
                    oid,
                    name,
                    tuple(columns[relation][number].name for number in local_numbers),
                    foreign,
                    tuple(foreign_columns[number].name for number in foreign_numbers),
                    self._comment("pg_constraint", oid),
                )
            )
        return keys

    def _known_columns(self, oid: int) -> Mapping[int, Column]:
        relation = self._known_relations.get(oid)
        return {} if relation is None else {each.number: each for each in relation.columns}

    def _read_relations(self) -> Iterator[Relation]:
        columns = self._read_columns()
        filled = frozenset(self._rows("filled_on_insert"))
        indexes = self._read_unique_indexes(columns)
        keys = self._read_foreign_keys(columns)
        placed = {
            oid: (column, Placement(group, bool(each))) for oid, column, group, each in self._rows("distribution")
        }
        distribution = {oid: Distribution(column, at.group) for oid, (column, at) in placed.items() if column}
        for oid, schema, name, kind, row_type, security, changes, acl in self._rows("relations"):
            yield Relation(
                oid=oid,
                schema=self._schema_names[schema],
                name=name,
                kind=kind,
                row_type=row_type,
                row_security=bool(security),
                insertable=bool(changes & _INSERT),
                updatable=bool(changes & _UPDATE),
                deletable=bool(changes & _DELETE),
                acl=self._acl(acl),
                columns=tuple(columns[oid].values()) if oid in columns else (),
                unique_indexes=tuple(indexes.get(oid, ())),
                foreign_keys=tuple(keys.get(oid, ())),
                comment=self._comment("pg_class", oid),
                of_extension=oid in self._extension_members,
                filled_on_insert=oid in filled,
                distribution=distribution.get(oid),
                placement=placed[oid][1] if oid in placed else None,
            )

    def functions(self) -> Iterator[Function]:
        for (
            oid, schema, name, acl, types, modes, names, default_count, printed,
            returns, returns_set, rows, volatility
        ) in self._rows("functions"):  # fmt: skip
            modes = modes or ["i"] * len(types)
            names = names or [""] * len(types)
            printed = printed or [None] * len(types)
            inputs = [row for row in zip(names, types, modes, printed, strict=True) if row[2] in _INPUT_MODES]
            first_default = len(inputs) - default_count
            yield Function(
                oid=oid,
                schema=self._schema_names[schema],
                name=name,
                acl=self._acl(acl),
                arguments=tuple(
                    Argument(
                        argument,
                        type_,
                        self._text(type_),
                        # NULL if the text is missing because the function is being replaced at this moment.
                        (default or "NULL") if position >= first_default else None,
                        mode == "v",
                    )
                    for position, (argument, type_, mode, default) in enumerate(inputs)
                ),
                returns=returns,
                returns_set=bool(returns_set),
                rows=float(rows),
                volatility=volatility,
                comment=self._comment("pg_proc", oid),
                of_extension=oid in self._extension_members,
                columns=_result_columns(names, types, modes),
            )


def _result_columns(names: Sequence[str], types: Sequence[int], modes: Sequence[str]) -> tuple[ResultColumn, ...]:
    output = [row for row in zip(names, types, modes, strict=True) if row[2] in _OUTPUT_MODES]
    if len(output) == 1 and output[0][2] != "t":
        return ()
    # Columns without a name are named by their number.
    return tuple(ResultColumn(name or f"column{n}", type_) for n, (name, type_, _) in enumerate(output, start=1))
