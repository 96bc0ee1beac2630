"""Makes graphql-core check names faster, when this module is imported.

graphql-core checks each name of a type, field and argument character by character, which took a fifth of the time of
making all types of a schema. ``tests/house/test_private_names.py`` checks that it still calls the function that is
replaced here.
"""

from __future__ import annotations

import re
from typing import Any

import graphql.type.definition
from graphql import assert_name

_NAME = re.compile("[_A-Za-z][_0-9A-Za-z]*")


def checked_name(name: Any) -> str:
    """``name``, if it is one in GraphQL. Otherwise raises the error of graphql-core's function."""
    return name if isinstance(name, str) and _NAME.fullmatch(name) else assert_name(name)


graphql.type.definition.assert_name = checked_name  # type: ignore[attr-defined]
