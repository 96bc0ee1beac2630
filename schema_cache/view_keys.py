"""Keys of views: what follows from the tables whose columns they show.

PostgreSQL keeps the query of a view, and in it which columns are plain ones of which relation. Such a column takes part
in the foreign keys of its table. Where each row of the view is a row of one table, the view also has the unique keys of
that table, and foreign keys lead to it as they do to the table.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from schema_cache.model import ForeignKey, Relation, UniqueIndex
from schema_cache.node_trees import Node, read_node_tree

log = logging.getLogger(__name__)

_RELATION = "0"
"""RTE_RELATION: what a query reads is a relation."""

_CHANGES_ROWS = ("groupClause", "groupingSets", "havingQual", "distinctClause", "setOperations")
"""The parts of a query, null without, whose rows are not those that it reads."""

Lineage = tuple[int, ...]
"""Which of the relations that a view reads, and which of those that this one reads if it is a view, and so on. Columns
with the same path are of the same row."""

Shown = Mapping[str, Sequence[str]]
"""What a view calls columns of a table, by their names there."""


@dataclass(frozen=True, slots=True)
class _Origin:
    """The column that a view's plain column is: the relation's oid, the column's number, and the place of the relation
    among those that the query reads."""

    relation: int
    number: int
    place: int


@dataclass(frozen=True, slots=True)
class _Query:
    """What a view reads. ``origins`` are by the numbers of its own columns; ``rows_of`` is the oid of the relation of
    whose rows its own are part, 0 if there is none."""

    origins: Mapping[int, _Origin]
    rows_of: int


def with_keys_of_views(relations: Sequence[Relation], queries: Mapping[int, str]) -> list[Relation]:
    """The relations with the keys that follow for views. ``queries`` are the node trees of views by oid."""
    if not queries:
        return list(relations)
    views = _Views(relations, {oid: _read(oid, text) for oid, text in queries.items()})
    keys = defaultdict(list)
    for relation in relations:
        for key in relation.foreign_keys:
            for oid, inferred in views.foreign_keys(relation, key):
                keys[oid].append(inferred)
    return [_with_keys(each, list(views.unique_indexes(each)), keys.get(each.oid, ())) for each in relations]


def columns_of_tables(relations: Sequence[Relation], queries: Mapping[int, str]) -> Iterator[tuple[int, int, int, str]]:
    """The columns of views that are plain ones of tables: the view, the column's number, the table and its column."""
    views = _Views(relations, {oid: _read(oid, text) for oid, text in queries.items()})
    return views.traced()


def _with_keys(
    relation: Relation, unique_indexes: Sequence[UniqueIndex], foreign_keys: Sequence[ForeignKey]
) -> Relation:
    if not (unique_indexes or foreign_keys):
        return relation
    return replace(
        relation,
        unique_indexes=(*relation.unique_indexes, *unique_indexes),
        foreign_keys=(*relation.foreign_keys, *foreign_keys),
    )


def _read(oid: int, text: str) -> _Query:
    try:
        return _query(read_node_tree(text)[0])
    except (ValueError, LookupError, TypeError) as ex:
        # Other than documented catalogs, node trees may change from one version of PostgreSQL to the next.
        log.warning("the query of the view %s could not be read (%s), so no keys follow for it", oid, type(ex).__name__)
        return _Query({}, 0)


def _query(query: Node) -> _Query:
    shown = [each for each in query["targetList"] if each["resjunk"] == "false" and each["resorigtbl"] != "0"]
    return _Query({int(each["resno"]): _origin(query, each) for each in shown}, _rows_of(query))


def _origin(query: Node, shown: Node) -> _Origin:
    place = int(shown["expr"]["varno"])
    is_relation = query["rtable"][place - 1]["rtekind"] == _RELATION
    # Columns of a join or a subquery may be of different rows: the place is then that of the column alone.
    return _Origin(int(shown["resorigtbl"]), int(shown["resorigcol"]), place if is_relation else -int(shown["resno"]))


def _rows_of(query: Node) -> int:
    if any(query[each] is not None for each in _CHANGES_ROWS) or "true" in (query["hasAggs"], query["hasTargetSRFs"]):
        return 0
    read = query["jointree"]["fromlist"] or []
    if len(read) != 1 or "rtindex" not in read[0]:
        return 0
    source = query["rtable"][int(read[0]["rtindex"]) - 1]
    return int(source["relid"]) if source["rtekind"] == _RELATION else 0


class _Views:
    """What the views of a catalog show of its tables."""

    def __init__(self, relations: Sequence[Relation], queries: Mapping[int, _Query]) -> None:
        self._relations = {each.oid: each for each in relations}
        self._queries = {oid: query for oid, query in queries.items() if oid in self._relations}
        self._names = {each.oid: {column.number: column.name for column in each.columns} for each in relations}
        self._shown: dict[int, dict[int, dict[Lineage, dict[str, list[str]]]]] = {}
        self._views_of: dict[int, list[int]] = defaultdict(list)
        self._table_of = {oid: self._followed(oid) for oid in self._queries}
        for oid in self._queries:
            self._views_of[self._table_of[oid]].append(oid)
            for number in self._names[oid]:
                self._add(oid, number)

    def _add(self, view: int, number: int) -> None:
        found = self._traced(view, number)
        if found is not None:
            table, column, path = found
            of_view = self._shown.setdefault(table, {}).setdefault(view, {}).setdefault(path, {})
            of_view.setdefault(column, []).append(self._names[view][number])

    def _traced(self, oid: int, number: int) -> tuple[int, str, Lineage] | None:
        """The table, its column that a view's column is, and the path to it through views of views."""
        path: list[int] = []
        # Views that were replaced may lead back to each other. Whoever reads them gets an error.
        while oid in self._queries and len(path) <= len(self._queries):
            origin = self._queries[oid].origins.get(number)
            if origin is None:
                return None
            oid, number = origin.relation, origin.number
            path.append(origin.place)
        name = self._names.get(oid, {}).get(number)
        return None if name is None else (oid, name, tuple(path))

    def traced(self) -> Iterator[tuple[int, int, int, str]]:
        """Their columns that are those of tables, as ``columns_of_tables`` says."""
        for oid in self._queries:
            for number in self._names[oid]:
                found = self._traced(oid, number)
                if found is not None:
                    table, name, _ = found
                    yield oid, number, table, name

    def _followed(self, oid: int) -> int:
        """The table of whose rows a view's are part, through views of views; 0 if there is none."""
        passed = set()
        while oid in self._queries and oid not in passed:
            passed.add(oid)
            oid = self._queries[oid].rows_of
        return 0 if oid in passed else oid

    def unique_indexes(self, view: Relation) -> Iterator[UniqueIndex]:
        """Those of the table whose rows the view's are, of columns that the view shows."""
        table = self._relations.get(self._table_of.get(view.oid, 0))
        for index in table.unique_indexes if table is not None else ():
            columns = self._called(view.oid, index.columns)
            if index.is_plain and columns is not None:
                of_view = replace(index, columns=columns, needs=frozenset(columns))
                yield replace(of_view, constraint=not index.is_immediate, arbiter=False, comment=None)

    def foreign_keys(self, table: Relation, key: ForeignKey) -> Iterator[tuple[int, ForeignKey]]:
        """The keys that follow from a table's, with the oid of the relation that holds each."""
        targets = [(key.foreign, key.foreign_columns), *self._targets(key)]
        for oid, columns in [(table.oid, key.columns), *self._holders(table, key)]:
            for foreign, foreign_columns in targets:
                if (oid, foreign) != (table.oid, key.foreign):
                    of_views = replace(key, columns=columns, foreign=foreign, foreign_columns=foreign_columns)
                    yield oid, replace(of_views, comment=None, inferred=True)

    def _holders(self, table: Relation, key: ForeignKey) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The views that show a key's columns, and what they are called there."""
        for view, by_path in self._shown.get(table.oid, {}).items():
            for shown in by_path.values():
                names = [shown.get(each, []) for each in key.columns]
                if len(names) == 1:
                    yield from ((view, (name,)) for name in names[0])
                elif all(names):
                    yield view, tuple(each[0] for each in names)

    def _targets(self, key: ForeignKey) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The views of rows of the table that a key refers to which show the columns that it does."""
        for view in self._views_of.get(key.foreign, ()):
            columns = self._called(view, key.foreign_columns)
            if columns is not None:
                yield view, columns

    def _called(self, view: int, columns: Sequence[str]) -> tuple[str, ...] | None:
        """What columns of the one table whose rows a view has are called there; None if one is not there."""
        by_path = self._shown.get(self._table_of[view], {}).get(view, {})
        shown: Shown = next(iter(by_path.values()), {})
        names = [shown.get(each, ()) for each in columns]
        return tuple(each[0] for each in names) if all(names) else None
