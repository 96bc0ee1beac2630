"""Steps from rows to related rows that Citus cannot make, because no server has both."""

from __future__ import annotations

from app.query.plan.refusals import refused
from app.query.plan.rows import Rows

_SEVERAL = "Rows of {known} and of {new} are on several servers, and this request needs them together."
_APART = "Citus keeps rows of {known} and of {new} on different servers, so no request can read them together."
_LOCAL = "Only one of {known} and {new} is in tables that Citus distributes, so no request can read them together."
_APART_HINT = (
    "Read them in requests of their own, or distribute the tables so that Citus keeps their rows together:"
    ' docs/sharding.md, "Refused".'
)


def check_step(known: Rows, new: Rows, *, is_linked: bool) -> None:
    """Raise RequestError unless one server has ``known``, rows of the statement, and ``new``, the related rows.
    ``is_linked``: rows that are related have the same value in the distribution columns of both relations."""
    one, other = known.relation, new.relation
    names = {"known": one.type_name, "new": other.type_name}
    here, there = one.relation.placement, other.relation.placement
    if there is not None and there.is_everywhere:
        return
    if known.shard.is_result or (here is not None and here.is_everywhere):
        if there is not None and other.distribution is not None and new.shard.value is None:
            raise refused(_SEVERAL.format(**names))
        return
    if here is None or there is None:
        if "v" not in (one.relation.kind, other.relation.kind):
            raise refused(_LOCAL.format(**names), _APART_HINT)
        return
    if None not in (here.group, there.group) and here.group != there.group:
        raise refused(_APART.format(**names), _APART_HINT)
    if other.distribution is not None and not is_linked and new.shard.value is not known.shard.value:
        raise refused(_SEVERAL.format(**names))
