"""To whom an upload in pieces belongs: to the caller who began it. To all others but service_role it does not exist.

That is kept with the upload's notes, so it needs no column that databases of earlier versions lack. Uploads that these
have begun belong to their owner, or to callers without a subject.
"""

from __future__ import annotations

import json

from app.identity import SERVICE_ROLE
from app.storage.request_context import RequestContext
from app.storage.row_decoding import RawValue, owner_columns, text

BEGUN_BY = "begunBy"
"""The member of an upload's notes that says who began it."""

IS_THEIRS = f"""
    ($1::text IS NULL OR coalesce(u.notes ->> '{BEGUN_BY}' = $1, u.owner_id IS NOT DISTINCT FROM $2::text))"""
"""The condition on an upload ``u``. $1, $2: ``whose``."""


def begun_by(request: RequestContext) -> str:
    """The caller's role and subject. Without a subject it is also the access key, which then distinguishes callers."""
    subject = request.subject
    return json.dumps([request.role, subject] if subject else [request.role, None, request.access_key])


def whose(request: RequestContext) -> tuple[RawValue, RawValue]:
    """The first parameters of a statement with IS_THEIRS."""
    if request.role == SERVICE_ROLE and not request.is_signer:
        return None, None
    return text(begun_by(request)), owner_columns(request.subject)[1]


def is_known(request: RequestContext) -> bool:
    """Whether the caller can be distinguished from others. Anonymous ones cannot: they must know an upload's id."""
    return bool(request.role == SERVICE_ROLE or request.subject or request.access_key)
