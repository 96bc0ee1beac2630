"""The bucket of a public URL of the storage."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from app.faces.shared.paths import without_prefix

_PUBLIC = re.compile(r"/(?:object|object/info|render/image)/public/([^/]+)/.", re.DOTALL)


def public_bucket(path: str) -> str | None:
    """The bucket that an undecoded path names, if it is that of a public object; else None."""
    found = _PUBLIC.match(without_prefix(path))
    if found is None:
        return None
    try:
        return unquote_to_bytes(found[1].encode("latin-1")).decode()
    except ValueError:
        return None
