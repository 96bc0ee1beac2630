"""Tags of objects and buckets: a few short texts by name, which policies and lifecycle rules can read.

They are the column ``tags`` of a row: a JSON object of texts, or null without any tag.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.database import Statement, StatementError
from app.storage.error_translation import no_row_updated, refused
from app.storage.errors import InvalidTags, NoSuchObject, NotInstalled
from app.storage.reading import is_visible
from app.storage.records import ObjectName
from app.storage.request_context import RequestContext
from app.storage.row_decoding import json_value, text
from app.storage.storage import Storage

Tags = Mapping[str, str]

MOST_OF_OBJECT, MOST_OF_BUCKET = 10, 50
_LONGEST_NAME, _LONGEST_VALUE = 128, 256
_RESERVED = "aws:"

_SET_TAGS = Statement(
    "UPDATE storage.objects o SET tags = $3::jsonb WHERE o.bucket_id = $1 AND o.name = $2 RETURNING o.id", "set_tags"
)


def check_tags(pairs: Iterable[tuple[str, str]], most: int) -> dict[str, str]:
    """The tags by name. Raises InvalidTags for more than ``most``, for a name that is there twice, and for names and
    values that are too long or that the database cannot keep."""
    tags: dict[str, str] = {}
    for name, value in pairs:
        if name in tags:
            raise InvalidTags("Cannot provide multiple Tags with the same key")
        if not 1 <= len(name) <= _LONGEST_NAME or name.startswith(_RESERVED):
            raise InvalidTags(f"A tag's key has 1 to {_LONGEST_NAME} characters and does not begin with {_RESERVED}")
        if len(value) > _LONGEST_VALUE:
            raise InvalidTags(f"A tag's value has at most {_LONGEST_VALUE} characters")
        if not (name + value).isprintable():
            raise InvalidTags("Tags have printable characters only")
        tags[name] = value
    if len(tags) > most:
        raise InvalidTags(f"At most {most} tags are allowed")
    return tags


def check_installed(storage: Storage, tags: Tags | None) -> None:
    """Raise NotInstalled if there are tags and the database cannot keep them."""
    if tags and not storage.features.has_tags:
        raise NotInstalled


def set_tags(storage: Storage, request: RequestContext, name: ObjectName, tags: Tags) -> None:
    """Replace the tags of an object with the caller's rights; none remove them.

    Raises NoSuchObject, NotPermitted or NotInstalled.
    """
    if not storage.features.has_tags:
        raise NotInstalled
    parameters = (text(name.bucket), text(name.key), json_value(tags or None))
    try:
        rows = storage.database.run(request.own_context(), [(_SET_TAGS, parameters)], read_only=False)[0]
    except StatementError as ex:
        raise refused(ex, role=request.role, action="UPDATE", table="objects") from None
    if not rows:
        if is_visible(storage, request, name):
            raise no_row_updated(role=request.role, table="objects")
        raise NoSuchObject
