"""Lists a bucket's unfinished uploads with numbered parts, ordered by key and then by the time they began."""

from __future__ import annotations

from app.database import Statement
from app.storage.names import BEYOND, successor
from app.storage.request_context import RequestContext
from app.storage.row_decoding import number, text
from app.storage.storage import Storage
from app.storage.unfinished.belonging import IS_OWN, is_known, ownership_parameters
from app.storage.unfinished.records import Upload, read_upload
from app.storage.unfinished.sql import UPLOAD_COLUMNS

# $1, $2: ``ownership_parameters``. $6, $7: the key and the id of the upload after which the list begins. Without an id,
# it begins after all uploads of that key.
_LIST = Statement(
    f"""
    SELECT {UPLOAD_COLUMNS} FROM storage.uploads u
    WHERE u.bucket_id = $3 AND u.form = 'numbered' AND u.finished IS NULL AND u.expires_at > clock_timestamp()
      AND u.name COLLATE "C" >= $4 AND u.name COLLATE "C" < $5
      AND (u.name COLLATE "C" > $6 OR ($7 <> '' AND u.name = $6 AND (u.created_at, u.id) > (
          SELECT m.created_at, m.id FROM storage.uploads m WHERE m.id = $7)))
      AND {IS_OWN}
    ORDER BY u.name COLLATE "C", u.created_at, u.id LIMIT $8::bigint
    """,  # noqa: S608
    "list_uploads",
)


def list_uploads(
    storage: Storage,
    request: RequestContext,
    bucket: str,
    *,
    prefix: str = "",
    after: str = "",
    after_id: str = "",
    limit: int,
) -> list[Upload]:
    """The caller's own unfinished uploads whose keys have this prefix, or all for service_role."""
    if not is_known(request):
        return []
    named = (text(bucket), text(prefix), text(successor(prefix) or BEYOND))
    wanted = (*ownership_parameters(request), *named, text(after), text(after_id), number(limit))
    rows = storage.database.run(request.service_context(), [(_LIST, wanted)], read_only=True)[0]
    return [read_upload(row) for row in rows]
