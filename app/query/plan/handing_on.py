"""Texts that one statement passes to later ones of the same transaction, inside the database.

They are kept in settings that are local to the transaction. With Citus a statement may run on another server as a
whole, where a setting would stay. So there the texts are computed first, by a query that Citus may send anywhere, and
the settings are made by an outer query that reads a local table, which keeps it on the coordinator. SET LOCAL commands
take them to the other servers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, literal_column, select, table
from sqlalchemy.dialects.postgresql import array

from app.query.sql.constructs import as_text, builtin, cast_to, computed_first, constant, extension_call
from app.query.sql.json_texts import json_text

HANDED_ON = "portico.k"
"""The prefix of the names of the settings."""

_ONE: ColumnElement[Any] = literal_column("1")

Refuse = Callable[[ColumnElement[Any]], ColumnElement[Any]]
"""A function from a text to the same text, or to an error that depends on all rows of the statement."""


@dataclass(frozen=True)
class HandedOn:
    """``text``: the expression in the statement that passes it on. ``read``: the expression in later statements.
    ``refuse`` may roll back the transaction instead."""

    name: str
    text: ColumnElement[Any]
    refuse: Refuse | None = None

    @property
    def read(self) -> ColumnElement[Any]:
        return builtin.current_setting(constant(self.name))

    @property
    def kept(self) -> ColumnElement[Any]:
        """A value that sets the setting when it is computed."""
        # The length instead of the text, which would be sent to the service for nothing.
        kept = builtin.octet_length(builtin.set_config(constant(self.name), self.text, literal_column("true")))
        return kept if self.refuse is None else self.refuse(json_text(kept))

    @property
    def checked(self) -> ColumnElement[Any]:
        """The text alone."""
        return as_text(self.text if self.refuse is None else self.refuse(self.text))


ComputedBy = Callable[..., Select[Any]]
"""A function from columns to a query for them that returns one row."""


def keep(query: ComputedBy, texts: Sequence[HandedOn]) -> Select[Any]:
    """The statement that passes on the texts, which ``query`` computes."""
    return query(*(each.kept for each in texts))


def keep_on_coordinator(query: ComputedBy, texts: Sequence[HandedOn], name: Callable[[str], str]) -> Select[Any]:
    """The same with Citus. ``name`` makes names that nothing else in the statement has."""
    labels = [f"text_{number}" for number in range(len(texts))]
    found = computed_first(
        query(*(each.checked.label(label) for each, label in zip(texts, labels, strict=True))), name("texts")
    )
    local = select(_ONE).select_from(table("pg_am", schema="pg_catalog")).limit(_ONE)
    names = array([constant(each.name) for each in texts])
    values = array([found.c[label] for label in labels])
    kept = extension_call("graphql", "set_local", cast_to(names, "text[]"), cast_to(values, "text[]"))
    return select(builtin.num_nulls(kept)).select_from(found, local.subquery(name("here")))
