"""SQL literals for the queries of ``portico doctor``, which use the simple query protocol: it has no parameters."""

from __future__ import annotations

from collections.abc import Sequence


def literal(text: str) -> str:
    """An SQL string constant for any text."""
    return "U&'" + "".join(f"\\+{ord(character):06x}" for character in text) + "'"


def array(texts: Sequence[str]) -> str:
    """An SQL array of text."""
    return f"array[{', '.join(map(literal, texts))}]::text[]"
