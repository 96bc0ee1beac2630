"""How PostgreSQL finds the rows of pages, by a plan that EXPLAIN printed in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

INDEX, FILTER, SORT = "index", "filter", "sort"
"""The values of ``foundBy``: only rows of the page are read; rows are read until enough of them meet a condition; all
rows that meet the conditions are read and sorted."""

_Node = Mapping[str, Any]
_CORRELATED = ("SubPlan", "InitPlan")


def page_reads(plan: _Node) -> list[dict[str, Any]]:
    """How a plan finds the rows of each query with a LIMIT: an entry for each table or partition that it reads, with
    the table's alias in the SQL, and the condition or the order that no index has."""
    found = _of_limit(plan) if plan["Node Type"] == "Limit" else []
    return [*found, *(each for below in _below(plan) for each in page_reads(below))]


def _of_limit(limit: _Node) -> list[dict[str, Any]]:
    return [entry for below in _below(limit) if not _is_other_query(below) for entry in _reads(below, None)]


def _reads(node: _Node, sort_key: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    """The entries of a node inside a query with a LIMIT; ``sort_key``: the order by which its rows are sorted."""
    if node["Node Type"] == "Sort":
        sort_key = node["Sort Key"]
    if "Relation Name" in node:
        yield _entry(node, sort_key)
    for below in _below(node):
        if not _is_other_query(below):
            yield from _reads(below, sort_key)


def _entry(scan: _Node, sort_key: Sequence[str] | None) -> dict[str, Any]:
    entry = {"relation": scan["Relation Name"], "alias": scan["Alias"]}
    if sort_key is not None:
        return {**entry, "foundBy": SORT, "order": list(sort_key)}
    if "Filter" in scan:
        return {**entry, "foundBy": FILTER, "condition": scan["Filter"]}
    return {**entry, "foundBy": INDEX if "Index Name" in scan else FILTER}


def _below(node: _Node) -> Sequence[_Node]:
    below: Sequence[_Node] = node.get("Plans", ())
    return below


def _is_other_query(node: _Node) -> bool:
    return node["Node Type"] == "Limit" or node.get("Parent Relationship") in _CORRELATED
