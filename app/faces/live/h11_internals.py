"""The only uses of h11's private names; ``tests/house/test_private_names.py`` finds any other."""

from __future__ import annotations

import re

from h11 import _readers


def read_spaces_once() -> None:
    """Replace h11's pattern for headers: after many spaces it backtracks in quadratic time. The new one reads each
    space once."""
    pattern = _readers.header_field_re.pattern.replace(rb":[ \t]*(", rb":[ \t]*+(")
    _readers.header_field_re = re.compile(pattern)
