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
    images_door,
    injections,
    names,
    objects,
    queries,
    races,
    resumable_door,
    s3_door,
    slow_servers,
    surroundings,
    tokens,
    uploads_of_others,
    wire,
)

ATTACKS = (
    *documents.ATTACKS,
    *names.ATTACKS,
    *callers.ATTACKS,
    *injections.ATTACKS,
    *tokens.ATTACKS,
    *cost.ATTACKS,
    *comments.ATTACKS,
    *hidden_tables.ATTACKS,
    *queries.ATTACKS,
    *objects.ATTACKS,
    *races.ATTACKS,
    *s3_door.ATTACKS,
    *resumable_door.ATTACKS,
    *uploads_of_others.ATTACKS,
    *images_door.ATTACKS,
    *wire.ATTACKS,
    *clients.ATTACKS,
    *slow_servers.ATTACKS,
    *surroundings.ATTACKS,
    *faults.ATTACKS,
)
