"""The context of a request to the storage: its caller, and the rights with which its statements run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from app.database import Bookmark, Context, ContextBuilder
from app.identity import ANON, SERVICE_ROLE, Caller
from app.random_uuid import new_uuid
from app.storage.errors import ServiceRoleOnly

_REMEMBERED_CALLERS = 1000


@dataclass(frozen=True, slots=True)
class RequestContext:
    """The caller, and what policies and triggers can read about the request.

    ``operation`` is the result of ``storage.operation()`` in policies; ``method``, ``path``, ``headers`` and ``token``
    become the settings ``request.*``. ``access_key``: the S3 access key, if it identifies the caller. ``is_signer``:
    the caller is the one who signed the URL; someone else may have sent the request. ``given_id``: the request's id, ''
    if it has none. ``bookmark``: the position that reads must have seen, if replicas may answer them.
    """

    contexts: ContextBuilder = field(repr=False)
    caller: Caller
    operation: str
    method: str
    path: str
    headers: Mapping[str, str] = field(repr=False)
    token: str = field(repr=False)
    given_id: str = ""
    access_key: str | None = None
    is_signer: bool = False
    bookmark: Bookmark | None = None
    _built: dict[str, Context] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def role(self) -> str:
        return self.caller.role

    @property
    def subject(self) -> object:
        """The claim ``sub``, which becomes the owner of what is written; None without one."""
        return self.caller.claims.get("sub")

    def as_signer(self, signer: Caller, operation: str | None = None) -> RequestContext:
        """The same request with the signer of its URL as the caller, and with ``operation`` if it is not None."""
        operation = self.operation if operation is None else operation
        return dataclasses.replace(self, caller=signer, is_signer=True, operation=operation)

    def own_context(self) -> Context:
        """The context of statements that run with the caller's own rights."""
        return self._context(self.caller)

    def service_context(self) -> Context:
        """The context of statements that run as service_role. Triggers still see the caller's claims."""
        caller = self.caller
        return self._context(caller if caller.role == SERVICE_ROLE else _as_service(caller))

    def request_id(self) -> str:
        """The request's id; without one, a new id at each call."""
        return self.given_id or new_uuid()

    def check_service_role(self) -> None:
        """Raise ServiceRoleOnly unless the caller has the service role."""
        if self.caller.role != SERVICE_ROLE:
            raise ServiceRoleOnly

    def _context(self, caller: Caller) -> Context:
        built = self._built.get(caller.cache_key)
        if built is None:
            built = self._built[caller.cache_key] = self._build(caller)
        return built

    def _build(self, caller: Caller) -> Context:
        return self.contexts.build(
            caller,
            method=self.method,
            path=self.path,
            headers=self.headers,
            token=self.token,
            bookmark=self.bookmark,
            role_settings=(("storage.operation", self.operation), ("storage.allow_delete_query", "true")),
            extra=self.contexts.request_settings(self.headers.get),
        )


@lru_cache(_REMEMBERED_CALLERS)
def _as_service(caller: Caller) -> Caller:
    return dataclasses.replace(caller, role=SERVICE_ROLE, cache_key=caller.cache_key + " as service")


def anonymous() -> Caller:
    """The caller of a request without a credential."""
    return Caller.of({}, default_role=ANON)


def operator_context(contexts: ContextBuilder, operation: str) -> RequestContext:
    """The context of an operator's command, which runs with the rights of service_role."""
    caller = Caller.of({"role": SERVICE_ROLE}, default_role=SERVICE_ROLE)
    return RequestContext(contexts, caller, operation, method="", path="", headers={}, token="")
