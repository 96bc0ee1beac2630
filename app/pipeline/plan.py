"""Plan: compiles the operation to SQL, once for all requests of the same shape; a request's values stay parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphql import FieldNode, GraphQLError, GraphQLObjectType, VariableDefinitionNode, is_leaf_type
from sqlalchemy import ColumnElement, Select, select

from app.database import Statement
from app.errors import PorticoError, RequestError
from app.graphql.documents.errors import DocumentError, FieldError
from app.graphql.documents.selection import Selector
from app.graphql.introspection.answers import META_FIELDS, introspect
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.values.values import Steering, Variables, size_of, whole_value
from app.graphql.values.variables import errors_of_variables
from app.packed_text import AnyText, packed_text
from app.packed_text import size_of as size_of_text
from app.pipeline.binding import bind, check_nodes
from app.pipeline.engine import Engine
from app.pipeline.records import (
    AuthorizedOperation,
    BoundPlan,
    CurrentSchemaNeeded,
    ParsedDocument,
    PlannedStatement,
    SQLPlan,
    TextNeeded,
)
from app.pipeline.response_text import kept_response
from app.pipeline.sql_comments import commented
from app.query.plan.claims import cluster_of
from app.query.plan.distribution import CLAIM
from app.query.plan.node_count import NodeCount
from app.query.plan.planning import Planning
from app.query.plan.walk import Walk
from app.query.sql.compiling import compiled
from app.query.sql.constructs import as_text
from app.query.sql.json_texts import json_text

CONSTANT = "constant"
"""The extension of a root field that needs no database: a function from the field to the chunks of its JSON text."""

MAX_META_FIELDS = 2
"""How many introspection fields an operation may have: each may describe the whole schema."""


def plan(operation: AuthorizedOperation, engine: Engine) -> BoundPlan:
    """The statements that answer the operation, with this request's values.

    Raises RequestError if the operation or its values do not fit the schema, TextNeeded, and CurrentSchemaNeeded.
    """
    if not operation.is_before_change:
        return _bound(operation, engine)
    try:
        bound = _bound(operation, engine)
    except PorticoError:
        raise CurrentSchemaNeeded from None
    # The answer is the same after the change if it is that of a query of relations that did not change.
    reads = bound.plan.reads
    if bound.plan.depends_on_reads_alone and engine.role_schemas.is_unchanged(operation.api, operation.catalog, reads):
        return bound
    raise CurrentSchemaNeeded


def _bound(operation: AuthorizedOperation, engine: Engine) -> BoundPlan:
    document = operation.parsed.document
    names, variables = _values(operation, engine)
    key = operation.api.serial, document.shape, operation.parsed.request.operation_name
    steering = engine.steering.get(key) or Steering()
    try:
        cached = engine.plans.get((key, steering.shape(names, variables)))
        if cached is not None:
            if cached.unread:
                declared = [each for each in _declared(document) if each.variable.name.value in cached.unread]
                _check_variables(declared, operation.api, variables)
            if any(each.nodes.per_row for each in cached.statements):
                check_nodes(cached, variables, operation.api.rules.nodes)
            return bind(cached, variables)
    except RequestError:
        # A value does not fit. Planning again finds where, and raises the error in the words of the dialect.
        pass
    if document.syntax is None:
        raise TextNeeded
    made = make_plan(document, operation.api, variables, steering)
    _steer_by_unused(document.literals, made, steering)
    if engine.settings.sql_comments:
        made = commented(made, document)
    check_nodes(made, variables, operation.api.rules.nodes)
    engine.steering.put(key, steering, len(document.shape) + steering.size)
    if not made.errors:
        shape = steering.shape(names, variables)
        size = (
            len(document.shape)
            + size_of(shape)
            + sum(map(size_of_text, made.constants.values()))
            + sum(len(each.statement.sql) for each in made.statements)
        )
        engine.plans.put((key, shape), made, size)
    return bind(made, variables)


def _values(operation: AuthorizedOperation, engine: Engine) -> tuple[Sequence[str], Mapping[str, Any]]:
    """The names of the variables that the SQL may depend on, and the variables. Both include ``CLAIM``, the caller's
    value for Citus's distribution columns, if the caller has the claim CITUS_CLAIM."""
    names, variables = operation.parsed.document.variable_names, operation.parsed.variables
    claim = engine.settings.citus_claim
    claimed = operation.caller.claims.get(claim) if claim else None
    if claimed is not None:
        return (*names, CLAIM), {**variables, CLAIM: claimed}
    if CLAIM in variables:
        # The value comes from the claim alone; a client must not set it.
        variables = {name: value for name, value in variables.items() if name != CLAIM}
    return names, variables


def _steer_by_unused(literals: Iterable[str], plan: SQLPlan, steering: Steering) -> None:
    """Let each literal that the plan does not use steer as a whole, such as one in a skipped field.

    The plan does not check such a literal, so a document with another value must not use this plan: its literal is
    checked only when that document is validated.
    """
    known = _bound_names(plan).union(steering.below)
    for name in literals:
        if name not in known:
            steering.add((name,), whole_value)


def _bound_names(plan: SQLPlan) -> set[str]:
    """The variables that parameters take their values from."""
    sources = [each.source for planned in plan.statements for each in planned.parameters]
    return {name for source in sources for name in source.names()}


def make_plan(document: ParsedDocument, api: ApiSchema, variables: Mapping[str, Any], steering: Steering) -> SQLPlan:
    """A plan for the operation, made without any cache. The values that its SQL depends on are added to
    ``steering``."""
    root = api.graphql.mutation_type if document.is_mutation else api.graphql.query_type
    if root is None:
        raise DocumentError("Unknown type Mutation", "GRAPHQL_VALIDATION_FAILED")
    read = Variables(variables, steering)
    selector = Selector(api.graphql, api.dialect, document.fragments, read)
    with api.making():
        if api.dialect.validates:
            _check_variables(_declared(document), api, variables)
        fields = _root_fields(document, root, selector)
    planner = _RootPlanner(document, api, root, selector, read)
    made = planner.mutation(fields) if document.is_mutation else planner.query(fields)
    unread = _unread(document, made, read) if api.dialect.validates else ()
    return replace(made, unread=frozenset(unread)) if unread else made


def _unread(document: ParsedDocument, plan: SQLPlan, variables: Variables) -> list[str]:
    """The declared variables whose values the plan neither binds nor depends on. Null and missing variables are left
    out, since these are part of the shape: they are the same in all requests with the plan."""
    read = _bound_names(plan).union(variables.steered)
    names = (each.variable.name.value for each in _declared(document))
    return [name for name in names if name not in read and variables.values.get(name) is not None]


def _declared(document: ParsedDocument) -> Sequence[VariableDefinitionNode]:
    return document.operation.variable_definitions or ()


def _check_variables(declared: Sequence[VariableDefinitionNode], api: ApiSchema, variables: Mapping[str, Any]) -> None:
    with api.making():
        errors = errors_of_variables(api.graphql, declared, variables, hide_suggestions=not api.suggests)
    if errors:
        too_deep = errors[0].message == "Variable values are nested too deeply."
        raise DocumentError(errors[0].message, "LIMIT_EXCEEDED" if too_deep else "BAD_USER_INPUT", errors)


def _root_fields(document: ParsedDocument, root: GraphQLObjectType, selector: Selector) -> dict[str, list[FieldNode]]:
    try:
        fields = selector.collect(root, [document.operation.selection_set])
    except RequestError as ex:
        raise DocumentError(ex.message, "GRAPHQL_VALIDATION_FAILED") from None
    if not fields and not selector.dialect.validates:
        raise DocumentError("Selection set must not be empty", "GRAPHQL_VALIDATION_FAILED")
    if sum(_describes(root, nodes[0].name.value) for nodes in fields.values()) > MAX_META_FIELDS:
        raise DocumentError(f"The operation has more than {MAX_META_FIELDS} introspection fields", "LIMIT_EXCEEDED")
    return fields


def _describes(root: GraphQLObjectType, name: str) -> bool:
    """Whether the root field of that name is one of introspection, or another one that needs no database."""
    if name in META_FIELDS:
        return True
    definition = root.fields.get(name)
    return definition is not None and CONSTANT in definition.extensions


class _RootPlanner:
    """Plans the root fields of one operation."""

    def __init__(
        self,
        document: ParsedDocument,
        api: ApiSchema,
        root: GraphQLObjectType,
        selector: Selector,
        variables: Variables,
    ) -> None:
        self._document = document
        self._api = api
        self._root = root
        self._selector = selector
        self._variables = variables
        self._cluster = cluster_of(api)

    def query(self, fields: Mapping[str, Sequence[FieldNode]]) -> SQLPlan:
        """One statement with a column for each root field, so that all fields see the same state of the database.

        With Citus each call of a function has a statement of its own: only the coordinator can run those that read
        distributed tables, and a statement with rows of one shard runs on another server as a whole."""
        shared = Planning(self._variables, self._cluster)
        planned: list[tuple[Planning, dict[str, ColumnElement[Any]]]] = [(shared, {})]
        constants: dict[str, AnyText] = {}
        errors: list[GraphQLError] = []
        for key, nodes in fields.items():
            try:
                constant = self._constant(nodes)
                if constant is not None:
                    constants[key] = constant
                elif self._calls_functions(nodes):
                    planning = Planning(self._variables, self._cluster)
                    planned.append((planning, {key: self._resolve(planning, nodes)}))
                    planning.check_shards()
                else:
                    planned[0][1][key] = self._resolve(shared, nodes)
                    shared.check_shards()
            except RequestError as ex:
                error = FieldError(ex, key)
                if not self._api.dialect.partial_answers:
                    raise ex if isinstance(ex, DocumentError) else error from None
                errors.append(GraphQLError(error.message, path=[key], extensions={"code": error.code}))
        resolved = {key for _, expressions in planned for key in expressions}
        answered = tuple(key for key in fields if key in resolved or key in constants)
        statements = tuple(each for one in planned if one[1] for each in self._statements(*one))
        depends_on_schema = bool(errors) or any(fields[key][0].name.value != "__typename" for key in constants)
        plannings = [planning for planning, _ in planned]
        is_volatile = any(each.is_volatile for each in plannings)
        reads = frozenset().union(*(each.reads for each in plannings))
        return SQLPlan(
            answered,
            statements,
            constants if statements or errors else kept_response(answered, constants),
            tuple(errors),
            depends_on_schema_alone=depends_on_schema and not statements,
            is_volatile=is_volatile,
            has_effects=is_volatile or self._api.catalog.effects.may_follow(reads),
            reads_claims=self._cluster is None or len(statements) > 1 or not self._reads_tables_alone(reads),
            caps=tuple(cap for each in plannings for cap in each.caps),
            reads=reads,
            item_errors=tuple(found for each in plannings for found in each.item_errors),
        )

    def _reads_tables_alone(self, reads: Iterable[int]) -> bool:
        """Whether these are tables to which no policies apply: not views or functions."""
        found = [self._api.rows_by_oid.get(oid) for oid in reads]
        bypasses = self._api.rules.bypasses_policies
        return all(
            each is not None and each.relation.kind in "rp" and (bypasses or not each.relation.row_security)
            for each in found
        )

    def _calls_functions(self, nodes: Sequence[FieldNode]) -> bool:
        """Whether, with Citus, a root field calls a function. The field is resolved once more for that."""
        if self._cluster is None:
            return False
        planning = Planning(self._variables, self._cluster)
        self._resolve(planning, nodes)
        return planning.calls_functions

    def mutation(self, fields: Mapping[str, Sequence[FieldNode]]) -> SQLPlan:
        """One or more statements for each root field, in the order of the document."""
        constants: dict[str, AnyText] = {}
        statements: list[PlannedStatement] = []
        plannings: list[Planning] = []
        for key, nodes in fields.items():
            constant = self._constant(nodes)
            if constant is None:
                plannings.append(Planning(self._variables, self._cluster, is_change=True))
                statements += self._mutation_statements(plannings[-1], key, nodes)
            else:
                constants[key] = constant
        return SQLPlan(
            tuple(fields),
            tuple(statements),
            constants,
            is_mutation=True,
            caps=tuple(cap for each in plannings for cap in each.caps),
            item_errors=tuple(found for each in plannings for found in each.item_errors),
        )

    def _mutation_statements(self, planning: Planning, key: str, nodes: Sequence[FieldNode]) -> list[PlannedStatement]:
        try:
            expressions = {key: self._resolve(planning, nodes)}
            planning.check_shards()
        except RequestError as ex:
            raise FieldError(ex, key) from None
        return self._statements(planning, expressions)

    def _statements(self, planning: Planning, expressions: Mapping[str, ColumnElement[Any]]) -> list[PlannedStatement]:
        """The statement that answers with these expressions, after those that must run before it."""
        answering = self._statement(planning, expressions)
        keys = tuple(expressions)
        earlier = (_planned(planning, query, keys, NodeCount(0), answers=False) for query in planning.earlier)
        return [*earlier, answering]

    def _constant(self, nodes: Sequence[FieldNode]) -> AnyText | None:
        """The JSON text of a field that needs no database; None for others."""
        name = nodes[0].name.value
        if name == "__typename":
            return f'"{self._root.name}"'.encode()
        if name in META_FIELDS and self._root is self._api.graphql.query_type and self._api.introspected is not None:
            return introspect(
                self._api.introspected, self._document.operation, self._document.fragments, nodes, self._variables
            )
        with self._api.making():
            definition = self._root.fields.get(name)
        if definition is None or CONSTANT not in definition.extensions:
            return None
        walk = Walk(self._api, self._selector, self._variables, Planning(self._variables))
        return packed_text(definition.extensions[CONSTANT](walk.field(self._root, nodes)))

    def _resolve(self, planning: Planning, nodes: Sequence[FieldNode]) -> ColumnElement[Any]:
        walk = Walk(self._api, self._selector, self._variables, planning)
        # The lock is taken here and not around the whole plan: describing all types for introspection takes long, and
        # makes types of its own.
        with self._api.making():
            resolved = walk.resolve(self._root, nodes, None)
            # The value of a scalar is not JSON yet; that of an object is.
            return json_text(resolved) if is_leaf_type(walk.field(self._root, nodes).type) else resolved

    @staticmethod
    def _statement(planning: Planning, expressions: Mapping[str, ColumnElement[Any]]) -> PlannedStatement:
        query = select(*(as_text(expression).label(None) for expression in expressions.values()))
        return _planned(planning, query, tuple(expressions), planning.nodes.count)


def _planned(
    planning: Planning, query: Select[Any], keys: tuple[str, ...], nodes: NodeCount, *, answers: bool = True
) -> PlannedStatement:
    sql, names = compiled(query)
    parameters = planning.parameters
    return PlannedStatement(Statement(sql), tuple(parameters[name] for name in names), keys, nodes, answers)
