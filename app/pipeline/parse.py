"""Parse: the text of a request becomes one operation, within the limits, before anything costly is done with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphql import (
    FragmentDefinitionNode,
    GraphQLError,
    OperationDefinitionNode,
    value_from_ast_untyped,
)
from graphql import (
    parse as parse_document,
)

from app.errors import RequestError
from app.graphql.errors import DocumentError
from app.graphql.limits import DocumentLimits, check_limits, check_variables
from app.graphql.selection import variable_names
from app.pipeline.engine import Engine
from app.pipeline.records import GraphQLRequest, ParsedDocument, ParsedOperation

BYTES_PER_CHARACTER = 60
"""The memory that a parsed document takes for each character of its text; measured with many short fields."""


def parse(request: GraphQLRequest, engine: Engine) -> ParsedOperation:
    """The operation that a request asks for.

    Raises DocumentError if the text is not a document or has no such operation, OverLimit if it is too large, and
    RequestError if the request is not a GraphQL request.
    """
    variables = {} if request.variables is None else request.variables
    if not isinstance(variables, dict):
        raise RequestError("variables must be an object")
    if request.query is None and isinstance(request.extensions, dict) and "persistedQuery" in request.extensions:
        raise RequestError(
            "PersistedQueryNotSupported",
            code="PERSISTED_QUERY_NOT_SUPPORTED",
            status=200,
            hint='Send the text of the document in query: docs/graphql.md, "Clients".',
        )
    if not isinstance(request.query, str) or not request.query.strip():
        raise RequestError('The request has no "query", which must be a string')
    if request.operation_name is not None and not isinstance(request.operation_name, str):
        raise RequestError("operationName must be a string")
    if variables:
        check_variables(variables, engine.limits.variables)
    key = request.query, request.operation_name
    document = engine.documents.get(key)
    if document is None:
        document = _read(request.query, request.operation_name, engine.limits)
        engine.documents.put(key, document, BYTES_PER_CHARACTER * len(request.query))
    if request.queries_only and document.operation.operation.value != "query":
        raise RequestError("Only queries may be sent with GET", code="METHOD_NOT_ALLOWED", status=405)
    if document.defaults:
        variables = {**document.defaults, **variables}
    return ParsedOperation(request, document, variables)


def _read(text: str, operation_name: str | None, limits: DocumentLimits) -> ParsedDocument:
    try:
        document = parse_document(text, max_tokens=limits.tokens)
    except GraphQLError as ex:
        raise _explained(ex, limits) from None
    except RecursionError:
        raise DocumentError("Syntax Error: the document is nested too deeply", "GRAPHQL_PARSE_FAILED") from None
    operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    fragments = {each.name.value: each for each in document.definitions if isinstance(each, FragmentDefinitionNode)}
    _check_operation_names(operations)
    check_limits(operations, fragments, limits)
    operation = _choose(operations, operation_name)
    if operation.operation.value == "subscription":
        raise DocumentError("Subscriptions are not supported", "OPERATION_RESOLUTION_FAILURE")
    return ParsedDocument(text, document, operation, fragments, variable_names(document), _defaults(operation))


def _explained(error: GraphQLError, limits: DocumentLimits) -> DocumentError:
    if "more than" in error.message and "tokens" in error.message:
        return DocumentError(f"The document has more than {limits.tokens} tokens", "LIMIT_EXCEEDED")
    return DocumentError(error.message, "GRAPHQL_PARSE_FAILED", [error])


def _check_operation_names(operations: list[OperationDefinitionNode]) -> None:
    names = [each.name.value for each in operations if each.name]
    if len(operations) > 1 and len(names) < len(operations):
        raise DocumentError("Anonymous operations must be the only defined operation", "OPERATION_RESOLUTION_FAILURE")
    if len(set(names)) < len(names):
        raise DocumentError("Operation names must be unique", "OPERATION_RESOLUTION_FAILURE")


def _choose(operations: list[OperationDefinitionNode], name: str | None) -> OperationDefinitionNode:
    for operation in operations:
        if (len(operations) == 1) if name is None else (operation.name is not None and operation.name.value == name):
            return operation
    raise DocumentError("Operation not found", "OPERATION_RESOLUTION_FAILURE")


def _defaults(operation: OperationDefinitionNode) -> Mapping[str, Any]:
    return {
        each.variable.name.value: value_from_ast_untyped(each.default_value)
        for each in operation.variable_definitions or ()
        if each.default_value is not None
    }
