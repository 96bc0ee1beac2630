"""Finds the text of the document to run: the request has the text itself, or the name of a document.

A name is a ``documentId``, or the hash in ``extensions.persistedQuery`` that Apollo's clients send for automatic
persisted queries. It refers to a registered document, or to one that an earlier request taught (sent with its hash).
"""

from __future__ import annotations

from typing import Any

from app.documents.named import NamedDocuments, is_named
from app.documents.registry import HASH
from app.errors import RequestError
from app.graphql.documents.errors import DocumentError
from app.pipeline.caller import caller_of
from app.pipeline.engine import Engine
from app.pipeline.extensions import PERSISTED_QUERY
from app.pipeline.records import GraphQLRequest

_VERSION = 1


def text_of(request: GraphQLRequest, engine: Engine) -> Any:
    """The text to run, unchecked. Raises RequestError if the name is malformed or unknown, or is the name of another
    text than the one that was sent with it."""
    if request.document_id is not None:
        return _by_id(request.query, request.document_id, engine.named_documents)
    if isinstance(request.extensions, dict) and PERSISTED_QUERY in request.extensions:
        return _by_hash(request, engine)
    return request.query


def is_taught(request: GraphQLRequest) -> bool:
    """Whether the request teaches its document: it has both the text and the hash, which ``text_of`` has compared."""
    extensions = request.extensions
    return (
        isinstance(extensions, dict)
        and PERSISTED_QUERY in extensions
        and request.query is not None
        and request.document_id is None
    )


def _by_id(query: Any, document_id: Any, documents: NamedDocuments) -> Any:
    if not isinstance(document_id, str):
        raise RequestError("documentId must be a string")
    if isinstance(query, str) and is_named(query, document_id):
        return query
    text = documents.text(document_id)
    if query is not None and (text is not None or document_id.startswith(HASH)) and query != text:
        raise DocumentError("The query is not the document that documentId names", "BAD_USER_INPUT")
    if text is None:
        hint = _about_unknown(document_id, documents)
        raise DocumentError("No document has this documentId", "PERSISTED_QUERY_NOT_FOUND", hint=hint)
    return text


def _about_unknown(document_id: str, documents: NamedDocuments) -> str:
    """Why no document has this id. The names of registered documents are not revealed."""
    if not documents.registry.current().by_id:
        return "No document is registered: set DOCUMENTS, or send the text in query. docs/documents.md explains both."
    if document_id.startswith(HASH):
        return (
            f"After {HASH} comes the SHA-256 hash of the document's exact text in UTF-8, as 64 lower-case hexadecimal "
            "digits. A changed space changes it."
        )
    return (
        "The id is the name under which the document is registered, such as that of its file without .graphql, or "
        f"{HASH} and the hash of its text. `portico documents check` lists the names."
    )


def _by_hash(request: GraphQLRequest, engine: Engine) -> Any:
    documents, query = engine.named_documents, request.query
    if query is not None and not documents.is_automatic:
        return query
    hashed = _hash(request.extensions[PERSISTED_QUERY])
    if isinstance(query, str):
        if not is_named(query, HASH + hashed):
            raise DocumentError("The sha256Hash is not that of the query", "BAD_USER_INPUT")
        return query
    # Apollo's manifests may have ids that are not hashes; its clients then send the id instead of the hash.
    text = documents.text(HASH + hashed) or documents.text(hashed)
    if text is None:
        raise _unknown(request, engine)
    return text


def _hash(persisted: Any) -> str:
    if not isinstance(persisted, dict) or persisted.get("version") != _VERSION:
        raise RequestError(f"extensions.persistedQuery must be an object of version {_VERSION}")
    hashed = persisted.get("sha256Hash")
    if not isinstance(hashed, str):
        raise RequestError("extensions.persistedQuery.sha256Hash must be a string")
    return hashed


def _unknown(request: GraphQLRequest, engine: Engine) -> RequestError:
    """The error that makes clients send the text: together with the hash if the service would keep the document,
    otherwise the text alone."""
    documents = engine.named_documents
    restricted = documents.is_restricted and documents.restricts(caller_of(request, engine).role)
    if documents.is_automatic and not restricted:
        return DocumentError("PersistedQueryNotFound", "PERSISTED_QUERY_NOT_FOUND")
    return RequestError(
        "PersistedQueryNotSupported",
        code="PERSISTED_QUERY_NOT_SUPPORTED",
        status=200,
        hint='Send the text of the document in query: docs/documents.md, "Automatic documents".',
    )
