"""Finds the text of a document by its id, and decides which texts a role may run."""

from __future__ import annotations

from collections.abc import Collection

from app.bounded_cache import BoundedCache
from app.documents.registry import HASH, Registry, hash_of
from app.graphql.documents.errors import DocumentError

ANY_ROLE = "*"


class NamedDocuments:
    """The registered documents, and at most ``automatic`` texts that clients sent to this process with their hashes,
    the most recently used ones. The roles ``only``, or all roles if it contains ``*``, may run only registered
    documents."""

    def __init__(self, registry: Registry, automatic: int, only: Collection[str]) -> None:
        self.registry = registry
        self.is_automatic = automatic > 0
        self.is_restricted = bool(only)
        self._only = frozenset(only)
        self._automatic: BoundedCache[str] = BoundedCache(automatic)

    def text(self, document_id: str) -> str | None:
        """The text of a document. ``document_id`` is ``sha256:`` and its hash, or its registered name. None if there is
        no such document."""
        found = self.registry.current().by_id.get(document_id)
        return found if found is not None else self._automatic.get(document_id) if self.is_automatic else None

    def restricts(self, role: str) -> bool:
        """Whether a role may run only registered documents."""
        return self.is_restricted and (role in self._only or ANY_ROLE in self._only)

    def check(self, role: str, text: str) -> None:
        """Raise DocumentError if the role may not run the text."""
        if self.restricts(role) and text not in self.registry.current().texts:
            raise DocumentError(
                f"The role {role!r} may run registered documents only",
                "DOCUMENT_NOT_ALLOWED",
                graphql_status=403,
                hint="Send the documentId or the exact text of a registered document (DOCUMENTS).",
            )

    def remember(self, role: str, text: str) -> None:
        """Keep a text that a client with this role sent together with its hash."""
        if not self.restricts(role):
            self._automatic.put(hash_of(text), text, len(text))


def is_named(text: str, document_id: str) -> bool:
    """Whether ``document_id`` is the hash of ``text``."""
    return document_id.startswith(HASH) and hash_of(text) == document_id
