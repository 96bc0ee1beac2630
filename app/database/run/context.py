"""The context: role, claims and settings of one request, local to its transaction or kept for its caller's next one.

Two statements set it, in the same flight, before the data statements. The first sets the role; it is never prepared
under a name, for the reason given at ``app.database.wire.session.CLEANING``. The second is one SELECT that sets the
rest (``app.database.run.transaction_mode``). Its text depends only on the number of settings, so a few prepared
statements serve all callers. Neither can be part of the data statement: PostgreSQL would plan that before the role is
set, without the caller's row level security.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from struct import Struct
from typing import TYPE_CHECKING

from app.database.identifiers import as_constant, quoted
from app.database.run.position import Bookmark
from app.database.run.session_context import SessionContext, SettingValue, check_step, may_stay
from app.database.run.transaction_mode import EXPLICIT, IMPLICIT, IN_SEQUENCE, SESSION, TransactionMode
from app.database.wire.pinned import PINNED, suitable_path
from app.database.wire.prepared import Step, encode_parameters
from app.database.wire.session import CHECK, CHECKS, DISCARD_SEQUENCES
from app.database.wire.statement import Statement
from app.observation import read_request_id, read_trace

if TYPE_CHECKING:
    from app.identity import Caller

_CLAIM_SETTING = "request.jwt.claim."
# The names that PostgreSQL accepts for custom settings; any other name would fail the request.
_CLAIM_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*(?:\.[A-Za-z_][A-Za-z0-9_$]*)*", re.ASCII)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?")
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_CREDENTIALS = frozenset(
    {"authorization", "apikey", "cookie", "proxy-authorization", "x-amz-security-token", "x-api-key"}
)
_DATE_STYLE = re.compile(r"sql|postgres\w*|german\w*", re.IGNORECASE)
_DATE_ORDER = re.compile(r"ymd|dmy|mdy|euro|us", re.IGNORECASE)
_FIRST_CLAIMS = ("role", "sub", "email")
_LONGEST_CLAIM_NAME = 63
_MOST_CLAIM_SETTINGS = 30
_REMEMBERED_CALLERS = 1000
_REMEMBERED_HEADERS = 256
_LONGEST_REMEMBERED = 2048
_pack_length = Struct("!i").pack
_LONGEST_APPLICATION_NAME = 63


@dataclass(frozen=True, slots=True)
class Context:
    """``role``: the role whose rights the data statements have. ``steps``: the statements that set the context.
    ``statement_timeout_s``: the time after which PostgreSQL cancels a statement; 0 for no limit. ``bookmark``: the
    positions that the request must see and has written; None if only the primary may answer it. ``mode``: the
    transaction mode of its flights. ``session``: the same context for a session; None if it must not stay there."""

    role: str
    steps: tuple[Step, ...]
    statement_timeout_s: float = 0.0
    bookmark: Bookmark | None = None
    mode: TransactionMode = IMPLICIT
    session: SessionContext | None = None

    def with_savepoints(self) -> Context:
        """The same context with explicit transactions: PostgreSQL has savepoints in no others."""
        return replace(self, mode=EXPLICIT)


def first_steps(context: Context | None, read_only: bool) -> tuple[Step, ...]:
    """The first steps of a transaction, once the session is clean; the last of them includes ``CHECKS``."""
    own: tuple[Step, ...] = ((CHECK, (), ""),) if context is None else context.steps
    return own if read_only else ((DISCARD_SEQUENCES, (), ""), *own)


class ContextBuilder:
    """Builds the context of a request.

    ``statement_timeout_ms`` is for roles without a setting of their own; 0 leaves it to the database.
    ``with_tokens``: the caller's credentials are set as well, and PostgreSQL's statement log may contain them.
    ``with_request_ids``: application_name contains the id of the request. ``keep_callers``: contexts may stay on
    connections. ``is_distributed`` returns whether the database has Citus.
    """

    def __init__(
        self,
        *,
        statement_timeout_ms: int = 0,
        with_tokens: bool = False,
        with_request_ids: bool = False,
        keep_callers: bool = False,
        is_distributed: Callable[[], bool] = lambda: False,
    ) -> None:
        self._is_distributed = is_distributed
        self._with_request_ids = with_request_ids
        self._keep_callers = keep_callers
        self._statement_timeout_ms = statement_timeout_ms
        self._with_tokens = with_tokens
        self._of_caller = lru_cache(_REMEMBERED_CALLERS)(self._settings_of_caller)
        self._repeated = lru_cache(_REMEMBERED_CALLERS)(self._assemble)
        self._repeated_headers = lru_cache(_REMEMBERED_HEADERS)(_encode_headers)

    def build(
        self,
        caller: Caller,
        *,
        method: str = "",
        path: str = "",
        headers: Mapping[str, str] | None = None,
        role_settings: tuple[SettingValue, ...] = (),
        extra: Sequence[SettingValue] = (),
        token: str = "",
        schema_version: int | None = None,
        bookmark: Bookmark | None = None,
        discarded: bool = False,
        guarded: bool = False,
        propagated: bool = True,
        in_sequence: bool = False,
        proved_by: str = "",
    ) -> Context:
        """The context for one request of ``caller``.

        ``method``, ``path`` and ``headers`` become the settings ``request.method`` and so on. ``role_settings`` are the
        role's own (ALTER ROLE ... SET), from the schema cache, and others that many requests of the caller share: their
        encoded form is cached. ``extra`` has more pairs of a setting's name and value. ``token`` is the caller's; it
        becomes ``request.jwt`` if ``headers`` are given.
        ``schema_version``: fail with SchemaOutdated unless the database's schema still has this version.
        ``bookmark`` belongs to the request; with it, replicas may answer reads. ``discarded``: the transaction is
        read-only and is rolled back, so that nothing that it calls can change anything. ``guarded``: the calls are
        guarded (``app.database.run.guard``). ``propagated``: with Citus, pass the settings on to other servers, and
        commit there together; False for a single read that calls nothing which needs settings. ``in_sequence``: with
        Citus, a statement changes shards one after the other; otherwise later statements of the transaction could not
        change reference tables. ``proved_by``: the version of the catalog by which the calls cannot change their
        session, so that the context may stay there; '' if they may change it.
        """
        mode = IMPLICIT
        if propagated and self._is_distributed():
            mode = IN_SEQUENCE if in_sequence else EXPLICIT
        if discarded:
            mode = mode.discarded
        if guarded:
            mode = mode.guarded
        if headers is None and not extra:
            proof = proved_by if self._keep_callers and mode is IMPLICIT else ""
            repeated = self._repeated(mode, caller, role_settings, method, path, schema_version, proof=proof)
            return repeated if bookmark is None else replace(repeated, bookmark=bookmark)
        encoded_headers = b"" if headers is None else self._encoded_headers(headers)
        if headers is not None and self._with_tokens:
            extra = (("request.jwt", token), *extra)
        assembled = self._assemble(mode, caller, role_settings, method, path, schema_version, encoded_headers, extra)
        return assembled if bookmark is None else replace(assembled, bookmark=bookmark)

    def _encoded_headers(self, headers: Mapping[str, str]) -> bytes:
        """The encoded setting of the headers without credentials. It is cached, because clients mostly send the same
        headers; long ones are not, because they would fill the memory."""
        hidden = () if self._with_tokens else _CREDENTIALS
        shown = tuple([(lower, value) for name, value in headers.items() if (lower := name.lower()) not in hidden])
        is_long = sum([len(name) + len(value) for name, value in shown]) > _LONGEST_REMEMBERED
        return _encode_headers(shown) if is_long else self._repeated_headers(shown)

    def request_settings(self, header: Callable[[str], str | None]) -> tuple[SettingValue, ...]:
        """The settings that identify the request, for ``extra``, from its headers. The id is a parameter of the context
        statement, not an SQL comment: a text that differs each time would have to be prepared each time."""
        if not self._with_request_ids:
            return ()
        trace = read_trace(header("traceparent"), None)
        name = trace.trace_id if trace else read_request_id(header("x-request-id"))
        return (("application_name", name[:_LONGEST_APPLICATION_NAME]),) if name else ()

    def _assemble(
        self,
        mode: TransactionMode,
        caller: Caller,
        role_settings: tuple[SettingValue, ...],
        method: str,
        path: str,
        schema_version: int | None,
        encoded_headers: bytes = b"",
        more: Sequence[SettingValue] = (),
        *,
        proof: str = "",
    ) -> Context:
        count, encoded, timeout_s = self._of_caller(caller, role_settings)
        own = (*mode.settings, ("request.method", method), ("request.path", path), *more)
        count += len(own) + (1 if encoded_headers else 0)
        values = [encoded, encoded_headers, _encode_pairs(own)]
        if schema_version is not None:
            values.append(encode_parameters((str(schema_version).encode(),))[2:])
        total = 2 * count + (schema_version is not None)
        statement = context_statement(count, mode, checked=schema_version is not None)
        parameters = total.to_bytes(2, "big") + b"".join(values)
        # Neither plan depends on the role, so all roles share the prepared statements.
        steps: tuple[Step, ...] = ((_role_statement(caller.role), (), ""), (statement, parameters, ""))
        session = None
        # Another proof makes another session context, so what an outdated one let happen does not stay.
        if proof and schema_version is not None and may_stay(role_settings):
            for_session = context_statement(count, SESSION, checked=True)
            enter: tuple[Step, ...] = ((_session_role_statement(caller.role), (), ""), (for_session, parameters, ""))
            session = SessionContext(enter, check_step(_text(caller.role), schema_version))
        return Context(caller.role, steps, timeout_s, mode=mode, session=session)

    def _settings_of_caller(self, caller: Caller, role_settings: tuple[SettingValue, ...]) -> tuple[int, bytes, float]:
        if caller.role == "none":
            # PostgreSQL would switch back to the login role.
            raise ValueError("'none' is not a role")
        pairs = [(name, _suitable(name.lower(), value)) for name, value in role_settings]
        named = {name.lower() for name, _ in role_settings}
        if "jit" not in named:
            # The estimated cost of a nested query triggers JIT compilation, which takes longer than running it.
            pairs.append(("jit", "off"))
        if self._statement_timeout_ms and "statement_timeout" not in named:
            pairs.append(("statement_timeout", str(self._statement_timeout_ms)))
        pairs.append(("request.jwt.claims", caller.claims_json))
        pairs.extend(_claim_settings(caller.claims))
        timeouts = [value for name, value in pairs if name.lower() == "statement_timeout"]
        return len(pairs), _encode_pairs(pairs), seconds_of(timeouts[-1]) if timeouts else 0.0


def _suitable(name: str, value: str) -> str:
    """The value to use in place of a role's ``value`` of a setting; ``name`` is in lower case."""
    if name == "search_path":
        return suitable_path(value)
    if name != "datestyle":
        return PINNED.get(name, value)
    # Other styles print time zone abbreviations within ranges and rows, which may be read as another zone.
    style = _DATE_STYLE.sub("ISO", value)
    is_german = "german" in value.lower() and not _DATE_ORDER.search(value)
    return f"{style}, DMY" if is_german else style


def seconds_of(duration: str) -> float:
    """A duration in the syntax of PostgreSQL's settings, such as ``5000``, ``30s`` or ``1min``; 0 if it is invalid."""
    found = _DURATION.fullmatch(duration.strip())
    return float(found[1]) * _UNITS[found[2] or "ms"] if found else 0.0


def _claim_settings(claims: Mapping[str, object]) -> Iterator[SettingValue]:
    """``request.jwt.claim.<name>`` for scalar claims: PostgREST's older form, which policies still read."""
    seen: set[str] = set()
    # Names of settings ignore case: without this order a claim "ROLE" could override the role.
    for name in (*_FIRST_CLAIMS, *claims):
        value = claims.get(name)
        folded = name.lower()
        if folded in seen or len(seen) >= _MOST_CLAIM_SETTINGS:
            continue
        if folded in _FIRST_CLAIMS and folded != name:
            continue
        if len(name) > _LONGEST_CLAIM_NAME or not _CLAIM_NAME.fullmatch(name):
            continue
        if isinstance(value, str):
            text = value
        elif isinstance(value, bool | int | float):
            text = json.dumps(value)
        else:
            continue
        seen.add(folded)
        yield _CLAIM_SETTING + name, text


def _encode_headers(headers: tuple[tuple[str, str], ...]) -> bytes:
    return _encode_pairs([("request.headers", json.dumps(dict(headers)))])


def _encode_pairs(pairs: Sequence[SettingValue]) -> bytes:
    """Names and values encoded as by ``encode_parameters``, but without the leading count."""
    return b"".join([part for name, value in pairs for part in (_encode_name(name), _encode(value))])


def _encode(value: str) -> bytes:
    encoded = _text(value)
    return _pack_length(len(encoded)) + encoded


_encode_name = lru_cache(256)(_encode)


def _text(value: str) -> bytes:
    # PostgreSQL's text can hold neither NUL nor lone surrogates; a path or a claim can contain both.
    return value.encode(errors="replace").replace(b"\0", b"")


@lru_cache(256)
def _role_statement(role: str) -> Statement:
    # The other settings are then set with this role's rights, the same as those of the data statements.
    name = _text(role).decode()
    # A SELECT takes 13 us longer to parse and plan. Outside a transaction block SET LOCAL warns, which takes as long.
    outside = f"SELECT pg_catalog.set_config('role', {as_constant(name)}, true)"
    return Statement(f"SET LOCAL ROLE {quoted(name)}", unnamed=True, outside=outside)


@lru_cache(256)
def _session_role_statement(role: str) -> Statement:
    return Statement(f"SET ROLE {quoted(_text(role).decode())}", unnamed=True)


@lru_cache(256)
def context_statement(count: int, mode: TransactionMode = IMPLICIT, *, checked: bool) -> Statement:
    """The statement that sets ``count`` settings and, if ``checked``, compares the schema version before that."""
    check = [f"graphql.assert_schema_version(${2 * count + 1})"] if checked else []
    return Statement(f"SELECT {', '.join([CHECKS, *check, *mode.assignments(count), *mode.then])}", "context")
