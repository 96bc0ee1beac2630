"""The storage of a process, made from its settings."""

from __future__ import annotations

import threading
from itertools import chain
from pathlib import Path

import pluggy

from app.database import ContextBuilder, Database
from app.identity import Identity
from app.settings import Settings
from app.storage.bytes.backend import Backend, open_backend
from app.storage.http.signing import Signer, signing_secret
from app.storage.storage import Limits, Storage
from app.storage.upkeep.work import Background, WorkList


def storage_url(settings: Settings) -> str:
    """Where the bytes are; without a setting in a folder beside the embedded database."""
    return settings.storage_url or (Path(settings.data_dir).absolute() / "objects").as_uri()


def open_storage(
    settings: Settings,
    plugins: pluggy.PluginManager,
    database: Database,
    contexts: ContextBuilder,
    identity: Identity,
) -> Storage:
    """The storage. A backend that was asked for is opened now, so that a wrong URL is told at the start.

    Raises BackendUnusable.
    """

    def opened() -> Backend:
        return open_backend(plugins, storage_url(settings))

    receivers = tuple(chain.from_iterable(plugins.hook.object_event_receivers(settings=settings)))
    wake, accessed = threading.Event(), set[str]()
    storage = Storage(
        database=database,
        contexts=contexts,
        identity=identity,
        open_backend=opened,
        signer=Signer(signing_secret(settings.jwt_secret, settings.service_role_key)),
        limits=Limits(
            upload=settings.upload_size_limit,
            signed_upload_s=settings.signed_upload_s,
            any_script=settings.object_keys == "unicode",
        ),
        receivers=receivers,
        checks=tuple(chain.from_iterable(plugins.hook.object_checks(settings=settings))),
        project_ref=settings.project_ref,
        streams=threading.BoundedSemaphore(settings.remote_streams),
        wake=wake,
        accessed=accessed,
        background=Background(
            WorkList(database, contexts, lambda: storage.backend, receivers, grace_s=settings.replaced_bytes_grace_s),
            wake,
            accessed,
        ),
    )
    if settings.storage_url:
        _ = storage.backend
    return storage
