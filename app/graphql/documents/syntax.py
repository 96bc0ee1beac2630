"""Parses the text of a document and checks the limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graphql import DocumentNode, FragmentDefinitionNode, GraphQLError, OperationDefinitionNode, OperationType

from app.graphql.documents.errors import DocumentError
from app.graphql.documents.limits import DocumentLimits, check_limits, check_numbers
from app.graphql.documents.parsing import parsed


@dataclass(frozen=True, slots=True)
class Syntax:
    """A document that is well-formed and within the limits, with its operations and its fragments. ``depth``: the
    number of levels of fields in its deepest operation."""

    document: DocumentNode
    operations: Sequence[OperationDefinitionNode]
    fragments: Mapping[str, FragmentDefinitionNode]
    depth: int


def read_syntax(text: str, limits: DocumentLimits) -> Syntax:
    """The syntax of a document. Raises DocumentError if it is not well-formed or exceeds a limit."""
    try:
        document = parsed(text, max_tokens=limits.tokens)
    except GraphQLError as ex:
        raise _explained(ex, limits) from None
    except RecursionError:
        raise DocumentError("Syntax Error: the document is nested too deeply", "GRAPHQL_PARSE_FAILED") from None
    check_numbers(document)
    operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    fragments = {each.name.value: each for each in document.definitions if isinstance(each, FragmentDefinitionNode)}
    if not operations:
        raise DocumentError("Operation not found", "OPERATION_RESOLUTION_FAILURE")
    _check_operation_names(operations)
    depth = check_limits(operations, fragments, limits)
    return Syntax(document, operations, fragments, depth)


def subscriptions_as_queries(syntax: Syntax) -> Syntax:
    """The syntax with each subscription replaced by a query with the same selection, which is always possible since
    both have the same fields."""
    definitions = tuple(
        replace(each, operation=OperationType.QUERY)
        if isinstance(each, OperationDefinitionNode) and each.operation is OperationType.SUBSCRIPTION
        else each
        for each in syntax.document.definitions
    )
    operations = [each for each in definitions if isinstance(each, OperationDefinitionNode)]
    return replace(syntax, document=replace(syntax.document, definitions=definitions), operations=operations)


def _explained(error: GraphQLError, limits: DocumentLimits) -> DocumentError:
    if "more than" in error.message and "tokens" in error.message:
        return DocumentError(f"The document has more than {limits.tokens} tokens", "LIMIT_EXCEEDED")
    return DocumentError(error.message, "GRAPHQL_PARSE_FAILED", [error])


def _check_operation_names(operations: Sequence[OperationDefinitionNode]) -> None:
    names = [each.name.value for each in operations if each.name]
    if len(operations) > 1 and len(names) < len(operations):
        raise DocumentError("Anonymous operations must be the only defined operation", "OPERATION_RESOLUTION_FAILURE")
    if len(set(names)) < len(names):
        raise DocumentError("Operation names must be unique", "OPERATION_RESOLUTION_FAILURE")
