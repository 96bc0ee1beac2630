"""The parameters in a keyword/value connection string, such as ``host=h dbname=d``.

Grammar: PostgreSQL documentation, "Keyword/Value Connection Strings".
"""

from __future__ import annotations

import re

from app.database.wire.target import DatabaseUrlError

# A value is quoted, or has neither spaces nor a quote at its start; in both a backslash escapes the next character.
_PAIR = re.compile(r"\s*([^\s=]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?!')(?:[^\s\\]|\\.)*))(?=\s|$)", re.DOTALL)


def keyword_parameters(text: str) -> dict[str, str]:
    """The parameters of ``text`` by name. Raises DatabaseUrlError."""
    parameters, position = {}, 0
    while text[position:].strip():
        found = _PAIR.match(text, position)
        if not found:
            raise DatabaseUrlError(
                "the connection parameters must look like host=h port=5432 dbname=d;"
                " write a value with spaces or quotes as 'it\\'s mine'"
            )
        quoted, plain = found[2], found[3]
        parameters[found[1]] = re.sub(r"\\(.)", r"\1", plain if quoted is None else quoted, flags=re.DOTALL)
        position = found.end()
    return parameters
