"""Parse: parses the document within the limits, before any costly step, and chooses the operation to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphql import OperationDefinitionNode, OperationType, value_from_ast_untyped

from app.errors import RequestError
from app.graphql.documents.errors import DocumentError
from app.graphql.documents.limits import check_variables
from app.graphql.documents.selection import names_of
from app.graphql.documents.shape import DocumentShape, lifted, shape_of
from app.graphql.documents.syntax import Syntax, read_syntax, subscriptions_as_queries
from app.pipeline.document_text import text_of
from app.pipeline.engine import Engine
from app.pipeline.records import GraphQLRequest, ParsedDocument, ParsedOperation

BYTES_PER_TOKEN = 350
"""The memory that a parsed document takes for each of its tokens, in bytes. Measured: 230 for common documents, 430 for
documents of nothing but short fields."""


def parse_whole(request: GraphQLRequest, engine: Engine) -> ParsedOperation:
    """Like ``parse``, but always parses the text, even if a document of the same shape was parsed before."""
    return parse(request, engine, by_shape=False)


def parse(request: GraphQLRequest, engine: Engine, *, by_shape: bool = True) -> ParsedOperation:
    """The operation of a request. With ``by_shape`` the text is not parsed if a document of the same shape was.

    Raises DocumentError if the text is not a document or has no such operation, OverLimit if it is too large, and
    RequestError if the request is not a GraphQL request.
    """
    variables = {} if request.variables is None else request.variables
    if not isinstance(variables, dict):
        hint = None
        if variables == []:
            hint = "An empty list is none: send {} or leave variables out. PHP encodes an empty array as []."
        raise RequestError("variables must be an object", hint=hint)
    text = text_of(request, engine)
    if not isinstance(text, str) or not text.strip():
        raise RequestError('The request has no "query", which must be a string')
    if request.operation_name is not None and not isinstance(request.operation_name, str):
        raise RequestError("operationName must be a string")
    if variables:
        check_variables(variables, engine.limits.variables)
    document = _document(text, request, engine, by_shape)
    if request.queries_only and document.operation.operation.value != "query":
        raise RequestError("Only queries may be sent with GET", code="METHOD_NOT_ALLOWED", status=405)
    if document.defaults or document.literals:
        variables = {**document.defaults, **variables, **document.literals}
    return ParsedOperation(request, document, variables)


def _document(text: str, request: GraphQLRequest, engine: Engine, by_shape: bool) -> ParsedDocument:
    name = request.operation_name
    document = engine.documents.get((text, name))
    if document is not None:
        return document
    shape = shape_of(text)
    # A request with extensions is parsed, because their plugins may use its text.
    if by_shape and shape.literals and request.extensions is None and request.document_id is None:
        known = engine.shapes.get((shape.text, name))
        if known is not None:
            return replace(known, text=text, text_and_shape=(text, shape.text), literals=shape.literals, syntax=None)
    syntax = read_syntax(text, engine.limits)
    # Twice the length: the text and its shape.
    size = BYTES_PER_TOKEN * syntax.document.token_count + 2 * len(text)
    if engine.answers_subscriptions:
        syntax = subscriptions_as_queries(syntax)
    document = _chosen(text, syntax, name, shape)
    engine.documents.put((text, name), document, size)
    if document.literals:
        engine.shapes.put((document.shape, name), document, size)
    return document


def _chosen(text: str, syntax: Syntax, operation_name: str | None, shape: DocumentShape) -> ParsedDocument:
    operation = _choose(syntax.operations, operation_name)
    if operation.operation is OperationType.SUBSCRIPTION:
        hint = "Send subscriptions to /graphql/v1/stream: docs/live.md."
        raise DocumentError("Subscriptions are not supported", "OPERATION_RESOLUTION_FAILURE", hint=hint)
    defaults = _defaults(operation)
    if defaults:
        # The literals of defaults belong to ``defaults``, which are found only by parsing, so the text is its own
        # shape.
        shape = DocumentShape(text, {}, {})
    variables, types = names_of(syntax.document)
    return ParsedDocument(
        text,
        (text, shape.text),
        shape.literals,
        syntax.document,
        lifted(operation, shape),
        {name: lifted(each, shape) for name, each in syntax.fragments.items()},
        syntax.depth,
        (*variables, *shape.literals),
        types,
        defaults,
    )


def _choose(operations: Sequence[OperationDefinitionNode], name: str | None) -> OperationDefinitionNode:
    for operation in operations:
        if (len(operations) == 1) if name is None else (operation.name is not None and operation.name.value == name):
            return operation
    names = ", ".join(each.name.value for each in operations if each.name)
    hint = (
        f"Expected in operationName one of: {names}." if names else "Leave operationName out: no operation has a name."
    )
    raise DocumentError("Operation not found", "OPERATION_RESOLUTION_FAILURE", hint=hint)


def _defaults(operation: OperationDefinitionNode) -> Mapping[str, Any]:
    return {
        each.variable.name.value: value_from_ast_untyped(each.default_value)
        for each in operation.variable_definitions or ()
        if each.default_value is not None
    }
