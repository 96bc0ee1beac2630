"""The admission rule of the GraphQL API: decisions on a request before its body is read."""

from __future__ import annotations

import json
from dataclasses import dataclass

from app.errors import OverLimit, PorticoError, RequestError
from app.http.admission import Admitted
from app.http.head import ReceivedHead
from app.http.refusal import OVERLOADED_STATUS
from app.http.response import Response

PATH = "/graphql/v1"


@dataclass(frozen=True, slots=True)
class GraphQLAdmission:
    """An admission rule, see app.http.admission. ``body_limit`` is in bytes."""

    body_limit: int

    def leads_here(self, path: str, host: str | None) -> bool:
        """Whether a path is that of the API or of one of its documents."""
        return path == PATH or path.startswith(PATH + "/")

    def may_wait(self, head: ReceivedHead) -> bool:
        return False

    def admit(self, head: ReceivedHead) -> Admitted:
        if head.method in ("GET", "HEAD"):
            raise RequestError("A request of this method has no body. Send it without one, or with another method.")
        return Admitted(self.body_limit, repeatable=True)

    def busy_status(self, head: ReceivedHead) -> int:
        return OVERLOADED_STATUS

    def refusal(self, head: ReceivedHead, error: PorticoError) -> Response:
        body = {"errors": [{"message": error.message, "extensions": {"code": error.code}}]}
        return Response(error.status, body=json.dumps(body).encode(), code=error.code)

    def too_large(self, head: ReceivedHead, largest: int) -> Response:
        return self.refusal(head, OverLimit(f"The body is larger than {largest} bytes (BODY_LIMIT)", status=413))
