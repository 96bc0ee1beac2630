"""Finds the operators that compare the values of a type: those of its default btree operator class for an order, and
for equality also those that PostgreSQL finds without an operator class.

Source of the rules: ``GetDefaultOpClass`` in PostgreSQL's src/backend/commands/indexcmds.c, ``lookup_type_cache`` in
src/backend/utils/cache/typcache.c, which finds the equality operators for the elements of arrays and rows, ``oper`` in
src/backend/parser/parse_oper.c, and the operator classes for ``anyarray``, ``anyenum``, ``anyrange`` and
``anymultirange``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from schema_cache.operators import Operators, OperatorTables

if TYPE_CHECKING:
    from schema_cache.model import Type

_ORDERED_AS_SUCH = frozenset("erm")  # enums, ranges and multiranges
_MULTIRANGES_FOLLOW_RANGES = 170000  # in older versions, multiranges had their own privileges
_USUAL = Operators()
_SHADOWED = Operators(*(f"OPERATOR(pg_catalog.{each})" for each in ("<", "<=", "=", ">=", ">", "<>")), is_shadowed=True)


class TypeRow(NamedTuple):
    """A row of the payload's types, as ``catalog_types.py`` selects it; ``schema_cache.model.Type`` explains it."""

    oid: int
    schema: int
    name: str
    quoted_name: str
    category: str
    kind: str
    element: int
    relation: int
    base: int
    delimiter: str
    acl: int


def read_operators(payload: Mapping[str, Any]) -> OperatorTables:
    """The operators and casts in the payload of a whole catalog."""
    usual = _SHADOWED if payload["shadowed"] else _USUAL
    of_class = {oid: _operators(schema, names, unequal, usual) for oid, schema, names, unequal in payload["operators"]}
    equal: dict[int, str] = {}
    for oid, schema in payload["equalities"]:
        equal.setdefault(oid, _named(schema, "=", usual))
    same_as: dict[int, list[int]] = {}
    becomes: dict[int, list[int]] = {}
    for source, target, binary in payload["coercions"]:
        (same_as if binary else becomes).setdefault(source, []).append(target)
    follow_ranges = payload["server_version"] >= _MULTIRANGES_FOLLOW_RANGES
    return OperatorTables(
        usual,
        of_class,
        of_class.keys() | set(payload["hash_classes"]),
        equal,
        same_as,
        becomes,
        frozenset(payload["json_casts"] or ()),
        dict(payload["ranges"] or ()) if follow_ranges else {},
    )


class TypeOperators:
    """Finds the operators of types. ``types`` are rows of a payload by oid, ``members`` the types of the members of the
    composite types among them. ``known``: the other types of the catalog, if the payload has only a part of them."""

    def __init__(
        self,
        tables: OperatorTables,
        types: Mapping[int, TypeRow],
        members: Mapping[int, Sequence[int]],
        known: Mapping[int, Type],
    ) -> None:
        self._tables = tables
        self._types = types
        self._members = members
        self._known = known

    def of(self, oid: int) -> Operators | None:
        """The operators of the type; None if it has no order, or one that depends on the columns of a row."""
        type_ = self._types.get(oid)
        if type_ is None:
            return self._known[oid].operators if oid in self._known else None
        if type_.kind == "d":
            return self.of(type_.base)
        if type_.kind in _ORDERED_AS_SUCH:
            return self._tables.usual
        if oid in self._tables.of_class:
            return self._tables.of_class[oid]
        if type_.element:
            return self._tables.usual if self.of(type_.element) else None
        return next(
            (
                self._tables.of_class[each]
                for each in self._tables.same_as.get(oid, ())
                if each in self._tables.of_class
            ),
            None,
        )

    def equality(self, oid: int) -> str | None:
        """The operator that compares two values of the type for equality; None if there is none."""
        type_ = self._types.get(oid)
        if type_ is None:
            return self._known[oid].equality if oid in self._known else None
        if type_.kind == "d":
            # PostgreSQL finds the operators for all enums only for an enum itself, not for a domain over it.
            return None if self._kind(type_.base) == "e" else self.equality(type_.base)
        ordered = self.of(oid)
        if ordered is not None:
            return ordered.equal
        if oid in self._tables.equal:
            return self._tables.equal[oid]
        if type_.kind == "c" or type_.element:
            return self._tables.usual.equal if self._is_compared_within(oid) else None
        return self._of_what_it_becomes(oid)

    def _of_what_it_becomes(self, oid: int) -> str | None:
        """The equality operator of a type that has none, but whose values PostgreSQL converts to another type."""
        same = [each for each in self._tables.same_as.get(oid, ()) if each in self._tables.equal]
        # If there are several candidates, PostgreSQL refuses to choose.
        others = same or [each for each in self._tables.becomes.get(oid, ()) if each in self._tables.equal]
        return self._tables.equal[others[0]] if others and (same or len(others) == 1) else None

    def _kind(self, oid: int) -> str:
        return self._types[oid].kind if oid in self._types else self._known[oid].kind

    def _is_compared_within(self, oid: int) -> bool:
        """Whether arrays and rows with values of the type can be compared, which requires operator classes."""
        type_: TypeRow | Type | None = self._types.get(oid) or self._known.get(oid)
        if type_ is None:
            return False
        if type_.kind == "d":
            return self._is_compared_within(type_.base)
        if type_.kind == "c" and oid not in self._types:
            return self._known[oid].equality is not None
        if type_.kind == "c":
            return all(map(self._is_compared_within, self._members.get(oid, ())))
        if type_.kind in _ORDERED_AS_SUCH or oid in self._tables.with_class:
            return True
        if type_.element:
            return self._is_compared_within(type_.element)
        return any(each in self._tables.with_class for each in self._tables.same_as.get(oid, ()))


def members_of_types(payload: Mapping[str, Any], types: Mapping[int, TypeRow]) -> dict[int, list[int]]:
    """The types of the members of each composite type, including the row types of relations."""
    members: dict[int, list[int]] = defaultdict(list)
    for type_, _, _, _, member, _ in payload["attributes"] or ():
        members[type_].append(member)
    row_types = {each.relation: each.oid for each in types.values() if each.relation}
    for relation, _, _, member, *_ in payload["columns"] or ():
        if relation in row_types:
            members[row_types[relation]].append(member)
    return members


def _operators(schema: str, names: Sequence[str], unequal: str | None, usual: Operators) -> Operators:
    """The operators of one class. ``names`` are in the order of btree's strategies: <, <=, =, >=, >."""
    ordered = Operators(*(_named(schema, each, usual) for each in names))
    is_shadowed = usual.is_shadowed and schema == "pg_catalog"
    other = None if unequal is None else _named(schema, unequal, usual)
    return replace(ordered, unequal=other, is_shadowed=is_shadowed)


def _named(schema: str, operator: str, usual: Operators) -> str:
    return usual.named(operator) if schema == "pg_catalog" else f"OPERATOR({schema}.{operator})"
