"""Infers the keys of views from the tables whose columns they show.

PostgreSQL stores the query of a view. It shows which of the view's columns are plain columns of a relation. Such a
column has the foreign keys of the table's column. If each row of the view is a row of one table, the view also has the
unique keys of that table, and foreign keys that refer to the table also refer to the view.
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
"""RTE_RELATION: the kind of a range table entry that is a relation."""

_CHANGES_ROWS = ("groupClause", "groupingSets", "havingQual", "distinctClause", "setOperations")
"""The parts of a query that make its rows differ from those that it reads. They are null if the query lacks them."""

Lineage = tuple[int, ...]
"""A path: the place of a relation among those that a view reads; if that is a view too, the place among those that it
reads, and so on. Columns with the same path belong to the same row."""

Shown = Mapping[str, Sequence[str]]
"""The names of a view's columns, by the names of the table's columns that they show."""


@dataclass(frozen=True, slots=True)
class _Origin:
    """The column that a view's plain column shows: the relation's oid, the column's number, and the place of the
    relation among those that the query reads."""

    relation: int
    number: int
    place: int


@dataclass(frozen=True, slots=True)
class _Query:
    """A view's query. ``origins`` are by the numbers of the view's columns. ``rows_of``: the oid of the relation of
    which each row of the view is a row; 0 if there is none."""

    origins: Mapping[int, _Origin]
    rows_of: int


def with_keys_of_views(relations: Sequence[Relation], queries: Mapping[int, str]) -> list[Relation]:
    """The relations, with the inferred keys of views. ``queries`` are the node trees of views by oid."""
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
    """The columns of views that are plain columns of tables: view, column number, table, and the table's column."""
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
        # Unlike the documented catalogs, node trees may change from one version of PostgreSQL to the next.
        log.warning(
            "the query of the view %s could not be read (%s), so it has no inferred keys", oid, type(ex).__name__
        )
        return _Query({}, 0)


def _query(query: Node) -> _Query:
    shown = [each for each in query["targetList"] if each["resjunk"] == "false" and each["resorigtbl"] != "0"]
    return _Query({int(each["resno"]): _origin(query, each) for each in shown}, _rows_of(query))


def _origin(query: Node, shown: Node) -> _Origin:
    place = int(shown["expr"]["varno"])
    is_relation = query["rtable"][place - 1]["rtekind"] == _RELATION
    # Columns of a join or a subquery may belong to different rows: then each column gets its own place.
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
    """The columns and rows of tables that the views of a catalog show."""

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
        """The table and the column that a view's column shows, and the path to it through views of views."""
        path: list[int] = []
        # Views that were replaced may refer to each other in a circle. Reading them is an error.
        while oid in self._queries and len(path) <= len(self._queries):
            origin = self._queries[oid].origins.get(number)
            if origin is None:
                return None
            oid, number = origin.relation, origin.number
            path.append(origin.place)
        name = self._names.get(oid, {}).get(number)
        return None if name is None else (oid, name, tuple(path))

    def traced(self) -> Iterator[tuple[int, int, int, str]]:
        """The columns of views that show columns of tables, as ``columns_of_tables`` returns them."""
        for oid in self._queries:
            for number in self._names[oid]:
                found = self._traced(oid, number)
                if found is not None:
                    table, name, _ = found
                    yield oid, number, table, name

    def _followed(self, oid: int) -> int:
        """The table of which each row of a view is a row, through views of views; 0 if there is none."""
        passed = set()
        while oid in self._queries and oid not in passed:
            passed.add(oid)
            oid = self._queries[oid].rows_of
        return 0 if oid in passed else oid

    def unique_indexes(self, view: Relation) -> Iterator[UniqueIndex]:
        """The view's unique indexes: those of the table of which its rows are rows, if the view shows their columns."""
        table = self._relations.get(self._table_of.get(view.oid, 0))
        for index in table.unique_indexes if table is not None else ():
            columns = self._called(view.oid, index.columns)
            if index.is_plain and columns is not None:
                of_view = replace(index, columns=columns, needs=frozenset(columns))
                yield replace(of_view, constraint=not index.is_immediate, arbiter=False, comment=None)

    def foreign_keys(self, table: Relation, key: ForeignKey) -> Iterator[tuple[int, ForeignKey]]:
        """The foreign keys that follow from a table's key, each with the oid of its relation."""
        targets = [(key.foreign, key.foreign_columns), *self._targets(key)]
        for oid, columns in [(table.oid, key.columns), *self._holders(table, key)]:
            for foreign, foreign_columns in targets:
                if (oid, foreign) != (table.oid, key.foreign):
                    of_views = replace(key, columns=columns, foreign=foreign, foreign_columns=foreign_columns)
                    yield oid, replace(of_views, comment=None, inferred=True)

    def _holders(self, table: Relation, key: ForeignKey) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The views that show a key's columns, and the names of these columns there."""
        for view, by_path in self._shown.get(table.oid, {}).items():
            for shown in by_path.values():
                names = [shown.get(each, []) for each in key.columns]
                if len(names) == 1:
                    yield from ((view, (name,)) for name in names[0])
                elif all(names):
                    yield view, tuple(each[0] for each in names)

    def _targets(self, key: ForeignKey) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The views whose rows are rows of the referenced table, and that show the referenced columns, with the names
        of these columns there."""
        for view in self._views_of.get(key.foreign, ()):
            columns = self._called(view, key.foreign_columns)
            if columns is not None:
                yield view, columns

    def _called(self, view: int, columns: Sequence[str]) -> tuple[str, ...] | None:
        """The names in a view of columns of the table of which its rows are rows; None if it does not show them all."""
        by_path = self._shown.get(self._table_of[view], {}).get(view, {})
        shown: Shown = next(iter(by_path.values()), {})
        names = [shown.get(each, ()) for each in columns]
        return tuple(each[0] for each in names) if all(names) else None
