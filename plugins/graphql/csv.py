"""``Accept: text/csv``: one list as a table, such as the rows of a collection, its groups, or the result of a function.

The query must select only that list, and the items may have scalars and objects, but no lists. The response has a line
for each item, after a header with the response keys, joined by dots. Other operations are refused with 406 and not
executed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import (
    GraphQLObjectType,
    GraphQLString,
    SelectionSetNode,
    get_nullable_type,
    is_leaf_type,
    is_list_type,
)

from app.errors import RequestError
from app.graphql.documents.selection import Selector
from app.graphql.values.values import Steering, Variables
from app.hooks import hookimpl
from app.packed_text import whole
from app.pipeline.records import CAPPED, AuthorizedOperation, BoundPlan, GraphQLRequest, GraphQLResponse, ResultSet
from app.pipeline.stage_wrappers import Around
from app.settings import Setting, Settings
from app.settings.kinds import SWITCH

CSV_SAFE = Setting(
    "csv_safe",
    SWITCH,
    False,
    "Whether an apostrophe is put before text in CSV that a spreadsheet would take for a formula.",
    section="GraphQL requests",
)

MEDIA_TYPE = "text/csv"
_CAPPED_HEADER = "Portico-Capped"
_JSON_TYPES = ("application/json", "application/graphql-response+json")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_FORMULA = ("=", "+", "-", "@")

EDGES, NODE = "edges", "node"

ResponsePath = tuple[str, ...]


@hookimpl
def settings() -> Sequence[Setting[Any]]:
    return (CSV_SAFE,)


@hookimpl
def around_stages(settings: Settings) -> Mapping[str, Around]:
    is_safe = settings[CSV_SAFE]

    def execute(
        run: Callable[..., ResultSet], operation: AuthorizedOperation, bound: BoundPlan, *others: Any
    ) -> ResultSet:
        if not _prefers_csv(operation.parsed.request):
            return run(operation, bound, *others)
        with operation.api.making():
            listed = _listed(operation)
        results = run(operation, bound, *others)
        # CSV has no place for extensions. The one that says that a page was capped becomes a header instead.
        if (results.extensions or {}).keys() - {CAPPED}:
            raise _unacceptable("it has extensions")
        return _Table(
            results.plan,
            results.texts,
            results.role,
            listed,
            extensions=results.extensions,
            item_errors=results.item_errors,
        )

    def shape(run: Callable[..., GraphQLResponse], request: GraphQLRequest, results: ResultSet) -> GraphQLResponse:
        if not isinstance(results, _Table) or results.errors:
            return run(request, results)
        body = "".join(_lines(results, is_safe)).encode()
        capped = (results.extensions or {}).get(CAPPED, ())
        # The items have no lists, so only the list itself or its connection can be capped.
        headers = [(_CAPPED_HEADER, str(each["given"])) for each in capped if results.listed.is_at(each["path"])]
        return GraphQLResponse(200, body, f"{MEDIA_TYPE}; charset=utf-8", headers)

    return {"execute": execute, "shape": shape}


@dataclass(frozen=True, slots=True)
class _Listed:
    """The list that an operation selects. ``path``: the response keys from the root to the list. ``row``: those from an
    item to its row. ``columns``: those from the row to each column."""

    path: ResponsePath
    row: ResponsePath
    columns: Sequence[ResponsePath]

    def is_at(self, path: Sequence[str | int]) -> bool:
        """Whether the field at this path is the list, or the connection whose edges are the list."""
        return tuple(path) == (self.path[:-1] if self.row else self.path)


@dataclass(frozen=True, slots=True)
class _Table(ResultSet):
    """Results whose response is a table."""

    listed: _Listed


def _prefers_csv(request: GraphQLRequest) -> bool:
    """Whether the client accepts CSV, with at least the quality of JSON."""
    if MEDIA_TYPE not in request.accept:
        return False
    qualities = dict(map(_quality, request.accept.lower().split(",")))
    return qualities.get(MEDIA_TYPE, 0.0) > 0 and all(
        qualities[MEDIA_TYPE] >= qualities.get(each, 0.0) for each in _JSON_TYPES
    )


def _quality(accepted: str) -> tuple[str, float]:
    media_type, *parameters = (each.strip() for each in accepted.split(";"))
    given = next((each[2:] for each in parameters if each.startswith("q=")), "1")
    try:
        return media_type, float(given)
    except ValueError:
        return media_type, 0.0


# The list in the document


def _listed(operation: AuthorizedOperation) -> _Listed:
    """The list that becomes the table. Raises RequestError (406) if the operation does not select exactly one list."""
    api, document = operation.api, operation.parsed.document
    query = api.graphql.query_type
    if document.is_mutation or query is None:
        raise _unacceptable("a mutation was sent")
    variables = Variables(operation.parsed.variables, Steering())
    return _Selection(Selector(api.graphql, api.dialect, document.fragments, variables)).listed(
        query, [document.operation.selection_set]
    )


_Sets = Sequence[SelectionSetNode | None]


class _Selection:
    """Walks the selection of an operation along its types."""

    def __init__(self, selector: Selector) -> None:
        self._selector = selector

    def listed(self, type_: GraphQLObjectType, sets: _Sets) -> _Listed:
        path: ResponsePath = ()
        is_list = False
        while not is_list:
            of = f"{type_.name} at {'.'.join(path)}" if path else type_.name
            key, name, below = self._only(type_, sets, of)
            path = (*path, key)
            field = get_nullable_type(type_.fields[name].type)
            is_list = is_list_type(field)
            item = get_nullable_type(field.of_type) if is_list_type(field) else field
            if not isinstance(item, GraphQLObjectType):
                raise _unacceptable(f"{'.'.join(path)} is not a list of objects")
            type_, sets = item, below
        if name != EDGES or NODE not in type_.fields:
            return _Listed(path, (), list(self._columns(type_, sets, ())))
        key, name, below = self._only(type_, sets, type_.name)
        node = get_nullable_type(type_.fields[name].type)
        if not isinstance(node, GraphQLObjectType):
            raise _unacceptable(f"{type_.name} selects no {NODE}")
        return _Listed(path, (key,), list(self._columns(node, below, ())))

    def _only(self, type_: GraphQLObjectType, sets: _Sets, of: str) -> tuple[str, str, _Sets]:
        """The response key and the name of the only field, and its selection sets."""
        found = [*self._selector.collect(type_, sets).items()]
        if len(found) == 1:
            ((key, nodes),) = found
            name = nodes[0].name.value
            if name in type_.fields:
                return key, name, [each.selection_set for each in nodes]
        raise _unacceptable(f"{of} selects something other than one list")

    def _columns(self, type_: GraphQLObjectType, sets: _Sets, path: ResponsePath) -> Iterator[ResponsePath]:
        """The columns of a selection on an object."""
        for key, same in self._selector.collect(type_, sets).items():
            name = same[0].name.value
            # The plan was made already, so a field that the type does not have can only be __typename.
            below = get_nullable_type(type_.fields[name].type) if name in type_.fields else GraphQLString
            if is_leaf_type(below):
                yield (*path, key)
            elif isinstance(below, GraphQLObjectType):
                yield from self._columns(below, [each.selection_set for each in same], (*path, key))
            else:
                raise _unacceptable(f"{'.'.join((*path, key))} is a list")


def _unacceptable(why: str) -> RequestError:
    return RequestError(
        f"The response to this operation cannot be CSV: {why}",
        code="NOT_ACCEPTABLE",
        status=406,
        hint="Select one list, such as edges { node { ... } } or groups, of scalars and single objects.",
    )


# The table


def _lines(table: _Table, is_safe: bool) -> Iterator[str]:
    listed = table.listed
    yield _line([".".join(path) for path in listed.columns])
    # Numbers are kept as text, with all their digits.
    (text,) = table.texts.values()
    root = json.loads(whole(text or b"null"), parse_int=_Number, parse_float=_Number)
    for item in _at(root, listed.path[1:]) or ():
        row = _at(item, listed.row)
        yield _line([_text(_at(row, path), is_safe) for path in listed.columns])


class _Number(str):
    __slots__ = ()


def _at(row: Any, path: ResponsePath) -> Any:
    for key in path:
        if row is None:
            return None
        row = row[key]
    return row


def _text(value: Any, is_safe: bool) -> str | None:
    if value is None or isinstance(value, _Number):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if is_safe and text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def _line(values: Sequence[str | None]) -> str:
    return ",".join(map(_quoted, values)) + "\r\n"


def _quoted(value: str | None) -> str:
    """A value in the format of RFC 4180. Null is an empty field and empty text is ``""``, as in PostgreSQL's COPY."""
    if value is None:
        return ""
    if value and not any(each in value for each in ',"\r\n'):
        return value
    return '"' + value.replace('"', '""') + '"'
