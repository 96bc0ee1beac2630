"""Texts in the queries of ``portico doctor``, which use the simple protocol: that has no parameters."""

from __future__ import annotations

from collections.abc import Sequence


def literal(text: str) -> str:
    """A text as SQL, whatever is in it."""
    return "U&'" + "".join(f"\\+{ord(character):06x}" for character in text) + "'"


def array(texts: Sequence[str]) -> str:
    """Texts as an SQL array."""
    return f"array[{', '.join(map(literal, texts))}]::text[]"
