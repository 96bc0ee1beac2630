"""``Accept: text/csv``: the page of one collection as a table.

A query of one root collection whose nodes have scalars and objects that stand for one row is answered by a line for
each row; the header has the response keys, joined by dots. Anything else is not acceptable, and is not executed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import FieldNode, GraphQLObjectType, GraphQLString, get_named_type, get_nullable_type, is_leaf_type

from app.errors import RequestError
from app.graphql.api_schema import ApiSchema
from app.graphql.selection import Selector
from app.graphql.values import Steering, Variables
from app.hooks import hookimpl
from app.pipeline.around import Around
from app.pipeline.records import CAPPED, AuthorizedOperation, BoundPlan, GraphQLRequest, Reply, ResultSet
from app.settings import Setting, Settings
from app.settings.kinds import SWITCH

CSV_SAFE = Setting(
    "csv_safe",
    SWITCH,
    False,
    "Whether text that a spreadsheet would take for a formula gets an apostrophe before it in CSV.",
)

MEDIA_TYPE = "text/csv"
_CAPPED_HEADER = "Portico-Capped"
_JSON_TYPES = ("application/json", "application/graphql-response+json")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_FORMULA = ("=", "+", "-", "@")

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
        if not _is_wanted(operation.parsed.request):
            return run(operation, bound, *others)
        with operation.api.making():
            columns = _columns(operation)
        results = run(operation, bound, *others)
        # Rows are those of the page, also where more were asked for: then a header tells.
        if (results.extensions or {}).keys() - {CAPPED}:
            raise _unacceptable("it has extensions")
        return _Table(results.plan, results.texts, results.role, columns, extensions=results.extensions)

    def shape(run: Callable[..., Reply], request: GraphQLRequest, results: ResultSet) -> Reply:
        if not isinstance(results, _Table) or results.plan.errors:
            return run(request, results)
        body = "".join(_lines(results, is_safe)).encode()
        # Nodes have no collections here, so the root is the only one.
        headers = [(_CAPPED_HEADER, str(each["given"])) for each in (results.extensions or {}).get(CAPPED, ())]
        return Reply(200, body, f"{MEDIA_TYPE}; charset=utf-8", headers)

    return {"execute": execute, "shape": shape}


@dataclass(frozen=True, slots=True)
class _Table(ResultSet):
    """Results whose rows have these columns: the response keys that lead to each."""

    columns: Sequence[ResponsePath]


def _is_wanted(request: GraphQLRequest) -> bool:
    """Whether the client takes CSV, and no less gladly than JSON."""
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


# What a document has to select


def _columns(operation: AuthorizedOperation) -> Sequence[ResponsePath]:
    """The columns of the table. Raises RequestError (406) where the operation does not give one."""
    api, document = operation.api, operation.parsed.document
    query = api.graphql.query_type
    if document.is_mutation or query is None:
        raise _unacceptable("a mutation was sent")
    variables = Variables(operation.parsed.variables, Steering())
    selector = Selector(api.graphql, api.dialect, document.fragments, variables)
    roots = selector.collect(query, [document.operation.selection_set])
    connection, nodes = _only(query, roots, "a root collection")
    for name in ("edges", "node"):
        fields = selector.collect(connection, [each.selection_set for each in nodes])
        if [same[0].name.value for same in fields.values()] != [name]:
            raise _unacceptable(f"{connection.name} selects something other than one {name}")
        connection, nodes = _only(connection, fields, name)
    return list(_Columns(api, selector).below(connection, nodes, ()))


def _only(
    type_: GraphQLObjectType, fields: Mapping[str, Sequence[FieldNode]], what: str
) -> tuple[GraphQLObjectType, Sequence[FieldNode]]:
    """The type of the only field, and its nodes."""
    found = [(type_.fields.get(nodes[0].name.value), nodes) for nodes in fields.values()]
    if len(found) == 1:
        field, nodes = found[0]
        of_type = get_named_type(field.type) if field is not None else None
        if isinstance(of_type, GraphQLObjectType):
            return of_type, nodes
    raise _unacceptable(f"not just {what} is selected")


class _Columns:
    """The columns that a selection on a row gives."""

    def __init__(self, api: ApiSchema, selector: Selector) -> None:
        self._selector = selector
        self._rows = {each.type_name for each in api.relations}

    def below(self, type_: GraphQLObjectType, nodes: Sequence[FieldNode], path: ResponsePath) -> Iterator[ResponsePath]:
        if type_.name not in self._rows:
            raise _unacceptable(f"{'.'.join(path) or type_.name} is no row")
        for key, same in self._selector.collect(type_, [each.selection_set for each in nodes]).items():
            name = same[0].name.value
            # Of all that a type does not list, only __typename came through the plan.
            below = get_nullable_type(type_.fields[name].type) if name in type_.fields else GraphQLString
            if is_leaf_type(below):
                yield (*path, key)
            elif isinstance(below, GraphQLObjectType):
                yield from self.below(below, same, (*path, key))
            else:
                raise _unacceptable(f"{'.'.join((*path, key))} is a list")


def _unacceptable(why: str) -> RequestError:
    return RequestError(
        f"The answer to this operation cannot be CSV: {why}",
        code="NOT_ACCEPTABLE",
        status=406,
        hint="Select edges { node { ... } } of one root collection, with scalars and to-one objects.",
    )


# The table


def _lines(table: _Table, is_safe: bool) -> Iterator[str]:
    yield _line([".".join(path) for path in table.columns])
    # Numbers stay as they are written.
    (text,) = table.texts.values()
    connection = json.loads(text or b"null", parse_int=_Number, parse_float=_Number)
    for edge in next(iter(connection.values())) if connection else ():
        (row,) = edge.values()
        yield _line([_text(_at(row, path), is_safe) for path in table.columns])


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
    """A value as RFC 4180 has it. Null is nothing, empty text is ``""``, as PostgreSQL's COPY has them."""
    if value is None:
        return ""
    if value and not any(each in value for each in ',"\r\n'):
        return value
    return '"' + value.replace('"', '""') + '"'
