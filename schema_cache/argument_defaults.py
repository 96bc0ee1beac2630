"""Takes apart the list of a function's argument defaults.

``pg_get_expr(proargdefaults, 0)`` prints all of them, separated by commas, and a default may hold commas itself.
``pg_get_function_arg_default`` would answer for one argument, but from a system cache instead of the snapshot.
"""

from __future__ import annotations

_OPENING, _CLOSING = "([{", ")]}"


def split_defaults(printed: str | None, count: int, arguments: int) -> list[str | None]:
    """The default of each of ``arguments`` input arguments, of which the last ``count`` have one."""
    defaults = _split(printed) if printed and count else []
    if len(defaults) != count:
        # Not understood: the arguments have defaults all the same, only nobody can say which.
        defaults = ["NULL"] * count
    return [None] * (arguments - count) + list(defaults)


def _split(text: str) -> list[str]:
    """The pieces between top-level commas. PostgreSQL prints quotes inside quotes doubled, also after E,
    so that switching at each quote is exact."""
    pieces: list[str] = []
    depth = start = 0
    quote = ""
    for position, character in enumerate(text):
        if quote:
            if character == quote:
                quote = ""
        elif character in "'\"":
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif character == "," and not depth:
            pieces.append(text[start:position].strip())
            start = position + 1
    pieces.append(text[start:].strip())
    return pieces
