"""Objects that no role sees in the API, even with a right to them: a comment with ``{"exclude": true}`` or a pattern
hides them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from schema_cache.directive_values import Flag
from schema_cache.directives import Commented, Directive, DirectiveReader, has_directives
from schema_cache.model import Catalog, ForeignKey, Function, Relation

EXCLUDING = tuple(Directive(on, "exclude", Flag()) for on in ("relation", "column", "function", "foreign_key"))
"""The directives in comments that hide an object."""

PATTERN = re.compile(r"[^.()]+(?:\.[^.()]+){1,2}|[^.()]+\.[^.()]+\(\)")
"""``schema.relation``, ``schema.relation.column`` or ``.constraint``, or ``schema.function()``; ``*`` in a part stands
for any characters."""

_FUNCTION_ENDS = "()"
_read = DirectiveReader(EXCLUDING).read


@dataclass(frozen=True, slots=True)
class _Name:
    """The name of an object, in parts; ``is_function`` tells a function from a relation of the same name."""

    parts: tuple[str, ...]
    is_function: bool = False


@dataclass(frozen=True, slots=True)
class Exclusion:
    """``patterns``: texts that match PATTERN."""

    patterns: tuple[str, ...] = ()

    def hides_relation(self, relation: Relation) -> bool:
        return self._may_hide(relation.comment) and self._hides("relation", relation.comment, _of_relation(relation))

    def hides_function(self, function: Function) -> bool:
        return self._may_hide(function.comment) and self._hides("function", function.comment, _of_function(function))

    def hides_column(self, schema: str, relation: str, column: str, comment: str | None) -> bool:
        """Whether a column of a relation, or an attribute of a composite type, is hidden."""
        return self._may_hide(comment) and self._hides("column", comment, _Name((schema, relation, column)))

    def hides_key(self, relation: Relation, key: ForeignKey) -> bool:
        """Whether the relationships of a foreign key of ``relation`` are hidden."""
        return self._may_hide(key.comment) and self._hides("foreign_key", key.comment, _of_key(relation, key))

    def hidden_keys(self, relations: Iterable[Relation]) -> frozenset[int]:
        """The oids of the hidden foreign keys. A key that a view has because of a constraint has the oid of it."""
        return frozenset(
            [key.oid for relation in relations for key in relation.foreign_keys if self.hides_key(relation, key)]
        )

    def unmatched(self, catalog: Catalog, schemas: Iterable[str]) -> Sequence[str]:
        """The patterns that match no object in these schemas."""
        names = list(_names(catalog, frozenset(schemas)))
        return [each for each in self.patterns if not any(_matches(each, name) for name in names)]

    def _may_hide(self, comment: str | None) -> bool:
        """Whether an object with that comment may be hidden. Most are not, and there are tens of thousands."""
        return bool(self.patterns) or has_directives(comment)

    def _hides(self, on: Commented, comment: str | None, name: _Name) -> bool:
        is_commented = comment is not None and _read(on, comment).directives.get("exclude") is True
        return is_commented or any(_matches(each, name) for each in self.patterns)


NOTHING = Exclusion()


def _of_relation(relation: Relation) -> _Name:
    return _Name((relation.schema, relation.name))


def _of_function(function: Function) -> _Name:
    return _Name((function.schema, function.name), is_function=True)


def _of_key(relation: Relation, key: ForeignKey) -> _Name:
    return _Name((relation.schema, relation.name, key.name))


def _names(catalog: Catalog, schemas: frozenset[str]) -> Iterator[_Name]:
    """The names of all objects in these schemas that can be hidden."""
    yield from (_of_function(each) for each in catalog.functions if each.schema in schemas)
    for relation in (each for each in catalog.relations if each.schema in schemas):
        yield _of_relation(relation)
        yield from (_Name((relation.schema, relation.name, each.name)) for each in relation.columns)
        yield from (_of_key(relation, each) for each in relation.foreign_keys)
    for type_ in (each for each in catalog.types if each.schema in schemas):
        yield from (_Name((type_.schema, type_.name, each.name)) for each in type_.attributes)


def _matches(pattern: str, name: _Name) -> bool:
    parts, is_function = _compiled(pattern)
    return (
        is_function == name.is_function
        and len(parts) == len(name.parts)
        and all(part.fullmatch(text) for part, text in zip(parts, name.parts, strict=True))
    )


@lru_cache(1000)
def _compiled(pattern: str) -> tuple[tuple[re.Pattern[str], ...], bool]:
    parts = pattern.removesuffix(_FUNCTION_ENDS).split(".")
    expressions = (".*".join(re.escape(piece) for piece in part.split("*")) for part in parts)
    return tuple(re.compile(each, re.DOTALL) for each in expressions), pattern.endswith(_FUNCTION_ENDS)
