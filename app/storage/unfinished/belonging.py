"""Ownership of an upload in pieces: it belongs to the caller who began it. Only service_role can use those of others.

The owner is in the upload's notes, since databases of earlier versions have no column for it. Uploads that earlier
versions have begun belong to the subject in their column ``owner_id``, or to callers without a subject.
"""

from __future__ import annotations

import json

from app.identity import SERVICE_ROLE
from app.storage.request_context import RequestContext
from app.storage.row_decoding import RawValue, owner_columns, text

BEGUN_BY = "begunBy"
"""The member of an upload's notes that says who began it."""

IS_OWN = f"""
    ($1::text IS NULL OR coalesce(u.notes ->> '{BEGUN_BY}' = $1, u.owner_id IS NOT DISTINCT FROM $2::text))"""
"""The condition that an upload ``u`` belongs to the caller. $1, $2: ``ownership_parameters``."""


def begun_by(request: RequestContext) -> str:
    """The caller's role and subject. Without a subject, also the access key, which then distinguishes callers."""
    subject = request.subject
    return json.dumps([request.role, subject] if subject else [request.role, None, request.access_key])


def ownership_parameters(request: RequestContext) -> tuple[RawValue, RawValue]:
    """The first parameters of a statement with IS_OWN."""
    if request.role == SERVICE_ROLE and not request.is_signer:
        return None, None
    return text(begun_by(request)), owner_columns(request.subject)[1]


def is_known(request: RequestContext) -> bool:
    """Whether the caller can be distinguished from others. Anonymous callers cannot: they must know an upload's id."""
    return bool(request.role == SERVICE_ROLE or request.subject or request.access_key)
