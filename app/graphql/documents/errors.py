"""Errors of a GraphQL document, and of one of its fields."""

from __future__ import annotations

from collections.abc import Sequence

from graphql import GraphQLError

from app.errors import RequestError


class DocumentError(RequestError):
    """A document that cannot be executed. ``errors``: all errors in it, with locations. ``graphql_status``: the HTTP
    status for clients that accept application/graphql-response+json; for others it is 200."""

    status = 200

    def __init__(
        self,
        message: str,
        code: str,
        errors: Sequence[GraphQLError] = (),
        *,
        hint: str | None = None,
        graphql_status: int = 400,
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.errors = tuple(errors)
        self.graphql_status = graphql_status


class FieldError(RequestError):
    """A root field whose arguments or selection do not fit: the response has ``"data": null``.

    ``key`` is the field's response key.
    """

    status = 200

    def __init__(self, error: RequestError, key: str) -> None:
        code = "BAD_USER_INPUT" if error.code == RequestError.code else error.code
        super().__init__(error.message, code=code, hint=error.hint)
        self.path = (key,)
