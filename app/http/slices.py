"""Bodies of which an operation takes a part, where the rest does not come."""

from __future__ import annotations

from typing import NamedTuple


class Slices(NamedTuple):
    """A body that may be answered in part: after ``size`` bytes, and also ``when_broken``, when the client is gone."""

    size: int
    when_broken: bool
