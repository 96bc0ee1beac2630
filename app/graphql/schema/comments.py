"""Reads the directives in the comments on the objects of a catalog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from app.graphql.schema import names
from app.graphql.schema.notices import Notices
from schema_cache.directive_values import Count, Flag, ListOf, NumberBetween, String
from schema_cache.directives import Commented, Directive, DirectiveReader, plain_text
from schema_cache.exclusion import EXCLUDING
from schema_cache.model import Catalog, Function, Relation

MOST_LEVELS = 200
"""The largest depth limit that a setting or a comment may have."""

DIRECTIVES = (
    Directive("schema", "introspection", Flag()),
    Directive("schema", "type_prefix", String(), extended=True),
    Directive("relation", "distribution_column", String()),
    Directive("role", "node_limit", Count()),
    Directive("role", "depth_limit", NumberBetween(1, MOST_LEVELS)),
    Directive("role", "max_rows", Count()),
    Directive("role", "features", ListOf(String())),
    *EXCLUDING,
)
"""The directives that belong to no plugin. A schema's comment opts in to introspection or out of it, and gives the
names of its types a prefix. A relation's comment names the column by which its rows are distributed over nodes, if the
catalog does not have it, as for views. Comments on relations, columns, functions and foreign keys hide them. A role's
comment changes the limits and features of the role (app.graphql.schema.role_rules)."""


REMEMBERED = 20_000
"""How many parsed comments are cached: each is read many times while a schema is made."""

DESCRIBED = frozenset(("relation", "column", "function", "enum", "composite"))
"""The kinds of objects that have descriptions."""


class Comments:
    """The ``known`` and well-formed directives of a catalog's comments; ``notices`` report the others. With
    ``describe`` the rest of a comment describes the object, unless it has the directive ``description``."""

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
        """The directives in the comment of the object ``name`` of that kind; empty if there are none."""
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
        """The directives of a comment on an object of that kind, and the problems in it."""
        reading = self._reader.read(kind, comment)
        text = plain_text(comment) if self._describe and kind in DESCRIBED else None
        directives = reading.directives if text is None else {"description": text, **reading.directives}
        return directives, reading.problems

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

    def type_name(self, schema: str, name: str, directives: Mapping[str, Any]) -> str:
        """The name of the type of an object in that schema, which is called ``name`` and has these directives."""
        override: str | None = directives.get("name")
        if override is not None:
            return override
        prefix: str = self.on_schema(schema).get("type_prefix") or ""
        return f"{prefix}{names.base(name, None, self.inflects(schema))}"

    def _inflects(self, schema: str) -> bool:
        """Whether the names of that schema's objects are converted to GraphQL's style (directive ``inflect_names``)."""
        return self.on_schema(schema).get("inflect_names") is True
