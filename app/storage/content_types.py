"""The MIME type that an object has: it becomes a header of answers, and decides what browsers do with the bytes."""

from __future__ import annotations

import re

from app.storage.errors import InvalidContentType

# No comma: browsers read what follows it as another type. No control characters: headers cannot contain them.
_CONTENT_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+*-]+ *(;[\x20-\x2b\x2d-\x7e]*)?", re.ASCII)


def check_content_type(content_type: str) -> str:
    """The type without surrounding spaces; '' when there is none. Raises InvalidContentType."""
    content_type = content_type.strip()
    if content_type and not _CONTENT_TYPE.fullmatch(content_type):
        raise InvalidContentType(content_type)
    return content_type
