"""All that is used of Falcon beside its public names. ``tests/house/test_private_names.py`` finds any other use."""

from __future__ import annotations

from collections.abc import Iterable

import falcon


def set_headers(resp: falcon.Response, headers: Iterable[tuple[str, str]]) -> None:
    """Set headers whose names are in lower case and no cookies. What Falcon's own ``set_headers`` does to others takes
    a thirtieth of a small download."""
    resp._headers.update(headers)
