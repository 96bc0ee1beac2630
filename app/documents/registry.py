"""The registered documents. They are read when the service starts, and again when they have changed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from threading import Event, Thread

from app.documents.source import DocumentSource, DocumentsUnusable
from app.errors import RequestError, Unavailable

log = logging.getLogger("portico.documents")

HASH = "sha256:"

Check = Callable[[str], object]
"""Raises RequestError for a text of which no operation can be run."""


@dataclass(frozen=True, slots=True)
class Registered:
    """The texts by their ids: the names under which they are registered, and their hashes."""

    by_id: Mapping[str, str]
    texts: frozenset[str]


class Registry:
    """Holds the documents of all sources. A request calls ``current()`` once. Changed documents are read in the
    background and then replace the current ones. If they cannot be used, this is logged, and the current ones stay."""

    def __init__(self, sources: Sequence[DocumentSource], check: Check, interval: float = 1.0) -> None:
        """``interval``: the seconds between two checks for changes."""
        self._sources = sources
        self._check = check
        self._interval = interval
        self._states: tuple[Hashable, ...] = ()
        self._registered = None if sources else Registered({}, frozenset())
        self._logged = ""
        self._closing = Event()
        self._thread: Thread | None = None

    def current(self) -> Registered:
        """The current documents. Raises Unavailable until they could be read once."""
        if self._registered is None:
            raise Unavailable("The registered documents cannot be read at the moment.")
        return self._registered

    def start(self) -> None:
        """Read the documents, and start to check for changes. Raises DocumentsUnusable."""
        if not self._sources:
            return
        try:
            self.refresh()
        except Unavailable as ex:
            self._log_once(f"the registered documents cannot be read yet: {ex.message}")
        self._thread = Thread(target=self._watch, name="documents", daemon=True)
        self._thread.start()

    def refresh(self) -> None:
        """Read the documents again if a source has changed. Raises DocumentsUnusable or Unavailable."""
        states = tuple(each.state() for each in self._sources)
        if self._registered is not None and states == self._states:
            return
        registered = _joined([each.read() for each in self._sources], self._check)
        # The states were read before the documents: the next check notices a change in between.
        self._registered, self._states, self._logged = registered, states, ""
        log.info("%d documents are registered", len(registered.texts))

    def close(self, timeout: float = 1.0) -> None:
        """Stop checking for changes. A running check may take longer than ``timeout`` seconds; it is the last one."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(timeout)

    def _watch(self) -> None:
        while not self._closing.wait(self._interval):
            try:
                self.refresh()
            except DocumentsUnusable as ex:
                self._log_once(f"the registered documents stay as they were: {ex}")
            except Unavailable as ex:
                self._log_once(f"the registered documents cannot be read: {ex.message}")
            except Exception as ex:
                self._log_once(f"the registered documents cannot be read: {type(ex).__name__}")

    def _log_once(self, message: str) -> None:
        """Log a problem, unless it is the same as the last one."""
        if message != self._logged:
            self._logged = message
            log.error("%s", message)


def _joined(found: Iterable[Mapping[str, str]], check: Check) -> Registered:
    by_id: dict[str, str] = {}
    for documents in found:
        for name, text in documents.items():
            _check(name, text, check)
            if by_id.setdefault(name, text) != text:
                raise DocumentsUnusable(f"two documents are registered as {name!r}")
    texts = frozenset(by_id.values())
    by_hash = {hash_of(text): text for text in texts}
    for name, text in by_id.items():
        if name.startswith(HASH) and by_hash.get(name) != text:
            raise DocumentsUnusable(f"the document {name!r} is registered under a hash that does not match its text")
    return Registered({**by_id, **by_hash}, texts)


def _check(name: str, text: str, check: Check) -> None:
    if not name:
        raise DocumentsUnusable("a document is registered without an id")
    try:
        check(text)
    except RequestError as ex:
        raise DocumentsUnusable(f"the document {name!r} cannot be used: {ex.message}") from None


def hash_of(text: str) -> str:
    """The id of any text: ``sha256:`` and the hash of its bytes in UTF-8."""
    return HASH + sha256(text.encode(errors="surrogatepass")).hexdigest()
