"""The routes of this protocol: below ``/upload/resumable``, and below ``/upload/resumable/sign`` with an upload
token."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Action = Literal["options", "create", "get", "part", "delete"]

COLLECTION = "/upload/resumable"
OVERRIDE = "x-http-method-override"
_PATH = re.compile(rf"{COLLECTION}(?P<signed>/sign)?(?:/(?P<id>(?!sign(?:/|$))[^/]+)?/?)?")
_ON_ALL: dict[str, Action] = {"OPTIONS": "options"}
_ON_COLLECTION: dict[str, Action] = {**_ON_ALL, "POST": "create"}
_ON_UPLOAD: dict[str, Action] = {**_ON_ALL, "HEAD": "get", "PATCH": "part", "DELETE": "delete"}
_BY_POST = ("PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class ResumableRoute:
    """The route of a request. ``path`` is that of the collection, which contains the uploads; ``upload_id`` is '' for
    the collection itself."""

    action: Action
    path: str
    upload_id: str
    is_signed: bool

    @property
    def operation(self) -> str:
        """The name that ``storage.operation()`` returns in policies."""
        if self.action == "options":
            return "storage.tus.options"
        return f"storage.tus.upload.{self.action}{'_signed' if self.is_signed else ''}"


def method_of(method: str, override: str | None) -> str:
    """The effective method of a request: clients that cannot send PATCH, as in Java, name it in a header of a POST."""
    meant = (override or "").upper()
    return meant if method == "POST" and meant in _BY_POST else method


def find_route(method: str, path: str) -> ResumableRoute | None:
    """The route for a path without the storage's prefix; None if the protocol has none."""
    found = _PATH.fullmatch(path)
    if found is None:
        return None
    upload_id = found["id"] or ""
    action = (_ON_UPLOAD if upload_id else _ON_COLLECTION).get(method)
    if action is None:
        return None
    return ResumableRoute(action, f"{COLLECTION}{found['signed'] or ''}", upload_id, bool(found["signed"]))
