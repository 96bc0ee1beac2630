"""Log lines on stderr, plain or JSON, through the standard library's logging."""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import click

from app.settings import Settings

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_WORD = re.compile(r"[^\s\"=]+")
# At the level debug, these log signatures and tokens of requests to the storage's backend, and their URLs.
_TALKATIVE = ("azure", "boto3", "botocore", "google", "s3transfer", "smart_open", "urllib3", "websockets")
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


def configure_logging(settings: Settings) -> None:
    """Send all log records of this process to stderr in the configured format."""
    level = settings.log_level.upper()
    _configure(level, JSONLines() if settings.log_format == "json" else PlainLines())
    if level == "DEBUG":
        for name in _TALKATIVE:
            logging.getLogger(name).setLevel(logging.INFO)
    if settings.log_format == "json":
        _log_everything()


def log_from_the_start(arguments: Sequence[str], environ: Mapping[str, str]) -> None:
    """Log as JSON already before the settings are loaded, if a command's ``arguments`` or ``environ`` select JSON."""
    _, _, option = " ".join(arguments).partition("--log-format")
    if (option[1:].split(" ", 1)[0] or environ.get("LOG_FORMAT", "")).lower() == "json":
        _configure("INFO", JSONLines())
        _log_everything()


def logs_json() -> bool:
    """Whether this process logs as JSON, so that nothing else belongs on stderr."""
    return any(isinstance(each.formatter, JSONLines) for each in logging.getLogger().handlers)


def announce(log: logging.Logger, text: str, line: str | None = None) -> None:
    """Print ``text`` to stdout. If the process logs as JSON, log ``line`` instead, or ``text`` without a line."""
    if logs_json():
        log.info("%s", line or text)
    else:
        click.echo(text)


def _configure(level: str, formatter: logging.Formatter) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    logging.basicConfig(level=level, handlers=[handler], force=True)


def _log_everything() -> None:
    """Also log what Python itself would write to stderr: warnings, and exceptions that end a thread."""
    logging.captureWarnings(True)
    threading.excepthook = _log_thread


def _log_thread(failed: threading.ExceptHookArgs) -> None:
    if failed.exc_value is not None:
        name = failed.thread.name if failed.thread else "?"
        logging.getLogger("portico.server").critical("the thread %s ended", name, exc_info=failed.exc_value)


class PlainLines(logging.Formatter):
    """Formats a record as one line with its ``extra`` values. Further lines are indented and control characters are
    escaped: a record may contain text from a client, which must not look like another record or control a terminal."""

    converter = staticmethod(time.gmtime)

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%SZ")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        pairs = [f"{name}={_plain(value)}" for name, value in _extra(record)]
        return " ".join((super().formatMessage(record), *pairs))

    def format(self, record: logging.LogRecord) -> str:
        return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", super().format(record)).replace("\n", "\n    ")


class JSONLines(logging.Formatter):
    """Formats each record as a JSON object; its ``extra`` values become members."""

    converter = staticmethod(time.gmtime)

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": f"{self.formatTime(record, '%Y-%m-%dT%H:%M:%S')}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        }
        line.update(_extra(record))
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str, ensure_ascii=False)


def _extra(record: logging.LogRecord) -> list[tuple[str, Any]]:
    """The values that were passed as ``extra``, by name."""
    return [(name, value) for name, value in vars(record).items() if name not in _OWN]


def _plain(value: Any) -> str:
    """A value of ``extra`` as text. A string that is not a single word is quoted as in JSON."""
    text = value if isinstance(value, str) else json.dumps(value, default=str, separators=(",", ":"))
    return text if _WORD.fullmatch(text) or not isinstance(value, str) else json.dumps(text)
