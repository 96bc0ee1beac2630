"""The field names of relationships.

In the dialect ``standard`` a field's name follows from the schema alone: not from the order in which keys were created,
nor from the columns that a role may read. A field to one row is named after the related table, a field to many rows
after the table with the suffix ``Collection``. If two fields of a type would share a name, all of them are named after
their columns, on both sides, unless no role can see both. In the dialect ``pg_graphql`` only the later one of two has
its columns in the name. A candidate that is no GraphQL name is skipped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import NODE_ID
from schema_cache.model import Relation


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """A foreign key, of a constraint or declared by a comment. ``local_name`` overrides the name of the field to the
    referencing rows, ``foreign_name`` that of the field to the referenced row. ``deprecated``: the deprecation reason
    of both fields."""

    local: Relation
    columns: tuple[str, ...]
    foreign: Relation
    foreign_columns: tuple[str, ...]
    local_name: str | None = None
    foreign_name: str | None = None
    deprecated: str | None = None

    @property
    def is_local_unique(self) -> bool:
        """Whether at most one local row refers to a foreign row."""
        return is_unique(self.local, self.columns)


@dataclass(frozen=True, slots=True, eq=False)
class KeyDirection:
    """One direction of a key: from the referencing row to the referenced one, or ``back``. ``source``: the relation
    whose rows have the field. ``target``: the relation that the field leads to."""

    key: Key
    back: bool
    source: Relation
    target: Relation


class NamedKey(NamedTuple):
    """Both directions of a key, and for each the possible names of its field, in the order in which they are tried."""

    forward: KeyDirection
    back: KeyDirection
    forward_names: tuple[str, ...]
    back_names: tuple[str, ...]


def named_key(api: ApiSchema, key: Key) -> NamedKey:
    """The directions of a key with their possible names."""
    forward = KeyDirection(key, False, key.local, key.foreign)
    back = KeyDirection(key, True, key.foreign, key.local)
    return NamedKey(forward, back, *(tuple(_usable(api, _candidates(api, each))) for each in (forward, back)))


def is_unique(relation: Relation, columns: Sequence[str], *, at_once: bool = False) -> bool:
    """Whether a unique index over all rows guarantees that no two rows are equal in ``columns``: at the end of each
    transaction, or with ``at_once`` after each statement."""
    known = set(columns)
    indexes = (each for each in relation.unique_indexes if each.is_immediate or not at_once)
    return any(index.is_plain and known.issuperset(index.columns) for index in indexes)


def names_by_direction(api: ApiSchema, keys: Sequence[NamedKey]) -> Mapping[KeyDirection, str | None]:
    """The field names of both directions of all keys of a schema, those to a referenced row first. None for a direction
    whose candidates are all taken."""
    candidates = {each.forward: each.forward_names for each in keys}
    candidates |= {each.back: each.back_names for each in keys}
    if api.dialect.to_one_by_table:
        others = {each.forward: each.back for each in keys}
        named = _by_schema(api, candidates, others | {back: forward for forward, back in others.items()})
    else:
        named = _by_order(api, candidates)
    taken = _names(api)
    for direction, name in named.items():
        if name is not None:
            taken.setdefault(direction.source.oid, set()).add(name)
    return named


def relationship_field_names(api: ApiSchema, relation: Relation) -> Set[str]:
    """The field names of all relationships of a relation's rows, including those that the role may not read."""
    return _names(api).get(relation.oid, set())


def _names(api: ApiSchema) -> dict[int, set[str]]:
    return api.shared("names of relationships", dict)


def _usable(api: ApiSchema, candidates: Iterable[str]) -> Iterator[str]:
    """The candidates that a field may have as its name; ``nodeId`` belongs to the node id."""
    return (name for name in candidates if api.is_name(name) and name != NODE_ID)


def _candidates(api: ApiSchema, direction: KeyDirection) -> Iterator[str]:
    """The possible names of a direction, in the order in which they are tried."""
    key = direction.key
    override = key.local_name if direction.back else key.foreign_name
    if override:
        yield override
        return
    by_table = names.lower_first(api.type_name(direction.target))
    is_back_to_one = direction.back and key.is_local_unique
    inflect = api.comments.inflects(direction.target.schema)
    if direction.back and not is_back_to_one:
        by_table = f"{by_table}Collection"
        yield by_table
    elif api.dialect.to_one_by_table:
        yield by_table
        stripped = None if direction.back else _stripped(key.columns, inflect)
        if stripped:
            yield stripped
    else:
        yield _stripped(key.foreign_columns if direction.back else key.columns, inflect) or by_table
    # On a relation that refers to itself, the forward direction may have taken the names above.
    if is_back_to_one and not api.dialect.to_one_by_table:
        yield f"{by_table}By{_joined(key.columns)}"
    by = "With" if is_back_to_one else "By"
    yield f"{by_table}{by}{_joined(key.columns)}"
    yield f"{by_table}{by}{'And'.join(key.columns)}"


def _by_schema(
    api: ApiSchema, candidates: Mapping[KeyDirection, tuple[str, ...]], others: Mapping[KeyDirection, KeyDirection]
) -> Mapping[KeyDirection, str | None]:
    """Names that are unique in their type: all directions that share a name take their next candidate. ``others``: for
    each direction the other one of the same key."""
    named = {direction: names_of[0] if names_of else None for direction, names_of in candidates.items()}
    tried: dict[KeyDirection, int] = defaultdict(int)
    sources = {direction.source.oid: direction.source for direction in candidates}
    columns = {source.oid: api.field_names_of_columns(source) for source in sources.values()}
    renamed: set[KeyDirection] = set()
    while True:
        sharing: dict[tuple[int, str], list[KeyDirection]] = defaultdict(list)
        for direction, name in named.items():
            if name is not None:
                sharing[direction.source.oid, name].append(direction)
        shared = [
            [each for each in directions if _has_rival(api, each, directions)]
            for directions in sharing.values()
            if len(directions) > 1
        ]
        next_ones = {each for directions in shared for each in (list(_without_override(directions)) or directions)}
        of_columns = (
            each for (source, name), directions in sharing.items() if name in columns[source] for each in directions
        )
        next_ones.update(_without_override(of_columns))
        if not next_ones:
            return named
        # A key that is named after its columns on one side is named so on the other side too.
        other_sides = {others[each] for directions in shared for each in directions if each not in renamed}
        next_ones.update(_without_override(other_sides - renamed))
        for direction in next_ones:
            tried[direction] += 1
            named[direction] = next(iter(candidates[direction][tried[direction] :]), None)
        renamed |= next_ones


def _by_order(api: ApiSchema, candidates: Mapping[KeyDirection, tuple[str, ...]]) -> Mapping[KeyDirection, str | None]:
    taken: dict[int, dict[str, list[KeyDirection]]] = defaultdict(lambda: defaultdict(list))
    named = {}
    for direction, candidates_of in candidates.items():
        of_source = taken[direction.source.oid]
        free = (each for each in candidates_of if not _has_rival(api, direction, of_source[each]))
        name = named[direction] = next(free, None)
        if name is not None:
            of_source[name].append(direction)
    return named


def _has_rival(api: ApiSchema, direction: KeyDirection, directions: Iterable[KeyDirection]) -> bool:
    """Whether ``direction`` cannot share a name with one of ``directions``. It can share one with directions to other
    relations of the same type name, because a role sees only one of these relations."""
    target = api.type_name(direction.target)
    others = (each for each in directions if each is not direction)
    return any(each.target is direction.target or api.type_name(each.target) != target for each in others)


def _without_override(directions: Iterable[KeyDirection]) -> Iterator[KeyDirection]:
    """The directions that no comment names."""
    return (each for each in directions if not (each.key.local_name if each.back else each.key.foreign_name))


def _stripped(columns: Sequence[str], inflect: bool) -> str | None:
    """The name of a single key column without its suffix for ids; None if there is no suffix, or no valid name."""
    suffix = "_id" if inflect else "Id"
    if len(columns) != 1 or not columns[0].endswith(suffix):
        return None
    name = names.lower_first(names.base(columns[0].removesuffix(suffix), None, inflect))
    return name if names.is_valid(name) else None


def _joined(columns: Iterable[str]) -> str:
    return "And".join(names.usable(names.base(name, None, inflect=True)) for name in columns)
