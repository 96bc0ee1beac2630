"""Computes the name of a type, as PostgreSQL prints it, from catalog rows.

``format_type`` reads a system cache, and leaves out the schema if the session's search path contains it. A CAST in a
statement that may run with any search path always needs the full name.
"""

from __future__ import annotations

# Source: format_type_extended() in PostgreSQL's src/backend/utils/adt/format_type.c, for a modifier of -1.
_SQL_NAMES = {
    "bit": '"bit"',
    "bool": "boolean",
    "bpchar": "bpchar",
    "float4": "real",
    "float8": "double precision",
    "int2": "smallint",
    "int4": "integer",
    "int8": "bigint",
    "interval": "interval",
    "json": "json",
    "numeric": "numeric",
    "time": "time without time zone",
    "timetz": "time with time zone",
    "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
    "varbit": "bit varying",
    "varchar": "character varying",
}


def type_text(schema: str, quoted_schema: str, name: str, quoted_name: str) -> str:
    """The name of a type that is not an array, for a CAST."""
    if schema != "pg_catalog":
        return f"{quoted_schema}.{quoted_name}"
    return _SQL_NAMES.get(name, quoted_name)


def modified_type_text(schema: str, text: str, printed: str) -> str:
    """``text`` with the modifier of ``printed``, the result of ``format_type`` for the modified type.

    A type of ``pg_catalog`` is never renamed, so its printed name is used; the modifier may be in its middle
    (``time(3) without time zone``). For other types only the modifier is taken.
    """
    if schema == "pg_catalog":
        return printed
    opening = printed.rfind("(")
    if opening < 0:
        return text
    modifier = printed[opening : printed.rfind(")") + 1]
    return f"{text.removesuffix('[]')}{modifier}{'[]' if text.endswith('[]') else ''}"
