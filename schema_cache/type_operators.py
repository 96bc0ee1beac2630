"""Which operators compare the values of a type: those of its default btree operator class.

Source of the rules: ``GetDefaultOpClass`` in PostgreSQL's src/backend/commands/indexcmds.c, and the operator classes
for ``anyarray``, ``anyenum``, ``anyrange`` and ``anymultirange``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from schema_cache.model import Operators

_ORDERED_AS_SUCH = frozenset("erm")  # enums, ranges and multiranges
_USUAL = Operators()


class TypeRow(NamedTuple):
    """A row of the payload's types, as ``catalog_query.py`` has them; ``schema_cache.model.Type`` explains them."""

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


class TypeOperators:
    """Looks them up in the payload of one catalog; ``types`` are its rows by oid."""

    def __init__(self, payload: Mapping[str, Any], types: Mapping[int, TypeRow]) -> None:
        self._types = types
        self._of_class = {
            oid: _operators(schema, names, unequal) for oid, schema, names, unequal in payload["operators"] or ()
        }
        self._like = {source: target for source, target in payload["coercions"] or () if target in self._of_class}

    def of(self, oid: int) -> Operators | None:
        """The operators of the type; None if it has no order, or one that depends on the columns of a row."""
        type_ = self._types.get(oid)
        if type_ is None:
            return None
        if type_.kind == "d":
            return self.of(type_.base)
        if type_.kind in _ORDERED_AS_SUCH:
            return _USUAL
        if oid in self._of_class:
            return self._of_class[oid]
        if type_.element:
            return _USUAL if self.of(type_.element) else None
        return self._of_class.get(self._like.get(oid, 0))


def _operators(schema: str, names: Sequence[str], unequal: str | None) -> Operators:
    """``names`` are in the order of btree's strategies: <, <=, =, >=, >."""

    def called(name: str) -> str:
        return name if schema == "pg_catalog" else f"OPERATOR({schema}.{name})"

    ordered = Operators(*map(called, names))
    return replace(ordered, unequal=None if unequal is None else called(unequal))
