"""Documents that requests name instead of sending their text: registered ones, and those that clients sent before."""

from app.documents.named import NamedDocuments
from app.documents.registry import Registry
from app.documents.source import DocumentSource, DocumentsUnusable, document_sources

__all__ = ["DocumentSource", "DocumentsUnusable", "NamedDocuments", "Registry", "document_sources"]
