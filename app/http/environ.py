"""Keys that the server adds to the WSGI environ. Other servers do not set them."""

from __future__ import annotations

HEADER_BLOCK = "portico.header_block"
"""What was received before the body: the request line, and a line for each header."""

FORWARDED = "portico.forwarded"
"""A trusted proxy's headers ``X-Forwarded-``, by the rest of their names in lower case."""

PASSED_ON = "portico.passed_on"
"""Set if a proxy that is not trusted has passed the request on."""
