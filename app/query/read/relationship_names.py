"""What relationships are called.

In the dialect ``standard`` a field's name follows from the schema alone: not from the order in which keys were made,
nor from what a role may read of them. A field to one row is called after the table that it leads to, one to many rows
after the table with ``Collection`` behind it. Where two of a type would share a name, all of them are named by their
columns, on both sides, unless no role can see both. In the dialect ``pg_graphql`` of two with one name the later has
its columns in the name. What is no GraphQL name is passed over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import NODE_ID
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


@dataclass(frozen=True, slots=True, eq=False)
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


def is_unique(relation: Relation, columns: Sequence[str], *, at_once: bool = False) -> bool:
    """Whether a unique index over all rows guarantees that no two rows are equal in ``columns``: ``at_once``, or when
    the transaction ends."""
    known = set(columns)
    indexes = (each for each in relation.unique_indexes if each.is_immediate or not at_once)
    return any(index.is_plain and known.issuperset(index.columns) for index in indexes)


def named_ways(api: ApiSchema, keys: Sequence[Key]) -> Mapping[Way, str | None]:
    """The names of both ways of all keys of a schema, those to a referenced row first; None for a way that finds no
    name of its own."""
    forth, back = [Way(key, back=False) for key in keys], [Way(key, back=True) for key in keys]
    candidates = {way: _usable(api, _candidates(api, way)) for way in (*forth, *back)}
    if api.dialect.to_one_by_table:
        named = _by_schema(api, candidates, dict(zip([*forth, *back], [*back, *forth], strict=True)))
    else:
        named = _by_order(api, candidates)
    taken = _names(api)
    for way, name in named.items():
        if name is not None:
            taken.setdefault(way.source.oid, set()).add(name)
    return named


def names_of_ways(api: ApiSchema, relation: Relation) -> Set[str]:
    """What the ways from a relation's rows are called, whether or not the role may follow them."""
    return _names(api).get(relation.oid, set())


def _names(api: ApiSchema) -> dict[int, set[str]]:
    return api.shared("names of ways", dict)


def _usable(api: ApiSchema, wanted: Iterable[str]) -> Iterator[str]:
    """Those that a field may have: the global id of every row keeps its name."""
    return (name for name in wanted if api.is_name(name) and name != NODE_ID)


def _candidates(api: ApiSchema, way: Way) -> Iterator[str]:
    """The names of a way in the order in which they are tried."""
    key = way.key
    override = key.local_name if way.back else key.foreign_name
    if override:
        yield override
        return
    by_table = names.lower_first(api.type_name(way.target))
    leads_back_to_one = way.back and key.is_local_unique
    inflect = api.comments.inflects(way.target.schema)
    if way.back and not leads_back_to_one:
        by_table = f"{by_table}Collection"
        yield by_table
    elif api.dialect.to_one_by_table:
        yield by_table
        stripped = None if way.back else _stripped(key.columns, inflect)
        if stripped:
            yield stripped
    else:
        yield _stripped(key.foreign_columns if way.back else key.columns, inflect) or by_table
    # On a relation that refers to itself the way forth may have the names for the way back.
    if leads_back_to_one and not api.dialect.to_one_by_table:
        yield f"{by_table}By{_joined(key.columns)}"
    by = "With" if leads_back_to_one else "By"
    yield f"{by_table}{by}{_joined(key.columns)}"
    yield f"{by_table}{by}{'And'.join(key.columns)}"


def _by_schema(
    api: ApiSchema, candidates: Mapping[Way, Iterator[str]], others: Mapping[Way, Way]
) -> Mapping[Way, str | None]:
    """Names that are unique in their type: all ways that share a name take their next candidate. ``others`` are the
    other ways of the same keys."""
    named = {way: next(names_of_way, None) for way, names_of_way in candidates.items()}
    sources = {way.source.oid: way.source for way in candidates}
    columns = {source.oid: api.field_names_of_columns(source) for source in sources.values()}
    gone_on: set[Way] = set()
    while True:
        sharing: dict[tuple[int, str], list[Way]] = defaultdict(list)
        for way, name in named.items():
            if name is not None:
                sharing[way.source.oid, name].append(way)
        shared = [[way for way in ways if _has_rival(api, way, ways)] for ways in sharing.values() if len(ways) > 1]
        moved = {each for ways in shared for each in ([way for way in ways if not _is_override(way)] or ways)}
        of_columns = (way for (source, name), ways in sharing.items() if name in columns[source] for way in ways)
        moved |= {way for way in of_columns if not _is_override(way)}
        if not moved:
            return named
        # Named by its columns on one side, a key is so on the other.
        other_sides = {others[way] for ways in shared for way in ways if way not in gone_on}
        moved |= {way for way in other_sides - gone_on if not _is_override(way)}
        for way in moved:
            named[way] = next(candidates[way], None)
        gone_on |= moved


def _by_order(api: ApiSchema, candidates: Mapping[Way, Iterator[str]]) -> Mapping[Way, str | None]:
    taken: dict[int, dict[str, list[Way]]] = defaultdict(lambda: defaultdict(list))
    named = {}
    for way, names_of_way in candidates.items():
        of_source = taken[way.source.oid]
        name = named[way] = next((each for each in names_of_way if not _has_rival(api, way, of_source[each])), None)
        if name is not None:
            of_source[name].append(way)
    return named


def _has_rival(api: ApiSchema, way: Way, ways: Iterable[Way]) -> bool:
    """Whether ``way`` cannot share a name with all ``ways``. It can with those that lead to other relations of the same
    type name: of these a role sees only one."""
    target = api.type_name(way.target)
    others = (each for each in ways if each is not way)
    return any(each.target is way.target or api.type_name(each.target) != target for each in others)


def _is_override(way: Way) -> bool:
    return bool(way.key.local_name if way.back else way.key.foreign_name)


def _stripped(columns: Sequence[str], inflect: bool) -> str | None:
    """The name that a single key column makes without its suffix for ids; None if it has none, or makes no name."""
    suffix = "_id" if inflect else "Id"
    if len(columns) != 1 or not columns[0].endswith(suffix):
        return None
    name = names.lower_first(names.base(columns[0].removesuffix(suffix), None, inflect))
    return name if names.is_valid(name) else None


def _joined(columns: Iterable[str]) -> str:
    return "And".join(names.usable(names.base(name, None, inflect=True)) for name in columns)
