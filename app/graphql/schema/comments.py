"""The directives in the comments on the objects of a catalog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from app.graphql.schema.notices import Notices
from schema_cache.directive_values import Count, Flag, ListOf, NumberBetween, String
from schema_cache.directives import Commented, Directive, DirectiveReader, plain_text
from schema_cache.model import Catalog, Function, Relation

MOST_LEVELS = 200
"""The highest limit of nested fields that a setting or a comment may have."""

DIRECTIVES = (
    Directive("schema", "introspection", Flag()),
    Directive("relation", "distribution_column", String()),
    Directive("role", "node_limit", Count()),
    Directive("role", "depth_limit", NumberBetween(1, MOST_LEVELS)),
    Directive("role", "max_rows", Count()),
    Directive("role", "features", ListOf(String())),
)
"""What the API itself understands: a schema's comment opts in to introspection, or out of it; a relation's names the
column by which its rows are spread over nodes, where the catalog does not say it, as of views; a role's changes what it
may ask for (app.graphql.schema.role_rules)."""


REMEMBERED = 20_000
"""How many comments are remembered that were read: they are asked for again and again while a schema is made."""

DESCRIBED = frozenset(("relation", "column", "function", "enum", "composite"))
"""The kinds of objects that have descriptions."""


class Comments:
    """The directives of a catalog's comments that are ``known`` and well-formed; ``notices`` report the others. With
    ``describe``, the rest of a comment is the description of an object that has no directive for that."""

    def __init__(
        self, catalog: Catalog, known: Iterable[Directive], notices: Notices, *, describe: bool = False
    ) -> None:
        self._catalog = catalog
        self._describe = describe
        self._notices = notices
        known = tuple(known)
        self._keys = frozenset((each.on, each.key) for each in known)
        self._reader = DirectiveReader(known)
        self._read = lru_cache(REMEMBERED)(self._interpret)
        self.inflects = lru_cache(maxsize=None)(self._inflects)

    def on(self, kind: Commented, name: str, comment: str | None) -> Mapping[str, Any]:
        """The directives of an object of that kind called ``name``; empty without any."""
        if comment is None:
            return {}
        directives, problems = self._read(kind, comment)
        for problem in problems:
            self._notices.add(f"{kind.replace('_', ' ')} {name}", f"its comment directive is left out: {problem}")
        return directives

    def reads(self, kind: Commented, key: str) -> bool:
        """Whether objects of that kind can have the directive ``key``."""
        return (kind, key) in self._keys

    def _interpret(self, kind: Commented, comment: str) -> tuple[Mapping[str, Any], Sequence[str]]:
        """What a comment on an object of that kind says, and what is wrong with it."""
        reading = self._reader.read(kind, comment)
        text = plain_text(comment) if self._describe and kind in DESCRIBED else None
        said = reading.directives if text is None else {"description": text, **reading.directives}
        return said, reading.problems

    def on_schema(self, name: str) -> Mapping[str, Any]:
        """The directives of the schema of that name; empty if there is none."""
        schema = self._catalog.schema_by_name.get(name)
        return self.on("schema", name, schema.comment if schema else None)

    def on_relation(self, relation: Relation) -> Mapping[str, Any]:
        """The directives of a relation."""
        if relation.comment is None:
            return {}
        return self.on("relation", f"{relation.schema}.{relation.name}", relation.comment)

    def on_function(self, function: Function) -> Mapping[str, Any]:
        """The directives of a function."""
        if function.comment is None:
            return {}
        return self.on("function", f"{function.schema}.{function.name}", function.comment)

    def _inflects(self, schema: str) -> bool:
        """Whether names of that schema's objects are turned into GraphQL's customary form."""
        return self.on_schema(schema).get("inflect_names") is True
