"""A page of a listing in which keys are grouped by their common prefix up to a delimiter."""

from __future__ import annotations

from typing import Generic, TypeVar

Item = TypeVar("Item")


def common_prefix(key: str, prefix: str, delimiter: str) -> str | None:
    """The key up to the first delimiter after the prefix; None without one."""
    if not delimiter or not key.startswith(prefix):
        return None
    end = key.find(delimiter, len(prefix))
    return None if end < 0 else key[: end + len(delimiter)]


class GroupedPage(Generic[Item]):
    """A page that is being filled with items, and with the common prefixes of other items; at most ``limit`` together.
    ``last``: the last one added. ``is_truncated``: whether there are more."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.items: list[Item] = []
        self.prefixes: list[str] = []
        self.last: Item | str | None = None
        self.is_truncated = False

    def take(self, item: Item, common: str | None) -> bool:
        """Add an item, or its common prefix if it has one. Items come in the order of their keys. Returns whether it
        fits on the page."""
        if common is not None and self.prefixes[-1:] == [common]:
            return True
        if len(self.items) + len(self.prefixes) >= self.limit:
            self.is_truncated = True
            return False
        if common is None:
            self.items.append(item)
        else:
            self.prefixes.append(common)
        self.last = item if common is None else common
        return True
