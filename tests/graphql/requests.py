"""Requests with ``extensions``."""

from __future__ import annotations

import json
from typing import Any

from tests.graphql.api import Answer, Api


def ask_with(api: Api, extensions: Any, query: str, variables: Any = None, **options: Any) -> Answer:
    """POST a query with these ``extensions``; options are those of ``Api.post``."""
    return api.post(json.dumps({"query": query, "variables": variables, "extensions": extensions}), **options)
