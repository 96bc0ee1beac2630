"""Places for streams and for WebSockets: a limit for all of them, and one for each caller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from app.errors import Unavailable
from app.identity import Caller


class LivePlace:
    """One place, taken until it is given back."""

    def __init__(self, places: Places, who: Hashable) -> None:
        self._places = places
        self._who = who
        self._is_taken = True

    def leave(self) -> None:
        """Give the place back. Repeated calls have no effect."""
        if self._is_taken:
            self._is_taken = False
            self._places.give_back(self._who)


class Places:
    """``most`` places, of which each caller may take ``share``. Error messages call them ``what``. They are used in one
    thread, so the limits are exact."""

    def __init__(self, most: int, share: int, what: str) -> None:
        self._most = most
        self._share = share
        self._what = what
        self._taken: Counter[Hashable] = Counter()
        self.taken = 0

    def take(self, who: Hashable) -> LivePlace:
        """A place for this caller. Raises Unavailable if there is none."""
        if self.taken >= self._most:
            raise Unavailable(f"All {self._most} {self._what} are in use (LIVE_LIMIT)", code="OVERLOADED")
        if self._taken[who] >= self._share:
            message = f"This caller already has {self._share} {self._what} (LIVE_CALLER_LIMIT)"
            raise Unavailable(message, code="OVERLOADED")
        self.taken += 1
        self._taken[who] += 1
        return LivePlace(self, who)

    def give_back(self, who: Hashable) -> None:
        self.taken -= 1
        self._taken[who] -= 1
        if not self._taken[who]:
            del self._taken[who]


def who_calls(caller: Caller, address: str) -> Hashable:
    """The key by which places are counted: the role with the token's subject, or with the address without a subject."""
    subject = caller.claims.get("sub")
    return caller.role, ("sub", subject) if isinstance(subject, str) and subject else ("address", address)
