"""All that is used of h11 beside its public names. ``tests/house/test_private_names.py`` finds any other use."""

from __future__ import annotations

import re

from h11 import _readers


def read_spaces_once() -> None:
    """For a header that is none behind many spaces h11 goes back over them for each of them. Have it take each once."""
    pattern = _readers.header_field_re.pattern.replace(rb":[ \t]*(", rb":[ \t]*+(")
    _readers.header_field_re = re.compile(pattern)
