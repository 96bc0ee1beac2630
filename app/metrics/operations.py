"""Decides which GraphQL operations have their own time series. The number is bounded, because any client can choose
operation names."""

from __future__ import annotations

from collections import Counter

from app.metrics.bounded_labels import OTHER

_OTHERS = (OTHER, OTHER)
_MOST_COUNTED = 1000
_LONGEST_NAME = 200


class OperationPlaces:
    """At most ``most`` places, each for the operations with one name and one role.

    An operation takes a place when the number of its successes exceeds the number of taken places. So the first
    operations take one at once, and many names that are rarely used never take one.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: set[tuple[str, str]] = set()
        self._succeeded: Counter[tuple[str, str]] = Counter()

    def labels(self, name: str, role: str, succeeded: bool) -> tuple[str, str]:
        """The labels under which one run of an operation is counted."""
        place = (name, role)
        if place in self._taken:
            return place
        if not succeeded or len(self._taken) >= self._most or len(name) > _LONGEST_NAME:
            return _OTHERS
        if len(self._succeeded) >= _MOST_COUNTED:
            # Frequent operations are soon counted again.
            self._succeeded.clear()
        self._succeeded[place] += 1
        if self._succeeded[place] <= len(self._taken):
            return _OTHERS
        del self._succeeded[place]
        self._taken.add(place)
        return place
