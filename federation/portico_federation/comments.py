"""The directives in the comments of database objects that the subgraph's schema depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from portico import Directive, directive_kinds

UNFEDERATED = "unfederated"
INACCESSIBLE = "inaccessible"
ID = "id"
_COMMENTED = "directives"
"""The extension of a type or field with the directives in the comment on its object."""

_COMMENTED_KINDS: tuple[Literal["relation", "column", "function"], ...] = ("relation", "column", "function")

_OF_TYPES_AND_FIELDS: Mapping[str, directive_kinds.ValueKind] = {
    "shareable": directive_kinds.Flag(),
    INACCESSIBLE: directive_kinds.Flag(),
    UNFEDERATED: directive_kinds.Flag(),
    "tags": directive_kinds.ListOf(directive_kinds.String()),
}

DIRECTIVES = (
    *(
        Directive(kind, key, value, extended=True)
        for kind in _COMMENTED_KINDS
        for key, value in _OF_TYPES_AND_FIELDS.items()
    ),
    *(Directive(kind, "override", directive_kinds.String(), extended=True) for kind in _COMMENTED_KINDS[1:]),
    Directive("column", ID, directive_kinds.Flag(), extended=True),
)


def directives_of(extensions: Mapping[str, Any]) -> Mapping[str, Any]:
    """The directives in the comment on the object of a type or field with these extensions."""
    found: Mapping[str, Any] = extensions.get(_COMMENTED, {})
    return found


def applied(directives: Mapping[str, Any]) -> Sequence[str]:
    """The directives of the federation that a comment applies to its type or field, in the schema definition
    language."""
    made = [f"@{name}" for name in ("shareable", INACCESSIBLE) if directives.get(name)]
    made += [f"@tag(name: {_quoted(each)})" for each in directives.get("tags") or ()]
    if directives.get("override"):
        made.append(f"@override(from: {_quoted(directives['override'])})")
    return made


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'
