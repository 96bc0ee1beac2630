"""Explains why a relation has no key, and how to give it one, perhaps from a unique index."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from app.database.identifiers import identifier, qualified
from schema_cache.model import Relation, UniqueIndex

TABLES = frozenset("rp")
"""Kinds of relations that can have a primary key."""


def reason(relation: Relation, directives: Mapping[str, Any]) -> str:
    """Why the relation has no key."""
    unknown = [each for each in directives.get("primary_key_columns") or () if relation.column(each) is None]
    if unknown:
        return f"its directive primary_key_columns names {unknown[0]}, which is none of its columns"
    return "it has no primary key, which identifies rows"


def fix(relation: Relation, readable: frozenset[str]) -> str:
    """How to give the relation a key. Only indexes whose columns the role may read are named."""
    usable = [each for each in relation.unique_indexes if each.is_plain and readable.issuperset(each.columns)]
    if not usable:
        declared = f"comment it with {_directive(['...'])}"
        return f"add one, or {declared}" if relation.kind in TABLES else declared
    found = min(usable, key=lambda each: _rank(relation, each))
    could, directive = f"its unique index {found.name} could be the key", f"comment it with {_directive(found.columns)}"
    nullable = _nullable(relation, found)
    if nullable:
        could += f" if {' and '.join(nullable)} {'is' if len(nullable) == 1 else 'are'} never null"
    if not found.is_immediate:
        could += ", though it is deferrable: within a transaction two rows may have the same values"
    if relation.kind not in TABLES:
        # Columns of views count as nullable even if those of their tables are not.
        return f"{could}: {directive}"
    if nullable:
        nulls = ", ".join(f"alter column {identifier(each)} set not null" for each in nullable)
        return f"{could}: alter table {_name(relation)} {nulls}; then {directive}"
    columns = ", ".join(map(identifier, found.columns))
    return f"{could}: {directive}, or alter table {_name(relation)} add primary key ({columns})"


def _name(relation: Relation) -> str:
    return qualified(relation.schema, relation.name)


def _rank(relation: Relation, index: UniqueIndex) -> tuple[int, bool, int]:
    return len(_nullable(relation, index)), not index.is_immediate, len(index.columns)


def _nullable(relation: Relation, index: UniqueIndex) -> list[str]:
    columns = (relation.column(each) for each in index.columns)
    return [each.name for each in columns if each is not None and not each.not_null]


def _directive(columns: Sequence[str]) -> str:
    return f'@graphql({{"primary_key_columns": {json.dumps(list(columns), ensure_ascii=False)}}})'
