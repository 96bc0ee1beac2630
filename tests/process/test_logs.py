"""Log lines with any content."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from urllib.parse import parse_qs, urlsplit

import pytest

from app.server.processes.logs import JSONLines, PlainLines
from tests.process.running import PATIENCE_S, environment

HOSTILE = "a\n2026-11-21T11:00:00Z INFO portico.server: all is well\r\x1b[2J"


def record(message: str) -> logging.LogRecord:
    try:
        raise ValueError(message)
    except ValueError as error:
        exc_info = (ValueError, error, error.__traceback__)
    return logging.LogRecord("portico.storage", logging.ERROR, __file__, 1, "refused: %s", (message,), exc_info)


@pytest.mark.parametrize("formatter", [PlainLines(), JSONLines()])
def test_text_of_a_client_cannot_forge_a_log_line(formatter: logging.Formatter) -> None:
    written = formatter.format(record(HOSTILE))
    first, *others = written.split("\n")
    # Only a plain record has further lines, those of its traceback.
    assert bool(others) == isinstance(formatter, PlainLines)
    assert all(line.startswith("    ") for line in others)
    assert written.replace("\n", "").isprintable()
    assert "all is well" in written
    assert "Traceback" in written
    if isinstance(formatter, JSONLines):
        assert json.loads(first)["message"] == f"refused: {HOSTILE}"


FAILURES = {
    "a setting": (["--port", "many"], {}),
    "the usage": (["--no-such-option"], {}),
    "no database": ([], {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none", "ANON_KEY": "k"}),
}


@pytest.mark.parametrize("case", FAILURES)
def test_stderr_has_only_json_with_json_logs(case: str) -> None:
    options, variables = FAILURES[case]
    command = [sys.executable, "-m", "portico", "serve", "--log-format", "json", *options]
    known = environment(PORT="0", WEB_CONCURRENCY="1", **variables)
    started = subprocess.Popen(command, env=known, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        first = json.loads(started.stderr.readline())
        assert {"time", "level", "logger", "message", "process"} <= first.keys()
        assert first["level"] in ("warning", "critical")
    finally:
        started.terminate()
        said, logged = started.communicate(timeout=PATIENCE_S)
    assert said == ""
    assert [each for each in logged.splitlines() if not each.startswith("{")] == []


def test_extra_fields_follow_the_message() -> None:
    given = logging.makeLogRecord({"msg": "told", "name": "portico", "levelname": "INFO", "a": "x y", "b": {"c": 1}})
    assert PlainLines().format(given).endswith(' INFO portico: told a="x y" b={"c":1}')
    hostile = logging.makeLogRecord({"msg": "told", "name": "portico", "levelname": "INFO", "a": "x\nINFO b=1"})
    assert "\n" not in PlainLines().format(hostile)


SIGNING = """
import boto3
from app.server.processes.logs import configure_logging
from app.settings import load
configure_logging(load({}, {"log_level": "debug"}))
session = boto3.Session(aws_access_key_id="id", aws_secret_access_key="secret", aws_session_token="TOKEN")
client = session.client("s3", "us-east-1")
print(client.generate_presigned_url("get_object", {"Bucket": "b", "Key": "k"}))
"""


def test_signatures_are_not_logged() -> None:
    pytest.importorskip("boto3")
    program = [sys.executable, "-c", SIGNING]
    done = subprocess.run(program, env=environment(), capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    ((signature,),) = (parse_qs(urlsplit(done.stdout.strip()).query)["Signature"],)
    assert signature not in done.stderr
    assert "TOKEN" not in done.stderr
