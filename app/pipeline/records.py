"""The records that pass from stage to stage. Each is created by one stage, read by the next, and never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graphql import DocumentNode, FragmentDefinitionNode, GraphQLError, OperationDefinitionNode

from app.database import Bookmark, Statement
from app.graphql.schema.api_schema import ApiSchema
from app.identity import Caller
from app.identity.further_credentials import RequestHead
from app.packed_text import AnyText
from app.pipeline.response_text import KeptResponse
from app.query.plan.node_count import Cap, NodeCount
from app.query.plan.planning import ItemErrors, Parameter
from schema_cache.model import Catalog

NO_HEAD = RequestHead("POST", "/graphql/v1", lambda name: None)
"""The head of a request that did not come by HTTP. It has no credentials."""


@dataclass(frozen=True, slots=True)
class GraphQLRequest:
    """A client's request, split into its parts. The stages check them.

    ``query``, ``variables``, ``extensions``, ``operation_name`` and ``document_id`` may be of any JSON type here.
    ``queries_only`` is set for GET. ``accept`` has the media types that the client accepts.
    ``wants_graphql_media_type``: application/graphql-response+json is among them. ``head`` identifies the caller.
    ``bookmark``: the position that the request's reads must see, and the position of its writes; None if replicas are
    not used. The requests of a batch share it.
    """

    query: Any
    variables: Any = None
    operation_name: Any = None
    extensions: Any = None
    document_id: Any = None
    queries_only: bool = False
    accept: str = ""
    wants_graphql_media_type: bool = False
    head: RequestHead = NO_HEAD
    bookmark: Bookmark | None = None


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document that is well-formed and within the limits, with the operation that was chosen from it.

    ``text_and_shape``: the text as it was sent, and its shape, which is the text without ``literals``. ``syntax`` is
    the syntax tree of the text, or None if the text was not parsed because one of the same shape was. ``operation`` and
    ``fragments`` have variables in place of the literals. ``depth``: the number of levels of fields in its deepest
    operation. ``variable_names``: the variables that occur anywhere in it, and the names of the literals.
    ``type_names``: the types that it names. ``defaults``: the default values of the operation's variables.

    A plugin that replaces ``operation`` must replace ``text`` too.
    """

    text: str
    text_and_shape: tuple[str, str]
    literals: Mapping[str, Any]
    syntax: DocumentNode | None
    operation: OperationDefinitionNode
    fragments: Mapping[str, FragmentDefinitionNode]
    depth: int
    variable_names: tuple[str, ...]
    type_names: tuple[str, ...]
    defaults: Mapping[str, Any]

    @property
    def shape(self) -> str:
        """The document's shape, or its whole text if a plugin replaced that."""
        sent, shape = self.text_and_shape
        return shape if self.text is sent else self.text

    @property
    def is_mutation(self) -> bool:
        return self.operation.operation.value == "mutation"


class CurrentSchemaNeeded(Exception):
    """The schema from before the last change of the database does not serve the request, so the current one must."""


class TextNeeded(Exception):
    """The caches have no answer for the document's shape, so its text must be parsed."""


@dataclass(frozen=True, slots=True)
class ParsedOperation:
    """A request whose document was parsed. ``variables`` include the operation's defaults for those not given, and the
    document's literals."""

    request: GraphQLRequest
    document: ParsedDocument
    variables: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AuthorizedOperation:
    """An operation with its caller and the schema of the caller's role. ``catalog``: the current one. The schema may be
    that from before the last change, if the change does not concern the operation. ``lists_changes``: the catalog is
    outdated too, so the flight finds out whether the changes since then concern the operation."""

    parsed: ParsedOperation
    caller: Caller
    api: ApiSchema
    catalog: Catalog
    lists_changes: bool = False

    @property
    def is_before_change(self) -> bool:
        return self.api.catalog is not self.catalog


@dataclass(frozen=True, slots=True)
class PlannedStatement:
    """One SQL statement of a plan. It returns one row, with a column of JSON text for each of ``response_keys``. If it
    only prepares a later statement, ``answers`` is false and its result is dropped. ``nodes``: an upper bound for the
    number of rows in the JSON."""

    statement: Statement
    parameters: tuple[Parameter, ...]
    response_keys: tuple[str, ...]
    nodes: NodeCount
    answers: bool = True


@dataclass(frozen=True, slots=True)
class SQLPlan:
    """The statements of an operation: the same for all requests whose variables have one shape.

    ``response_keys`` are in the order of the response. ``constants``: the JSON texts of fields that need no database; a
    KeptResponse if there are no other fields. ``errors``: those of root fields that failed, in a dialect that still
    answers the other fields.

    ``depends_on_schema_alone``: the response depends on the schema, and the plan runs no statement that would fail if
    the schema were outdated. ``is_volatile``: the plan calls a volatile function. ``has_effects``: a function that a
    query calls, directly or in a view or policy, may do more than read. ``reads_claims``: something that the plan calls
    may read claims and other settings on another server; False is certain, and found out with Citus alone.

    ``caps``: the collections of which a request may want more rows than a page may have. ``reads``: the oids of the
    relations and functions that a query names. ``unread``: the variables that the plan does not use, such as those of
    skipped fields; each request checks that their values are of the declared types. ``item_errors``: find the items of
    a request's lists that have errors of their own.
    """

    response_keys: tuple[str, ...]
    statements: tuple[PlannedStatement, ...] = ()
    constants: Mapping[str, AnyText] = field(default_factory=dict)
    errors: tuple[GraphQLError, ...] = ()
    is_mutation: bool = False
    depends_on_schema_alone: bool = False
    is_volatile: bool = False
    has_effects: bool = False
    reads_claims: bool = True
    caps: tuple[Cap, ...] = ()
    reads: frozenset[int] = frozenset()
    unread: frozenset[str] = frozenset()
    item_errors: tuple[ItemErrors, ...] = ()

    @property
    def depends_on_reads_alone(self) -> bool:
        """Whether the plan is a query that stays valid while its ``reads`` are unchanged."""
        return bool(self.statements) and not (self.is_mutation or self.constants or self.errors)


@dataclass(frozen=True, slots=True)
class BoundPlan:
    """A plan with the values of one request, a tuple for each statement. ``rolled_back``: the transaction is rolled
    back. ``errors``: those of items of the request; the rest is answered."""

    plan: SQLPlan
    values: tuple[tuple[bytes | None, ...], ...]
    rolled_back: bool = False
    errors: tuple[GraphQLError, ...] = ()


CAPPED = "capped"
"""The member of a response's ``extensions`` with the collections of which the request wanted more rows than it got."""


READ_AFTER_HEADER = "Portico-Read-After"
"""The header with a bookmark: in a request the position that it must see, in a response the position of its write."""

READ_AFTER = "readAfter"
"""The member of a mutation's ``extensions`` with the bookmark that a query must send to see the mutation."""


@dataclass(frozen=True, slots=True)
class ResultSet:
    """The JSON text of each response key; None stands for null. ``role``: the role that read them. ``extensions``: the
    ``extensions`` of the response, if any. ``item_errors``: the errors of items of the request."""

    plan: SQLPlan
    texts: Mapping[str, AnyText | None]
    role: str
    extensions: Mapping[str, Any] | None = field(default=None, kw_only=True)
    item_errors: tuple[GraphQLError, ...] = field(default=(), kw_only=True)

    @property
    def errors(self) -> tuple[GraphQLError, ...]:
        """The errors of single fields and items."""
        return self.plan.errors + self.item_errors

    def with_extension(self, name: str, value: Any) -> ResultSet:
        """The same results, with one more member in the ``extensions`` of the response."""
        return replace(self, extensions={**(self.extensions or {}), name: value})


@dataclass(frozen=True, slots=True)
class GraphQLResponse:
    """HTTP status, body, and headers besides those that every response has. ``codes``: the codes of its errors.
    ``content``: the body, or the kept response that has it."""

    status: int
    content: bytes | KeptResponse
    content_type: str = "application/json"
    headers: Sequence[tuple[str, str]] = ()
    codes: tuple[str, ...] = ()

    @property
    def kept(self) -> KeptResponse | None:
        """The kept response that has the body, if any."""
        return None if isinstance(self.content, bytes) else self.content

    @property
    def body(self) -> bytes:
        """The body. That of a kept response may be long; its chunks take less memory."""
        return self.content if isinstance(self.content, bytes) else self.content.body()
