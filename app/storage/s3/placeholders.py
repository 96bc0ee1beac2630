"""Folders: clients make one as an empty object whose key ends in a slash; it is kept as a placeholder inside of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from app.storage.bucket_rules import PLACEHOLDER
from app.storage.errors import NoSuchObject
from app.storage.records import ObjectName

T = TypeVar("T")


def placeholder_of(name: ObjectName) -> ObjectName | None:
    """Where the folder of this name is kept; None for a name that is not a folder's."""
    return ObjectName(name.bucket, name.key + PLACEHOLDER) if name.key.endswith("/") else None


def or_placeholder(name: ObjectName, act: Callable[[ObjectName], T]) -> T:
    """What ``act`` gives for the object; without such an object, for the placeholder of the folder."""
    folder = placeholder_of(name)
    try:
        return act(name)
    except NoSuchObject:
        if folder is None:
            raise
    return act(folder)
