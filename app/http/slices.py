"""Request bodies that an operation may accept in part."""

from __future__ import annotations

from typing import NamedTuple


class Slices(NamedTuple):
    """The request may be answered with a part of its body: after ``size`` bytes, and with ``when_broken`` also when the
    connection breaks."""

    size: int
    when_broken: bool
