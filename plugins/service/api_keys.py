"""API keys and users' tokens: identifies callers by the headers apiKey and Authorization."""

from __future__ import annotations

from collections.abc import Sequence

from app.hooks import hookimpl
from app.identity import Caller, Identity
from app.identity.further_credentials import Identification, RequestHead


@hookimpl(trylast=True)
def identifications(identity: Identity) -> Sequence[Identification]:
    def identify(head: RequestHead) -> Caller:
        return identity.caller(head.header("apikey"), head.header("authorization"), host=head.header("host"))

    return (Identification("apikey", identify),)
