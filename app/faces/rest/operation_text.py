"""The texts that describe an operation in OpenAPI."""

from __future__ import annotations

from dataclasses import dataclass

from app.faces.rest.json_bodies import Member


@dataclass(frozen=True, slots=True)
class OperationText:
    """The description of an operation. ``body``: the members of its JSON. ``query``: the parameters of its query."""

    summary: str
    body: tuple[Member, ...] = ()
    query: tuple[Member, ...] = ()


TOKEN = Member("token", "string", required=True)
DOWNLOAD_NAME = Member("download", "string")
