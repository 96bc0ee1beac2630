"""The registered documents: read when the service starts, and again when they have changed."""

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
"""Raises RequestError for a text that no operation can be run from."""


@dataclass(frozen=True, slots=True)
class Registered:
    """The texts by their ids: the names that they are registered under, and their hashes."""

    by_id: Mapping[str, str]
    texts: frozenset[str]


class Registry:
    """Keeps what the sources have. A request takes ``current()`` once; a change is read beside it and swapped in.
    A change that cannot be used is logged, and what was there before stays."""

    def __init__(self, sources: Sequence[DocumentSource], check: Check, interval: float = 1.0) -> None:
        """``interval``: seconds between two looks for changes."""
        self._sources = sources
        self._check = check
        self._interval = interval
        self._states: tuple[Hashable, ...] = ()
        self._registered = None if sources else Registered({}, frozenset())
        self._told = ""
        self._closing = Event()
        self._thread: Thread | None = None

    def current(self) -> Registered:
        """The documents to work with now. Raises Unavailable while they could not be read."""
        if self._registered is None:
            raise Unavailable("The registered documents cannot be read at the moment.")
        return self._registered

    def start(self) -> None:
        """Read the documents, and look for changes from now on. Raises DocumentsUnusable."""
        if not self._sources:
            return
        try:
            self.refresh()
        except Unavailable as ex:
            self._tell(f"the registered documents cannot be read yet: {ex.message}")
        self._thread = Thread(target=self._watch, name="documents", daemon=True)
        self._thread.start()

    def refresh(self) -> None:
        """Read the documents again if a source has changed. Raises DocumentsUnusable or Unavailable."""
        states = tuple(each.state() for each in self._sources)
        if self._registered is not None and states == self._states:
            return
        registered = _joined([each.read() for each in self._sources], self._check)
        # The states were asked for first: what changes in between is seen the next time.
        self._registered, self._states, self._told = registered, states, ""
        log.info("%d documents are registered", len(registered.texts))

    def close(self, timeout: float = 1.0) -> None:
        """End the looking for changes; a look under way may outlast ``timeout`` seconds, but is the last."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(timeout)

    def _watch(self) -> None:
        while not self._closing.wait(self._interval):
            try:
                self.refresh()
            except DocumentsUnusable as ex:
                self._tell(f"the registered documents stay as they were: {ex}")
            except Unavailable as ex:
                self._tell(f"the registered documents cannot be read: {ex.message}")
            except Exception as ex:
                self._tell(f"the registered documents cannot be read: {type(ex).__name__}")

    def _tell(self, message: str) -> None:
        """Log a problem, once for as long as it lasts."""
        if message != self._told:
            self._told = message
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
            raise DocumentsUnusable(f"the document {name!r} is registered under a hash that is not that of its text")
    return Registered({**by_id, **by_hash}, texts)


def _check(name: str, text: str, check: Check) -> None:
    if not name:
        raise DocumentsUnusable("a document is registered without an id")
    try:
        check(text)
    except RequestError as ex:
        raise DocumentsUnusable(f"the document {name!r} cannot be used: {ex.message}") from None


def hash_of(text: str) -> str:
    """The id that any text has: the SHA-256 of its bytes in UTF-8."""
    return HASH + sha256(text.encode(errors="surrogatepass")).hexdigest()
