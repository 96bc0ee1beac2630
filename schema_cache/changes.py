"""Makes the catalog that follows from another one and the part of it that has changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from schema_cache.collector import collector_paused
from schema_cache.decode import CatalogDecoder
from schema_cache.model import Catalog, ForeignKey, Relation

_COME_WITH_OPERATORS = frozenset("brm")
"""The kinds of types that come with operators: base types, which arrays are too, ranges and multiranges."""


class _Record(Protocol):
    @property
    def oid(self) -> int: ...


Made = TypeVar("Made", bound=_Record)


def with_changes(known: Catalog, payload: str | bytes) -> Catalog | None:
    """The catalog after the changes in the payload of ``changes_query``. It shares all records that are equal with
    ``known``, and is ``known`` if nothing has changed. None if the whole catalog must be read."""
    with collector_paused:
        read = json.loads(payload)
        if not read["is_complete"] or read["shared"] != known.shared_fingerprint:
            return None
        return _changed(known, read)


def _changed(known: Catalog, read: Mapping[str, Any]) -> Catalog | None:
    relation_oids, type_oids, function_oids = map(frozenset, read["scope"])
    decoder = CatalogDecoder(read, known)
    schemas = decoder.schemas()
    if _is_renamed(known, {each.oid: each.name for each in schemas}) or _lost_operators(known, type_oids, decoder):
        return None
    relations = _relations(known, relation_oids, decoder, frozenset(read["filled_on_insert"] or ()))
    effects = decoder.effects(relations)
    parts: dict[str, Any] = {
        "schemas": _merged(known.schemas, frozenset(each.oid for each in (*known.schemas, *schemas)), schemas),
        "types": _merged(known.types, type_oids, decoder.types.values()),
        "relations": relations,
        "functions": _merged(known.functions, function_oids, decoder.functions()),
        "effects": known.effects if effects == known.effects else effects,
        "writes_run_code": decoder.writes_run_code(effects),
    }
    count, shared = read["change_count"], read["shared"]
    is_same = all(getattr(known, name) is part for name, part in parts.items())
    if is_same and count == known.change_count:
        return known
    return replace(
        known,
        version=f"{count}-{shared}-",
        change_count=count,
        contents_fingerprint="",
        snapshot=read["snapshot"],
        **parts,
    )


def _is_renamed(known: Catalog, names: Mapping[int, str]) -> bool:
    """Whether a schema has another name. Then all objects in it have."""
    return any(names.get(each.oid, each.name) != each.name for each in known.schemas)


def _lost_operators(known: Catalog, oids: Set[int], decoder: CatalogDecoder) -> bool:
    """Whether a type was dropped that came with operators."""
    types = (known.type_by_oid.get(oid) for oid in oids if oid not in decoder.types)
    return any(each is not None and each.kind in _COME_WITH_OPERATORS and not each.element for each in types)


def _merged(known: tuple[Made, ...], oids: Set[int], read: Iterable[Made]) -> tuple[Made, ...]:
    """The records in the order of their oids, of which those with ``oids`` were read again."""
    new = {each.oid: each for each in read}
    kept = []
    is_changed = False
    for each in known:
        record: Made | None = each
        if each.oid in oids:
            record = new.pop(each.oid, None)
            if record == each:
                record = each
            is_changed = is_changed or record is not each
        if record is not None:
            kept.append(record)
    if new:
        return tuple(sorted([*kept, *new.values()], key=lambda each: each.oid))
    return tuple(kept) if is_changed else known


def _relations(known: Catalog, oids: Set[int], decoder: CatalogDecoder, filled: Set[int]) -> tuple[Relation, ...]:
    """The relations after the change."""
    read = {each.oid: each for each in decoder.relations()}
    names = _new_names(known, oids, read)
    merged = _merged(known.relations, oids, read.values())
    dropped = oids - read.keys()
    patched = [_patched(each, names, filled, frozenset() if each.oid in read else dropped) for each in merged]
    is_changed = any(before is not after for before, after in zip(merged, patched, strict=True))
    return tuple(patched) if is_changed else merged


def _new_names(known: Catalog, oids: Set[int], read: Mapping[int, Relation]) -> dict[int, dict[str, str]]:
    """The old and new names of renamed columns, by relation."""
    found: dict[int, dict[str, str]] = {}
    for oid in oids & known.relation_by_oid.keys():
        before = {each.number: each.name for each in known.relation_by_oid[oid].columns}
        after = {each.number: each.name for each in read[oid].columns} if oid in read else {}
        renamed = {name: after[number] for number, name in before.items() if after.get(number, name) != name}
        if renamed:
            found[oid] = renamed
    return found


def _patched(
    relation: Relation, names: Mapping[int, Mapping[str, str]], filled: Set[int], dropped: Set[int]
) -> Relation:
    """The relation without indexes that were dropped, and with the current names of the columns to which its foreign
    keys refer. Neither changes a row of the catalog that belongs to the relation."""
    if any(each.oid in dropped for each in relation.unique_indexes):
        left = tuple(each for each in relation.unique_indexes if each.oid not in dropped)
        relation = replace(relation, unique_indexes=left)
    if (relation.oid in filled) != relation.filled_on_insert:
        relation = replace(relation, filled_on_insert=relation.oid in filled)
    if names and any(key.foreign in names for key in relation.foreign_keys):
        return replace(relation, foreign_keys=tuple(_with_names(relation.foreign_keys, names)))
    return relation


def _with_names(keys: Sequence[ForeignKey], names: Mapping[int, Mapping[str, str]]) -> Iterator[ForeignKey]:
    for key in keys:
        renamed = names.get(key.foreign, {})
        yield replace(key, foreign_columns=tuple(renamed.get(each, each) for each in key.foreign_columns))
