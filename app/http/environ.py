"""Keys that the server adds to the WSGI environ. Other servers do not set them."""

from __future__ import annotations

HEADER_BLOCK = "portico.header_block"
"""The bytes received before the body: the request line, and a line for each header."""

FORWARDED = "portico.forwarded"
"""The ``X-Forwarded-`` headers of a trusted proxy, by the rest of their names in lower case."""

PASSED_ON = "portico.passed_on"
"""Set if the request came through a proxy that is not trusted."""
