"""The attacks, one file for each kind."""

from __future__ import annotations

from bench.siege.attacks import (
    callers,
    clients,
    comments,
    cost,
    documents,
    faults,
    names,
    objects,
    races,
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
    *objects.ATTACKS,
    *races.ATTACKS,
    *wire.ATTACKS,
    *clients.ATTACKS,
    *faults.ATTACKS,
)
