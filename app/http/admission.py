"""Admits or refuses a request by its head, before any of its body is read.

waitress reads a whole body before it calls the application, so a client without a credential could fill the disk. Each
face has a rule for its own requests. The database decides what a credential permits, after the body has been read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from app.errors import PorticoError
from app.http.head import ReceivedHead, path_of
from app.http.refusal import OVERLOADED_STATUS
from app.http.response import Response
from app.http.slices import Slices


class Admitted(NamedTuple):
    """``largest``: the most bytes that the body may have. ``slices``: how the application accepts a part of the body;
    None if it needs the whole body. ``repeatable``: later requests with the same head and a short body are admitted
    without calling the rule; the application must refuse what the rule would refuse."""

    largest: int
    slices: Slices | None = None
    repeatable: bool = False


class Rule(Protocol):
    """The rule of one face."""

    def leads_here(self, path: str, host: str | None) -> bool:
        """Whether a request to this path, at this host, belongs to the face."""

    def may_wait(self, head: ReceivedHead) -> bool:
        """Whether ``admit`` may block, for example to fetch the keys that verify tokens."""

    def admit(self, head: ReceivedHead) -> Admitted:
        """The body that the request may have. Raises PorticoError if the head alone forbids the request."""

    def busy_status(self, head: ReceivedHead) -> int:
        """The status of the response when there are more requests than can be served."""

    def refusal(self, head: ReceivedHead, error: PorticoError) -> Response:
        """The response for an error; its body is bytes."""

    def too_large(self, head: ReceivedHead, largest: int) -> Response:
        """The response to a request with a body of more than ``largest`` bytes; its own body is bytes."""


class RequestRefused(Exception):
    """The request is refused, and its body is not read. The body of ``response`` is bytes."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status)
        self.response = response


class Admission:
    """The ``rules`` of all faces. The first rule to which a request belongs decides on it. A request that belongs to
    none may have ``largest`` bytes, the most that a request of any face may have."""

    def __init__(self, rules: Sequence[Rule], largest: int) -> None:
        self._rules = rules
        self.largest = largest

    def admit(self, head: ReceivedHead) -> Admitted:
        """The body that the request may have. Raises RequestRefused."""
        rule = self._rule(head)
        if rule is None:
            return Admitted(self.largest)
        try:
            return rule.admit(head)
        except PorticoError as ex:
            raise RequestRefused(rule.refusal(head, ex)) from None

    def may_wait(self, head: ReceivedHead) -> bool:
        """Whether ``admit`` may block."""
        rule = self._rule(head)
        return rule is not None and rule.may_wait(head)

    def busy_status(self, head: ReceivedHead) -> int:
        """The status of the response when there are more requests than can be served."""
        rule = self._rule(head)
        return OVERLOADED_STATUS if rule is None else rule.busy_status(head)

    def too_large(self, head: ReceivedHead, largest: int) -> RequestRefused:
        """The refusal of a body of more than ``largest`` bytes."""
        rule = self._rule(head)
        return RequestRefused(Response(413) if rule is None else rule.too_large(head, largest))

    def _rule(self, head: ReceivedHead) -> Rule | None:
        path, host = path_of(head.target), head.headers.get("host")
        return next((rule for rule in self._rules if rule.leads_here(path, host)), None)
