"""All that is used of waitress beside what it documents. ``tests/house/test_private_names.py`` finds any other use.

waitress documents how to run its server, not the parts of it. Its loop hands each request to another thread, so the
server here has a loop of its own (``app.server.turns``). What reads requests and writes responses is waitress's: an
error in a parser of our own would let requests be smuggled. setup.cfg pins the version.
"""

from __future__ import annotations

import re

import waitress.parser
from waitress.adjustments import Adjustments
from waitress.buffers import ReadOnlyFileBasedBuffer
from waitress.channel import ClientDisconnected
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.proxy_headers import PROXY_HEADERS, proxy_headers_middleware
from waitress.receiver import FixedStreamReceiver
from waitress.task import ErrorTask, Task, WSGITask, hop_by_hop
from waitress.utilities import BadRequest, InternalServerError, RequestEntityTooLarge, build_http_date

__all__ = [
    "PROXY_HEADERS",
    "Adjustments",
    "BadRequest",
    "ClientDisconnected",
    "ErrorTask",
    "FixedStreamReceiver",
    "HTTPRequestParser",
    "InternalServerError",
    "ParsingError",
    "ReadOnlyFileBasedBuffer",
    "RequestEntityTooLarge",
    "Task",
    "WSGITask",
    "build_http_date",
    "hop_by_hop",
    "proxy_headers_middleware",
]

# For a value after many spaces waitress goes back over them for each of them; this takes each once.
waitress.parser.HEADER_FIELD_RE = re.compile(
    waitress.parser.HEADER_FIELD_RE.pattern.replace(b":[ \t]{0,}?", b":[ \t]*+")
)
