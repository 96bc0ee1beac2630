"""What the status of an answer and the names of its headers decide, found once for all answers that have the same."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from app.server.waitress_internals import hop_by_hop


class HeaderFormat(NamedTuple):
    """``text``: the lines of the header with %s for each value. ``has_body``: whether the status permits a body;
    ``switches``: whether it is 101, after which the body is in another protocol. ``length_at``: which value tells its
    length, None if none does. ``is_dated``: whether there is a Date. ``forbidden``: the names among them that only the
    server may give."""

    text: str
    has_body: bool
    switches: bool
    length_at: int | None
    is_dated: bool
    forbidden: str


@lru_cache(500)
def header_format(version: str, status: str, names: tuple[str, ...], ident: str) -> HeaderFormat:
    """The form of an answer of the server ``ident``. Raises ValueError for a line break."""
    if any(mark in text for text in (status, *names) for mark in "\r\n"):
        raise ValueError("the status or the name of a header of the answer has a line break")
    switches = status.startswith("101")
    has_length = not status.startswith(("1", "204", "304"))
    place = {name.lower(): index for index, name in enumerate(names)}
    lines = (
        _escaped(f"HTTP/{version} {status}\r\n"),
        *(_line(name, has_length) for name in names),
        _escaped(f"{'Via' if 'server' in place else 'Server'}: {ident}\r\n"),
    )
    return HeaderFormat(
        "".join(lines),
        has_length or switches,
        switches,
        place.get("content-length") if has_length else None,
        "date" in place,
        ", ".join(sorted((hop_by_hop - {"upgrade"} if switches else hop_by_hop) & place.keys())),
    )


def _line(name: str, has_length: bool) -> str:
    if not has_length and name.lower() == "content-length":
        # Formats the value as nothing.
        return "%.0s"
    return _escaped(_capitalized(name)) + ": %s\r\n"


def _escaped(text: str) -> str:
    return text.replace("%", "%%")


def _capitalized(name: str) -> str:
    if name.startswith("x-amz-"):
        # S3's clients give users what follows x-amz-meta- as it is written here.
        return name
    return "-".join(part.capitalize() for part in name.split("-"))
