"""Requests with ``extensions``."""

from __future__ import annotations

import json
from typing import Any

from tests.graphql.door import Answer, Door


def ask_with(door: Door, extensions: Any, query: str, variables: Any = None, **options: Any) -> Answer:
    """POST a query with these ``extensions``; options are those of ``Door.post``."""
    return door.post(json.dumps({"query": query, "variables": variables, "extensions": extensions}), **options)
