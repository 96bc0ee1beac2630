"""The attacks, one file for each kind."""

from __future__ import annotations

from bench.siege.attacks import (
    callers,
    clients,
    comments,
    cost,
    documents,
    faults,
    hidden_tables,
    names,
    objects,
    races,
    surroundings,
    tokens,
    wire,
)

ATTACKS = (
    *documents.ATTACKS,
    *names.ATTACKS,
    *callers.ATTACKS,
    *tokens.ATTACKS,
    *cost.ATTACKS,
    *comments.ATTACKS,
    *hidden_tables.ATTACKS,
    *objects.ATTACKS,
    *races.ATTACKS,
    *wire.ATTACKS,
    *clients.ATTACKS,
    *surroundings.ATTACKS,
    *faults.ATTACKS,
)
