"""Log lines, whatever they contain."""

from __future__ import annotations

import json
import logging

import pytest

from app.server.logs import JSONLines, PlainLines

HOSTILE = "a\n2026-11-21T11:00:00Z INFO portico.server: all is well\r\x1b[2J"


def record(message: str) -> logging.LogRecord:
    try:
        raise ValueError(message)
    except ValueError as error:
        exc_info = (ValueError, error, error.__traceback__)
    return logging.LogRecord("portico.storage", logging.ERROR, __file__, 1, "refused: %s", (message,), exc_info)


@pytest.mark.parametrize("formatter", [PlainLines(), JSONLines()])
def test_what_a_client_sent_is_not_logged_as_a_line(formatter: logging.Formatter) -> None:
    written = formatter.format(record(HOSTILE))
    first, *others = written.split("\n")
    assert all(line.startswith("    ") for line in others)
    assert written.replace("\n", "").isprintable()
    assert "all is well" in written
    assert "Traceback" in written
    if isinstance(formatter, JSONLines):
        assert json.loads(first)["message"] == f"refused: {HOSTILE}"
