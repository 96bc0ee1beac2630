"""Which uploads with numbered parts a bucket has, in the order of their keys and then of their beginnings."""

from __future__ import annotations

from app.database import Statement
from app.storage.asker import Asker
from app.storage.names import BEYOND, successor
from app.storage.rows import number, text
from app.storage.storage import Storage
from app.storage.unfinished.records import Upload, read_upload
from app.storage.unfinished.sql import UPLOAD_COLUMNS

# $4, $5: the key and the id of the upload after which the list begins; without an id, after all of that key.
_LIST = Statement(
    f"""
    SELECT {UPLOAD_COLUMNS} FROM storage.uploads u
    WHERE u.bucket_id = $1 AND u.form = 'numbered' AND u.finished IS NULL AND u.expires_at > clock_timestamp()
      AND u.name COLLATE "C" >= $2 AND u.name COLLATE "C" < $3
      AND (u.name COLLATE "C" > $4 OR ($5 <> '' AND u.name = $4 AND (u.created_at, u.id) > (
          SELECT m.created_at, m.id FROM storage.uploads m WHERE m.id = $5)))
    ORDER BY u.name COLLATE "C", u.created_at, u.id LIMIT $6::bigint
    """,  # noqa: S608
    "list_uploads",
)


def list_uploads(
    storage: Storage, asker: Asker, bucket: str, *, prefix: str = "", after: str = "", after_id: str = "", limit: int
) -> list[Upload]:
    """Unfinished uploads whose keys have this prefix, whoever asks; the face leaves out what the caller may not see."""
    wanted = (text(bucket), text(prefix), text(successor(prefix) or BEYOND), text(after), text(after_id), number(limit))
    rows = storage.database.run(asker.service_context(), [(_LIST, wanted)], read_only=True)[0]
    return [read_upload(row) for row in rows]
