"""The records that pass from stage to stage. Each is made by one stage, read by the next, and never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graphql import DocumentNode, FragmentDefinitionNode, GraphQLError, OperationDefinitionNode

from app.database import Bookmark, Statement
from app.graphql.schema.api_schema import ApiSchema
from app.identity import Caller
from app.identity.further_credentials import RequestHead
from app.pipeline.response_text import KeptResponse
from app.query.plan.node_count import Cap, NodeCount
from app.query.plan.planning import Parameter

NO_HEAD = RequestHead("POST", "/graphql/v1", lambda name: None)
"""Of a request that did not come by HTTP. Nobody is known by it."""


@dataclass(frozen=True, slots=True)
class GraphQLRequest:
    """What a client sent, split into its parts but not checked, which is up to the stages.

    ``query``, ``variables``, ``extensions``, ``operation_name`` and ``document_id`` may be of any JSON type here.
    ``queries_only`` is set for GET. ``accept`` are the media types that the client takes.
    ``wants_graphql_media_type``: application/graphql-response+json is among them. ``head`` identifies the caller.
    ``bookmark``: what queries must see, if replicas may answer them; the requests of a batch share it.
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

    ``text_and_shape``: the text as it was sent, and the same without ``literals``. ``syntax`` is the tree of the text,
    None if that was not read because one of the same form was; ``operation`` and ``fragments`` have variables in the
    place of the literals. ``depth``: how many levels of fields its deepest operation has. ``variable_names`` are the
    variables that occur anywhere in it and the names of the literals, ``type_names`` the types that it names;
    ``defaults`` are the variables that the operation gives a value.

    A plugin that replaces the operation replaces ``text`` too.
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
        """What documents with the same operation have in common; all of the text if a plugin replaced it."""
        sent, shape = self.text_and_shape
        return shape if self.text is sent else self.text

    @property
    def is_mutation(self) -> bool:
        return self.operation.operation.value == "mutation"


class TextNeeded(Exception):
    """What is known of a document's form does not answer it: its text has to be read."""


@dataclass(frozen=True, slots=True)
class ParsedOperation:
    """A request whose document was parsed. ``variables`` include the operation's defaults for those not given, and the
    document's literals."""

    request: GraphQLRequest
    document: ParsedDocument
    variables: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AuthorizedOperation:
    """An operation with its caller, and what the caller's role may see of the database."""

    parsed: ParsedOperation
    caller: Caller
    api: ApiSchema


@dataclass(frozen=True, slots=True)
class PlannedStatement:
    """One SQL statement of a plan. It returns one row, with a column of JSON text for each of ``response_keys``, unless
    it only prepares what the next one ``answers``. ``nodes`` is an upper bound for the number of rows in them."""

    statement: Statement
    parameters: tuple[Parameter, ...]
    response_keys: tuple[str, ...]
    nodes: NodeCount
    answers: bool = True


@dataclass(frozen=True, slots=True)
class SQLPlan:
    """What to execute: the same for all requests whose variables have one shape.

    ``response_keys`` are in the order of the answer. ``constants`` are the JSON texts of fields that need no database,
    a KeptAnswer where there are no others.
    ``errors`` are those of root fields that failed, where the dialect still answers the others.
    ``tells_of_schema_alone`` says that the answer depends on the schema, and that the plan runs no statement, which
    would fail on an outdated one. ``is_volatile`` says that the plan calls a volatile function, ``has_effects`` that
    something which a query calls, in a view or a policy too, may do more than read. ``caps`` are where a
    request may ask for more rows than it is given. ``reads`` are the oids of the relations and functions that a query
    names. ``unread`` are the variables that it does without, such as those of fields that are skipped: whether their
    values are of the declared types is asked with each request.
    """

    response_keys: tuple[str, ...]
    statements: tuple[PlannedStatement, ...] = ()
    constants: Mapping[str, bytes] = field(default_factory=dict)
    errors: tuple[GraphQLError, ...] = ()
    is_mutation: bool = False
    tells_of_schema_alone: bool = False
    is_volatile: bool = False
    has_effects: bool = False
    caps: tuple[Cap, ...] = ()
    reads: frozenset[int] = frozenset()
    unread: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class BoundPlan:
    """A plan with the values of one request, a tuple for each statement. ``rolled_back``: nothing that it changes is
    kept."""

    plan: SQLPlan
    values: tuple[tuple[bytes | None, ...], ...]
    rolled_back: bool = False


CAPPED = "capped"
"""The member of an answer's extensions that says where more rows were asked for than given."""


READ_AFTER_HEADER = "Portico-Read-After"
"""The header by which a request names what it must see, and an answer what it wrote."""

READ_AFTER = "readAfter"
"""The member of an answer's extensions that says what a query must have seen to see this mutation."""


@dataclass(frozen=True, slots=True)
class ResultSet:
    """The JSON text of each response key; None stands for null. ``role`` is the one that they were read as.
    ``extensions`` is what the answer tells beside the data, if anything."""

    plan: SQLPlan
    texts: Mapping[str, bytes | None]
    role: str
    extensions: Mapping[str, Any] | None = field(default=None, kw_only=True)

    def telling(self, name: str, value: Any) -> ResultSet:
        """The same results, whose answer tells also this in its ``extensions``."""
        return replace(self, extensions={**(self.extensions or {}), name: value})


@dataclass(frozen=True, slots=True)
class GraphQLResponse:
    """An answer: HTTP status, body, and headers beyond the usual ones. ``codes`` are those of its errors. ``kept``:
    whose body it has."""

    status: int
    body: bytes
    content_type: str = "application/json"
    headers: Sequence[tuple[str, str]] = ()
    codes: tuple[str, ...] = ()
    kept: KeptResponse | None = None
