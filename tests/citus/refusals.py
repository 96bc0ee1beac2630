"""The requests of the matrix that a cluster cannot answer, with the modes in which it cannot."""

from __future__ import annotations

_ALL = ("schema", "service", "claim", "policies")
_BY_ROW = ("service", "claim", "policies")
_WITHOUT_CLAIM = ("service", "policies")
_UNDER_POLICIES = ("schema", "claim", "policies")

REFUSED: dict[str, tuple[str, ...]] = {
    "read: children of a reference table": _WITHOUT_CLAIM,
    "read: count of a reference table's children": _WITHOUT_CLAIM,
    "read: filter a reference table": _WITHOUT_CLAIM,
    "read: set function with children": _WITHOUT_CLAIM,
    "read: set function with parents": _WITHOUT_CLAIM,
    "read: row function with children": _WITHOUT_CLAIM,
    "read: computed field that reads": _ALL,
    "read: computed field that reads, of a tenant": _ALL,
    "write: insert, read children": _ALL,
    "write: upsert add": _ALL,
    "write: upsert filter": _UNDER_POLICIES,
    "write: upsert filter without match": _UNDER_POLICIES,
    "write: update across, read children": _WITHOUT_CLAIM,
    "write: update across, read parent": _WITHOUT_CLAIM,
    "write: update the tenant": _BY_ROW,
    "write: update a country, read children": _WITHOUT_CLAIM,
    "write: update a view": _ALL,
    "write: function that updates, with children": _WITHOUT_CLAIM,
    "write: function that updates rows, with parents": _WITHOUT_CLAIM,
    "nested: two parents of two tenants": _BY_ROW,
    "nested: connect a child of another tenant": _BY_ROW,
    "nested: connect children of a reference table": _WITHOUT_CLAIM,
}
