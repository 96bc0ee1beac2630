"""Converts Opaque values of a request to PostgreSQL's text. A request may send them as the API prints them, which is
the output of ``to_jsonb``, or as a string in PostgreSQL's own text form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.graphql.values.types import ToText
from app.query.sql.comparison import JSON_TYPES
from app.query.sql.constructs import array_literal, quoted_item, record_literal
from app.query.sql.texts import VectorText, opaque_text, refused
from schema_cache.model import Catalog, Type

HSTORE = "hstore"
HSTORE_EXPECTED = 'Expected an object of strings and nulls, such as {"a": "1"}, or PostgreSQL\'s text, such as a=>1'


class OpaqueTexts:
    """Finds the conversion to text for each type of a catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._types = catalog.type_by_oid
        self._columns = {
            relation.row_type: [(each.name, each.type) for each in relation.columns] for relation in catalog.relations
        }

    def of(self, type_: Type) -> ToText:
        """The conversion for values of a type."""
        made_of = self._made_of(type_)
        if made_of.kind == "c":
            return self._of_record(made_of)
        if made_of.name == HSTORE and made_of.has_json_cast:
            return hstore_text
        element = self._types.get(made_of.element)
        if element is None:
            return opaque_text
        if made_of.is_vector:
            return ListOrText(VectorText(opaque_text))
        base = self._made_of(element)
        nests = not (base.element or base.kind == "c" or base.text in JSON_TYPES)
        return ListOrText(NestedArrayText(self.of(element), made_of.delimiter, nests=nests))

    def _made_of(self, type_: Type) -> Type:
        """The type under a domain."""
        while type_.kind == "d" and type_.base in self._types:
            type_ = self._types[type_.base]
        return type_

    def _of_record(self, type_: Type) -> ToText:
        attributes = self._columns.get(type_.oid) or [(each.name, each.type) for each in type_.attributes]
        return RecordText(type_.name, tuple((name, self._of_member(oid)) for name, oid in attributes))

    def _of_member(self, oid: int) -> ToText:
        type_ = self._types.get(oid)
        if type_ is None:
            return opaque_text
        # Inside an object a string of a JSON member is a JSON string, as in the output.
        return json_text if self._made_of(type_).text in JSON_TYPES else self.of(type_)


def json_text(value: Any) -> str | None:
    """The text of any JSON value. null becomes NULL, not the null of JSON."""
    return opaque_text(value) if value is None or not isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def hstore_text(value: Any) -> str | None:
    """The text of an hstore, from a JSON object of strings and nulls, or from hstore's own text."""
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, dict) or any(isinstance(each, (dict, list)) for each in value.values()):
        raise refused("Opaque", HSTORE_EXPECTED)
    texts = ((name, opaque_text(each)) for name, each in value.items())
    return ",".join(f"{quoted_item(name)}=>{'NULL' if text is None else quoted_item(text)}" for name, text in texts)


@dataclass(frozen=True)
class ListOrText:
    """Converts a list by ``of_list``. Any other value is passed on as it is; the database decides whether it is
    valid."""

    of_list: ToText

    def __call__(self, value: Any) -> str | None:
        return self.of_list(value) if isinstance(value, list) else opaque_text(value)


@dataclass(frozen=True)
class NestedArrayText:
    """Converts a list to the text of an array. With ``nests`` a list inside it is a further dimension, else a value."""

    element: ToText
    delimiter: str
    nests: bool

    def __call__(self, value: Any) -> str | None:
        if self.nests and any(isinstance(each, list) for each in value):
            return "{" + self.delimiter.join(self._within(each) for each in value) + "}"
        return array_literal([self.element(each) for each in value], self.delimiter)

    def _within(self, value: Any) -> str:
        if not isinstance(value, list):
            raise refused("Opaque", "An array has lists of one length, or none")
        return self(value) or ""


@dataclass(frozen=True)
class RecordText:
    """Converts a JSON object to the text of a composite value. ``members``: the attributes in their order, with their
    conversions. Missing members become NULL."""

    type_name: str
    members: tuple[tuple[str, ToText], ...]

    def __call__(self, value: Any) -> str | None:
        if value is None or isinstance(value, str):
            return value
        names = [name for name, _ in self.members]
        if not isinstance(value, Mapping) or not value.keys() <= set(names):
            expected = f"Expected an object with the members {', '.join(names)}, or PostgreSQL's text, such as (1,2)"
            raise refused("Opaque", f"{expected}, for {self.type_name}")
        return record_literal([to_text(value.get(name)) for name, to_text in self.members])

    def __hash__(self) -> int:
        return hash(self.type_name)
