"""What the operations share in one process."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from app.database import Call as DatabaseCall
from app.database import Context, ContextBuilder, Database, Row, despite_conflicts
from app.identity import Identity
from app.storage.access import SERVICE_ROLE
from app.storage.bytes.backend import Backend
from app.storage.checks import ObjectCheck
from app.storage.http.signing import Signer
from app.storage.records import Call
from app.storage.sql import BECOME, RECORD_EVENTS
from app.storage.upkeep.events import EventReceiver, ObjectEvent, encode_events
from app.storage.upkeep.work import Background


@dataclass(frozen=True, slots=True)
class Limits:
    """``upload``: bytes of an object. ``signed_upload_s``: how long an upload may begin with a signed upload URL.
    ``any_script``: see ``check_key``."""

    upload: int
    signed_upload_s: int
    any_script: bool = False


@dataclass(frozen=True)
class Storage:
    """``streams`` are the places of downloads from afar. ``accessed`` collects the ids of objects that were read;
    ``wake`` is set when there is work for the background."""

    database: Database
    contexts: ContextBuilder
    identity: Identity
    open_backend: Callable[[], Backend]
    signer: Signer
    limits: Limits
    receivers: Sequence[EventReceiver]
    checks: Sequence[ObjectCheck]
    project_ref: str | None
    streams: threading.BoundedSemaphore
    wake: threading.Event
    accessed: set[str]
    background: Background

    @cached_property
    def backend(self) -> Backend:
        return self.open_backend()

    def close(self) -> None:
        self.background.close()
        if "backend" in self.__dict__:
            self.backend.close()

    def change(
        self,
        call: Call,
        context: Context,
        calls: Sequence[DatabaseCall],
        events_of: Callable[[list[list[Row]]], Sequence[ObjectEvent]],
    ) -> list[list[Row]]:
        """Run ``calls`` and write down the events they cause, in one transaction (one round trip without receivers)."""
        return despite_conflicts(lambda: self._change(call, context, calls, events_of))

    def _change(
        self,
        call: Call,
        context: Context,
        calls: Sequence[DatabaseCall],
        events_of: Callable[[list[list[Row]]], Sequence[ObjectEvent]],
    ) -> list[list[Row]]:
        if not self.receivers:
            return self.database.run(context, calls, read_only=False)
        with self.database.transaction(context) as transaction:
            results = transaction.run_all(calls)
            events = events_of(results)
            if events:
                names = json.dumps([receiver.name for receiver in self.receivers]).encode()
                written = encode_events(events, call.request_id())
                transaction.run_all([(BECOME, (SERVICE_ROLE.encode(),)), (RECORD_EVENTS, (written, names))])
        self.wake.set()
        return results

    def note_access(self, object_id: str) -> None:
        # Bounded: what is forgotten here was read often, and will be noted again.
        if len(self.accessed) < 10_000:
            self.accessed.add(object_id)
