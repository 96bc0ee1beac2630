"""Listing one level of a bucket, first version: pages by offset, names relative to a folder, case does not count."""

from __future__ import annotations

from typing import cast

from app.storage.access import own_context, service_context
from app.storage.names import successor
from app.storage.records import Answer, Call
from app.storage.rest.json_bodies import Member, read_json_object
from app.storage.rows import Parameter, known, text
from app.storage.sql_listing import BEYOND, Order, page_v1, walk
from app.storage.storage import Storage

_LARGEST_PAGE = 1500
_LARGEST_STEP = 5000
_WHOLE_LEVEL = 2**62

_BODY = (
    Member("prefix", "string", required=True),
    Member("limit", "integer", least=1, default=100),
    Member("offset", "integer", least=0, default=0),
    Member("search", "string", default=""),
    Member(
        "sortBy",
        "object",
        members=(
            Member("column", "string", among=("name", "updated_at", "created_at", "last_accessed_at"), default="name"),
            Member("order", "string", among=("asc", "desc"), default="asc"),
        ),
        default={},
    ),
)


def list_objects(storage: Storage, call: Call) -> Answer:
    """POST /object/list/{bucket}"""
    given = read_json_object(call, _BODY)
    prefix = given["prefix"].replace("\0", "")
    if prefix and not prefix.endswith("/"):
        prefix += "/"
    column: str = given["sortBy"].get("column", "name")
    order = cast(Order, given["sortBy"].get("order", "asc"))
    level = Level(storage, call, (prefix + given["search"].replace("\0", "")).lower(), order, folded=True)
    statement = page_v1(column, order)
    limit, offset = min(given["limit"], _LARGEST_PAGE), given["offset"]
    pages: list[bytes] = []
    step = min(limit + offset, _LARGEST_STEP) if column == "name" else _WHOLE_LEVEL
    while limit > 0 and not level.at_end:
        parameters = (
            text(call.bucket), *level.more(step), _number(len(prefix)), _number(offset), _number(limit)
        )  # fmt: skip
        rows = storage.database.run(own_context(storage.contexts, call), [(statement, parameters)], read_only=True)[0]
        visible, count, page = int(known(rows[0][0])), int(known(rows[0][1])), known(rows[0][2])
        offset = max(0, offset - visible)
        limit -= count
        if count:
            pages.append(page)
        step = min(step * 2, _LARGEST_STEP)
    return Answer(body=_joined(pages))


Candidates = tuple[Parameter, Parameter, Parameter]
"""Arrays as the database gives and takes them: ids, folders, and another spelling of each folder."""


class Level:
    """A walk over the entries of one level, with the service's rights: candidates, of which the caller may see some.

    ``prefix`` is what keys begin with; ``folded``: in lower case, as the keys are compared then.
    """

    def __init__(
        self,
        storage: Storage,
        call: Call,
        prefix: str,
        order: Order,
        *,
        folded: bool,
        delimited: bool = True,
        position: str | None = None,
    ) -> None:
        self._storage = storage
        self._call = call
        self._statement = walk(folded=folded, order=order, delimited=delimited)
        self._lower, self._upper = prefix, successor(prefix) or BEYOND
        if position is None:
            position = self._lower if order == "asc" else self._upper
        self._position: Parameter = text(position)
        self._prefix_length = _number(len(prefix))
        self.at_end = False

    def more(self, wanted: int) -> Candidates:
        """At least ``wanted`` further entries, or all that are left; then ``at_end`` is true."""
        call = self._call
        parameters = (text(call.bucket), self._position, text(self._lower), text(self._upper), self._prefix_length,
                      _number(wanted))  # fmt: skip
        context = service_context(self._storage.contexts, call)
        count, ids, folders, lasts, position = self._storage.database.run(
            context, [(self._statement, parameters)], read_only=True
        )[0][0]
        self._position = position
        self.at_end = int(known(count)) < wanted
        return ids, folders, lasts


def _number(value: int) -> bytes:
    return str(value).encode()


def _joined(pages: list[bytes]) -> bytes:
    """One JSON array of several."""
    return b"[" + b", ".join(page[1:-1] for page in pages) + b"]"
