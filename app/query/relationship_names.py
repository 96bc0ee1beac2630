"""What relationships are called.

In the dialect ``standard`` a field's name follows from the schema alone: not from the order in which keys were made,
nor from what a role may read of them. A field to one row is called after the table that it leads to, one to many rows
after the table with ``Collection`` behind it. Where two of a type would share a name, all of them are named by their
columns, on both sides. In the dialect ``pg_graphql`` of two with one name the later has its columns in the name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from app.graphql import names
from app.graphql.api_schema import ApiSchema
from schema_cache.model import Relation


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """A foreign key, or what a comment declares to be one. ``local_name`` overrides the field that leads back to the
    referencing rows, ``foreign_name`` the one that leads to the referenced row; ``deprecated`` says what to use instead
    of both."""

    local: Relation
    columns: tuple[str, ...]
    foreign: Relation
    foreign_columns: tuple[str, ...]
    local_name: str | None = None
    foreign_name: str | None = None
    deprecated: str | None = None

    @property
    def is_local_unique(self) -> bool:
        """Whether at most one local row belongs to a foreign row."""
        return is_unique(self.local, self.columns)


@dataclass(frozen=True, slots=True)
class Way:
    """One direction of a key: ``back`` leads from the referenced row to those that refer to it."""

    key: Key
    back: bool

    @property
    def source(self) -> Relation:
        """The relation whose rows have the field."""
        return self.key.foreign if self.back else self.key.local

    @property
    def target(self) -> Relation:
        """The relation that the field leads to."""
        return self.key.local if self.back else self.key.foreign

    @property
    def other(self) -> Way:
        return Way(self.key, not self.back)


def is_unique(relation: Relation, columns: Sequence[str]) -> bool:
    """Whether a unique index over all rows guarantees that no two rows are equal in ``columns``."""
    known = set(columns)
    return any(index.is_plain and known.issuperset(index.columns) for index in relation.unique_indexes)


def named_ways(api: ApiSchema, keys: Sequence[Key]) -> Mapping[Way, str]:
    """The names of both ways of all keys of a schema; of a way that finds no name of its own there is none."""
    ways = [Way(key, back) for back in (False, True) for key in keys]
    candidates = {way: tuple(_candidates(api, way)) for way in ways}
    named = _by_schema(api, candidates) if api.dialect.to_one_by_table else _by_order(candidates)
    for way, name in named.items():
        _names(api).setdefault(way.source.oid, set()).add(name)
    return named


def names_of_ways(api: ApiSchema, relation: Relation) -> Set[str]:
    """What the ways from a relation's rows are called, whether or not the role may follow them."""
    return _names(api).get(relation.oid, set())


def _names(api: ApiSchema) -> dict[int, set[str]]:
    return api.shared("names of ways", dict)


def _candidates(api: ApiSchema, way: Way) -> Iterator[str]:
    """The names of a way in the order in which they are tried."""
    key = way.key
    override = key.local_name if way.back else key.foreign_name
    if override:
        yield override
        return
    target = key.local if way.back else key.foreign
    by_table = names.lower_first(api.type_name(target))
    if way.back and not key.is_local_unique:
        by_table = f"{by_table}Collection"
        yield by_table
    else:
        stripped = _stripped(key.foreign_columns if way.back else key.columns, api.comments.inflects(target.schema))
        if api.dialect.to_one_by_table:
            yield by_table
            if stripped and not way.back:
                yield stripped
        else:
            yield stripped or by_table
    leads_back_to_one = way.back and key.is_local_unique
    # On a relation that refers to itself the way forth may have the names for the way back.
    if leads_back_to_one and not api.dialect.to_one_by_table:
        yield f"{by_table}By{_joined(key.columns)}"
    by = "With" if leads_back_to_one else "By"
    yield f"{by_table}{by}{_joined(key.columns)}"
    yield f"{by_table}{by}{'And'.join(key.columns)}"


def _by_schema(api: ApiSchema, candidates: Mapping[Way, Sequence[str]]) -> Mapping[Way, str]:
    """Names that are unique in their type: all ways that share a name take their next candidate."""
    place = dict.fromkeys(candidates, 0)
    sources = {way.source.oid: way.source for way in candidates}
    columns = {source.oid: api.field_names_of_columns(source) for source in sources.values()}
    while True:
        sharing: dict[tuple[int, str], list[Way]] = defaultdict(list)
        for way, names_of_way in candidates.items():
            if place[way] < len(names_of_way):
                sharing[way.source.oid, names_of_way[place[way]]].append(way)
        moved = set()
        for (source, name), ways in sharing.items():
            if len(ways) > 1:
                moved |= {way for way in ways if not _is_override(way)} or set(ways)
            elif name in columns[source] and not _is_override(ways[0]):
                moved.add(ways[0])
        if not moved:
            return {ways[0]: name for (_, name), ways in sharing.items()}
        # Named by its columns on one side, a key is so on the other.
        shared_first = {way for ways in sharing.values() if len(ways) > 1 for way in ways if place[way] == 0}
        for way in moved | {way.other for way in shared_first if place[way.other] == 0}:
            if not _is_override(way) or way in moved:
                place[way] += 1


def _by_order(candidates: Mapping[Way, Sequence[str]]) -> Mapping[Way, str]:
    taken: dict[int, set[str]] = defaultdict(set)
    named = {}
    for way, names_of_way in candidates.items():
        of_source = taken[way.source.oid]
        name = next((each for each in names_of_way if each not in of_source), None)
        if name is not None:
            of_source.add(name)
            named[way] = name
    return named


def _is_override(way: Way) -> bool:
    return bool(way.key.local_name if way.back else way.key.foreign_name)


def _stripped(columns: Sequence[str], inflect: bool) -> str | None:
    """The name that a single key column makes without its suffix for ids; None if it has none."""
    suffix = "_id" if inflect else "Id"
    if len(columns) != 1 or not columns[0].endswith(suffix) or columns[0] == suffix:
        return None
    return names.lower_first(names.base(columns[0].removesuffix(suffix), None, inflect))


def _joined(columns: Iterable[str]) -> str:
    return "And".join(names.base(name, None, inflect=True) for name in columns)
