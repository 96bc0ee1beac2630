"""Decodes the access control lists in the catalog's text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from schema_cache.model import Acl, Grant


def read_acls(rows: Sequence[Sequence[Any]]) -> dict[int, Acl]:
    """The lists by their numbers in the text. Equal lists are one object."""
    grants: dict[int, list[Grant]] = defaultdict(list)
    for number, grantee, privileges in rows:
        grants[number].append(Grant(grantee, frozenset(privileges.split())))
    interned: dict[Acl, Acl] = {}
    return {number: interned.setdefault(tuple(held), tuple(held)) for number, held in grants.items()}
