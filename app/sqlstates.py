"""The codes that the API gives to errors of the database, by SQLSTATE.

Names are PostgreSQL's own, from the appendix "PostgreSQL Error Codes" of its documentation. A state that has none
here is named by its class, the first two characters.
"""

from __future__ import annotations

UNNAMED = "DATABASE_ERROR"

CODES = {
    "22": "DATA_EXCEPTION",
    "22001": "STRING_DATA_RIGHT_TRUNCATION",
    "22003": "NUMERIC_VALUE_OUT_OF_RANGE",
    "22007": "INVALID_DATETIME_FORMAT",
    "22008": "DATETIME_FIELD_OVERFLOW",
    "22012": "DIVISION_BY_ZERO",
    "22P02": "INVALID_TEXT_REPRESENTATION",
    "23": "INTEGRITY_CONSTRAINT_VIOLATION",
    "23001": "RESTRICT_VIOLATION",
    "23502": "NOT_NULL_VIOLATION",
    "23503": "FOREIGN_KEY_VIOLATION",
    "23505": "UNIQUE_VIOLATION",
    "23514": "CHECK_VIOLATION",
    "23P01": "EXCLUSION_VIOLATION",
    "25006": "READ_ONLY_SQL_TRANSACTION",
    "40": "TRANSACTION_ROLLBACK",
    "40001": "SERIALIZATION_FAILURE",
    "40P01": "DEADLOCK_DETECTED",
    "42501": "INSUFFICIENT_PRIVILEGE",
    "44": "WITH_CHECK_OPTION_VIOLATION",
    "54": "PROGRAM_LIMIT_EXCEEDED",
    "55P03": "LOCK_NOT_AVAILABLE",
    "57014": "STATEMENT_TIMEOUT",
    "P0001": "RAISE_EXCEPTION",
    "PTSCH": "SCHEMA_OUTDATED",
}


def code_of(sqlstate: str) -> str:
    """The stable name of an SQLSTATE."""
    return CODES.get(sqlstate) or CODES.get(sqlstate[:2], UNNAMED)
