"""The directive by which a schema's comment opts in to introspection, or out of it."""

from __future__ import annotations

from collections.abc import Sequence

from app.hooks import hookimpl
from schema_cache.directives import Directive
from schema_cache.shapes import Flag


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("schema", "introspection", Flag()),)
