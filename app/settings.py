"""Every setting: one table drives environment variables, command line options, docs and ``portico settings``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.setting_kinds import (
    BYTES,
    SWITCH,
    TEXT,
    URL,
    Choice,
    Kind,
    KindError,
    Names,
    Number,
    ProjectRef,
    Seconds,
    Secret,
)


class SettingError(ValueError):
    """A setting cannot be used; the message is one line that names the variable."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One row. ``default`` is a value of the kind, or None; ``default_note`` says where a default comes from."""

    name: str
    env: str
    kind: Kind
    default: Any
    help: str
    default_note: str = ""
    is_option: bool = True

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")

    def parse(self, text: str) -> Any:
        try:
            return self.kind.parse(text)
        except KindError as ex:
            raise SettingError(f"{self.env}: {ex}") from None


SETTINGS: tuple[Setting, ...] = (
    Setting("database_url", "DATABASE_URL", URL, None,
            "The database, as postgresql://user:password@host:port/name. Without it an embedded PostgreSQL is started.",
            is_option=False),
    Setting("data_dir", "DATA_DIR", TEXT, ".portico", "Where the embedded PostgreSQL and its keys are kept."),
    Setting("host", "HOST", TEXT, "127.0.0.1", "The address to listen on; 0.0.0.0 or :: for all."),
    Setting("port", "PORT", Number(0, 65535), 8000, "The port to listen on; 0 for any free one."),
    Setting("workers", "WEB_CONCURRENCY", Number(1, 256), None, "Worker processes.",
            default_note="the number of CPUs, at most 4"),
    Setting("threads", "THREADS", Number(1, 256), 4, "Threads of each worker: requests that it serves at a time."),
    Setting("pin_workers", "PIN_WORKERS", SWITCH, True,
            "Whether each worker keeps to one CPU (on Linux): its threads hand over to each other faster."),
    Setting("shutdown_grace_s", "SHUTDOWN_GRACE_S", Seconds(), 25.0,
            "Seconds that running requests are given when the service stops."),
    Setting("trusted_proxy", "TRUSTED_PROXY", TEXT, None,
            "Address of the proxy whose X-Forwarded headers are believed; * for whoever connects."),
    Setting("public_url", "PUBLIC_URL", URL, None, "The address under which clients reach the service."),
    Setting("api_schemas", "API_SCHEMAS", Names(), ("public",),
            "The database schemas that the API shows, comma-separated, the first one first."),
    Setting("graphql_dialect", "GRAPHQL_DIALECT", Choice("standard", "pg_graphql"), "standard",
            "Which of two sets of GraphQL names and messages is spoken."),
    Setting("jwt_secret", "JWT_SECRET", Secret(), None,
            "The secret of HS256 tokens, of 32 characters or more; `portico keys` makes one.", is_option=False),
    Setting("jwt_jwks", "JWT_JWKS", URL, None, "A file or URL with the public keys of RS, ES and EdDSA tokens."),
    Setting("jwt_audience", "JWT_AUDIENCE", TEXT, None, "The audience that tokens must be for."),
    Setting("anon_key", "ANON_KEY", Secret(), None, "The public API key: its bearer is the role anon.",
            is_option=False),
    Setting("service_role_key", "SERVICE_ROLE_KEY", Secret(), None,
            "The private API key: its bearer is the role service_role and passes row level security.",
            is_option=False),
    Setting("project_ref", "PROJECT_REF", ProjectRef(), None,
            "20 letters or digits that the first label of a request's host must be."),
    Setting("max_rows", "MAX_ROWS", Number(0, 2**31 - 1), 30, "Rows on a page where no directive says otherwise."),
    Setting("body_limit", "BODY_LIMIT", BYTES, 1024 * 1024, "The largest GraphQL request, in bytes."),
    Setting("token_limit", "TOKEN_LIMIT", Number(1), 5000, "Tokens of a GraphQL document."),
    Setting("depth_limit", "DEPTH_LIMIT", Number(1, 200), 32, "Levels of fields in a GraphQL document."),
    Setting("root_field_limit", "ROOT_FIELD_LIMIT", Number(1), 50, "Root fields of a GraphQL operation."),
    Setting("alias_limit", "ALIAS_LIMIT", Number(0), 200, "Aliases in a GraphQL operation."),
    Setting("field_limit", "FIELD_LIMIT", Number(1), 2000,
            "Fields of a GraphQL operation, counted where its fragments are used."),
    Setting("statement_timeout_ms", "STATEMENT_TIMEOUT_MS", Number(0, 2**31 - 1), 30_000,
            "Milliseconds that a statement may take unless its role has a timeout of its own; 0 for no limit."),
    Setting("pool_size", "POOL_SIZE", Number(1, 1000), None, "Database connections of each worker.",
            default_note="the number of threads"),
    Setting("pool_timeout_s", "POOL_TIMEOUT_S", Seconds(), 10.0, "Seconds that a request waits for a connection."),
    Setting("prepared_statements", "PREPARED_STATEMENTS", SWITCH, True,
            "Whether statements are kept prepared on a connection; off behind an older pgbouncer."),
    Setting("prepared_statement_limit", "PREPARED_STATEMENT_LIMIT", Number(1), 200,
            "Statements kept prepared on each connection."),
    Setting("plan_cache_entries", "PLAN_CACHE_ENTRIES", Number(1), 1000, "Plans that each worker keeps."),
    Setting("schema_dump", "SCHEMA_DUMP", TEXT, None,
            "A file that keeps what was read of the database's schema, for a faster start."),
    Setting("storage_url", "STORAGE_URL", URL, None, "Where the bytes of stored objects are, such as file:///srv/objects.",
            default_note="`objects` below `DATA_DIR`"),
    Setting("upload_size_limit", "UPLOAD_SIZE_LIMIT", BYTES, 50 * 1024 * 1024, "The largest object, in bytes."),
    Setting("object_keys", "OBJECT_KEYS", Choice("ascii", "unicode"), "ascii",
            "Which characters the keys of objects may have: those of S3 that are safe everywhere, or all scripts."),
    Setting("signed_upload_s", "SIGNED_UPLOAD_S", Number(1), 7200,
            "Seconds in which an upload may begin with a signed upload URL."),
    Setting("remote_streams", "REMOTE_STREAMS", Number(1), None,
            "Downloads that each worker passes on from a remote storage at a time; each of them keeps a thread.",
            default_note="half the number of threads"),
    Setting("replaced_bytes_grace_s", "REPLACED_BYTES_GRACE_S", Seconds(), 60.0,
            "Seconds that the bytes of replaced and deleted objects stay, for those who are about to read them."),
    Setting("cors_origins", "CORS_ORIGINS", Names(), (),
            "Origins whose pages may use the APIs from a browser, comma-separated; * for all. None by default."),
    Setting("check_content_types", "CHECK_CONTENT_TYPES", SWITCH, False,
            "Whether uploads that are declared to be images, PDF or archives must begin like that."),
    Setting("webhook_url", "WEBHOOK_URL", URL, None, "Where events of stored objects are posted to."),
    Setting("webhook_key", "WEBHOOK_KEY", Secret(), None, "The bearer token with which events are posted.",
            is_option=False),
    Setting("disabled_plugins", "DISABLED_PLUGINS", Names(), (),
            "Plugins that are not used, comma-separated, as `portico plugins` names them."),
    Setting("plugins_required", "PLUGINS_REQUIRED", SWITCH, True,
            "Whether a plugin that cannot be loaded stops the start; off to serve without it."),
    Setting("log_level", "LOG_LEVEL", Choice("debug", "info", "warning", "error"), "info", "The least that is logged."),
    Setting("log_format", "LOG_FORMAT", Choice("plain", "json"), "plain", "How log lines are written to stderr."),
    Setting("show_sql", "SHOW_SQL", SWITCH, False,
            "For the operator while looking for a fault: the log tells statements that fail, and stack traces."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one service; what each means is in ``SETTINGS``."""

    database_url: str | None = field(repr=False)
    data_dir: str
    host: str
    port: int
    workers: int
    threads: int
    pin_workers: bool
    shutdown_grace_s: float
    trusted_proxy: str | None
    public_url: str | None
    api_schemas: tuple[str, ...]
    graphql_dialect: str
    jwt_secret: str | None = field(repr=False)
    jwt_jwks: str | None
    jwt_audience: str | None
    anon_key: str | None = field(repr=False)
    service_role_key: str | None = field(repr=False)
    project_ref: str | None
    max_rows: int
    body_limit: int
    token_limit: int
    depth_limit: int
    root_field_limit: int
    alias_limit: int
    field_limit: int
    statement_timeout_ms: int
    pool_size: int
    pool_timeout_s: float
    prepared_statements: bool
    prepared_statement_limit: int
    plan_cache_entries: int
    schema_dump: str | None
    storage_url: str | None = field(repr=False)
    upload_size_limit: int
    object_keys: str
    signed_upload_s: int
    remote_streams: int
    replaced_bytes_grace_s: float
    cors_origins: tuple[str, ...]
    check_content_types: bool
    webhook_url: str | None
    webhook_key: str | None = field(repr=False)
    disabled_plugins: tuple[str, ...]
    plugins_required: bool
    log_level: str
    log_format: str
    show_sql: bool


def load(
    environ: Mapping[str, str] = os.environ,
    overrides: Mapping[str, Any] | None = None,
) -> Settings:
    """The settings of an environment; an empty variable counts as absent.

    ``overrides`` holds values by the settings' names, as text or already of their kind; None counts as absent.
    Raises SettingError with a line that names the variable.
    """
    given = {name: value for name, value in (overrides or {}).items() if value is not None}
    unknown = given.keys() - {each.name for each in SETTINGS}
    if unknown:
        raise SettingError(f"{min(unknown)} is not a setting")
    values = _values(environ, given)
    if values["workers"] is None:
        values["workers"] = min(4, _cpus())
    if values["pool_size"] is None:
        values["pool_size"] = values["threads"]
    if values["remote_streams"] is None:
        values["remote_streams"] = max(1, values["threads"] // 2)
    return Settings(**values)


def shown(settings: Settings) -> list[tuple[Setting, str]]:
    """Each setting with its value as text, secrets masked."""
    pairs = ((each, getattr(settings, each.name)) for each in SETTINGS)
    return [(setting, "" if value is None else setting.kind.show(value)) for setting, value in pairs]


def _values(environ: Mapping[str, str], given: Mapping[str, Any]) -> dict[str, Any]:
    values = {}
    for setting in SETTINGS:
        value = given.get(setting.name, environ.get(setting.env) or None)
        if isinstance(value, str):
            values[setting.name] = setting.parse(value)
        else:
            values[setting.name] = setting.default if value is None else value
    return values


def _cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
