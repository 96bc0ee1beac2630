"""The state that storage operations of a process share, built from the settings."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path

import pluggy

from app.database import BoundStatement, Context, ContextBuilder, Database, Row, Statement, despite_conflicts
from app.identity import SERVICE_ROLE, Identity
from app.identity.derived_keys import SIGNED_URLS, derived_key
from app.settings import Settings
from app.storage.bucket_origins import BucketOrigins
from app.storage.bytes.backend import Backend, open_backend
from app.storage.bytes.small_blobs import SmallBlobs
from app.storage.installed_features import InstalledFeatures
from app.storage.long_reads import LongReads, Read
from app.storage.request_context import RequestContext, operator_context
from app.storage.sql import BECOME, RECORD_EVENTS
from app.storage.upkeep.announcing import announced
from app.storage.upkeep.events import EventReceiver, ObjectCheck, ObjectEvent, encode_events
from app.storage.upkeep.work import Background, WorkList, service_reader
from app.storage.version_counts import VersionCounts

_MOST_NOTED = 10_000
# The rollback to the savepoint also restores the role that a trial changed.
_SAVEPOINT: BoundStatement = (Statement("SAVEPOINT trial", "savepoint"), ())
_UNDO: BoundStatement = (Statement("ROLLBACK TO SAVEPOINT trial", "undo"), ())
TRIAL = 2
"""The index of a trial's first statement in a StatementError of ``Storage.change``: index 1 is the savepoint."""


@dataclass(frozen=True)
class Storage:
    """``small_blobs``: the cache of small blobs. ``streams`` limits concurrent downloads of other blobs from a remote
    backend, and ``long_reads`` concurrent long listings. ``bucket_origins``: the CORS rules of buckets. ``features``:
    those that the database has. ``version_counts`` are for metrics. ``accessed`` collects the ids of objects that were
    read. ``wake`` is set when there is background work. ``signing_secret``: the key that signs URLs; empty when none is
    configured."""

    settings: Settings
    database: Database
    contexts: ContextBuilder
    identity: Identity
    open_backend: Callable[[], Backend]
    signing_secret: bytes = field(repr=False)
    receivers: Sequence[EventReceiver]
    checks: Sequence[ObjectCheck]
    small_blobs: SmallBlobs
    streams: threading.BoundedSemaphore
    long_reads: LongReads
    bucket_origins: BucketOrigins
    features: InstalledFeatures
    version_counts: VersionCounts
    wake: threading.Event
    accessed: set[str]
    background: Background

    @property
    def any_script(self) -> bool:
        """See ``check_key``."""
        return self.settings.object_keys == "unicode"

    @cached_property
    def backend(self) -> Backend:
        """The backend, opened on first use. Raises BackendUnusable."""
        return self.open_backend()

    def close(self) -> None:
        """Stop the background thread, and close the backend if it was opened."""
        self.background.close()
        if "backend" in self.__dict__:
            self.backend.close()

    def change(
        self,
        request: RequestContext,
        context: Context,
        calls: Sequence[BoundStatement],
        events_of: Callable[[list[list[Row]]], Sequence[ObjectEvent]],
        *,
        check: Callable[[list[list[Row]]], None] | None = None,
        trial: Sequence[BoundStatement] = (),
    ) -> list[list[Row]]:
        """Run ``calls`` and record the events that they cause, in one transaction, rolled back when ``check`` raises.

        ``trial`` is run first and rolled back. The index in a StatementError of the trial is that in ``trial`` plus
        ``TRIAL``. Returns the rows of each call. It takes one round trip when there are neither receivers nor a check.
        """
        undone = (_SAVEPOINT, *trial, _UNDO) if trial else ()

        def change_once() -> list[list[Row]]:
            if not self.receivers and check is None:
                own = context.with_savepoints() if trial else context
                return self.database.run(own, [*undone, *calls], read_only=False)[len(undone) :]
            # ``ended`` is left after the transaction: announced events are confirmed or forgotten then.
            with ExitStack() as ended, self.database.transaction(context) as transaction:
                results = transaction.run_all([*undone, *calls])[len(undone) :]
                if check is not None:
                    check(results)
                events = events_of(results) if self.receivers else ()
                if events:
                    names = json.dumps([receiver.name for receiver in self.receivers]).encode()
                    values = encode_events(events, request.request_id()), names
                    if context.role != SERVICE_ROLE and self.database.separates_service:
                        ended.enter_context(announced(self.database, request.service_context(), values))
                    else:
                        transaction.run_all([(BECOME, (SERVICE_ROLE.encode(),)), (RECORD_EVENTS, values)])
            self.wake.set()
            return results

        return despite_conflicts(change_once)

    def read(self, request: RequestContext) -> Read:
        """A context manager for the statements of one request that may take long."""
        return Read(self.database, None if request.role == SERVICE_ROLE else self.long_reads, request.role)

    def note_freed(self) -> None:
        """Wake the background thread to delete bytes that no row names any more, if they have no grace period."""
        if self.settings.replaced_bytes_grace_s == 0:
            self.wake.set()

    def note_access(self, object_id: str) -> None:
        """Let the background thread record that the object was read."""
        # The set is bounded. An object that is read often and is dropped here will be added at a later read.
        if len(self.accessed) < _MOST_NOTED:
            self.accessed.add(object_id)


def storage_url(settings: Settings) -> str:
    """The URL of the backend; without the setting STORAGE_URL it is a folder beside the embedded database."""
    return settings.storage_url or (Path(settings.data_dir).absolute() / "objects").as_uri()


def open_storage(
    settings: Settings,
    plugins: pluggy.PluginManager,
    database: Database,
    contexts: ContextBuilder,
    identity: Identity,
) -> Storage:
    """The storage of a process. A configured backend is opened now, so that a wrong URL is reported at startup.

    Raises BackendUnusable.
    """

    def opened() -> Backend:
        return open_backend(plugins, storage_url(settings))

    read = service_reader(database, contexts)
    features = InstalledFeatures(read)
    receivers = tuple(chain.from_iterable(plugins.hook.object_event_receivers(settings=settings)))
    wake, accessed = threading.Event(), set[str]()
    work = WorkList(
        database,
        contexts,
        lambda: storage.backend,
        receivers,
        features,
        grace_s=settings.replaced_bytes_grace_s,
    )
    storage = Storage(
        settings=settings,
        database=database,
        contexts=contexts,
        identity=identity,
        open_backend=opened,
        signing_secret=_signing_secret(settings),
        receivers=receivers,
        checks=tuple(chain.from_iterable(plugins.hook.object_checks(settings=settings))),
        small_blobs=SmallBlobs(settings.object_cache),
        streams=threading.BoundedSemaphore(settings.remote_streams),
        long_reads=LongReads(settings.threads),
        bucket_origins=BucketOrigins(read),
        features=features,
        version_counts=VersionCounts(),
        wake=wake,
        accessed=accessed,
        background=Background(work, wake, accessed),
    )
    if settings.storage_url:
        _ = storage.backend
    return storage


@contextmanager
def operators_storage(
    settings: Settings, plugins: pluggy.PluginManager, operation: str
) -> Iterator[tuple[Storage, RequestContext]]:
    """The storage for an operator's command, and a request context of the service for ``operation``. Raises
    BackendUnusable."""
    contexts = ContextBuilder()
    with (
        closing(Database(settings)) as database,
        closing(open_storage(settings, plugins, database, contexts, Identity(settings))) as storage,
    ):
        yield storage, operator_context(contexts, operation)


def _signing_secret(settings: Settings) -> bytes:
    """The key that signs URLs, derived from JWT_SECRET or else SERVICE_ROLE_KEY; empty when neither is set.

    It differs from the secret, so that the token of a signed URL is never valid as a user's token, nor the reverse.
    """
    secret = settings.jwt_secret or settings.service_role_key
    return derived_key(secret, SIGNED_URLS) if secret else b""
