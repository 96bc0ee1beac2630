"""Which GraphQL operations have series of their own: their number is bounded, and strangers choose names too."""

from __future__ import annotations

from collections import Counter

from app.metrics.bounded_labels import OTHER

_OTHERS = (OTHER, OTHER)
_MOST_COUNTED = 1000
_LONGEST_NAME = 200


class OperationPlaces:
    """``most`` places, each for the operations of one name and one role.

    An operation takes a place once it has succeeded more often than there are places taken: the first ones do at once,
    and many names that come rarely never do.
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
            # What comes often is soon counted again.
            self._succeeded.clear()
        self._succeeded[place] += 1
        if self._succeeded[place] <= len(self._taken):
            return _OTHERS
        del self._succeeded[place]
        self._taken.add(place)
        return place
