"""The settings of a service."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.settings.declaration import Setting, SettingError, T, read
from app.settings.kinds import (
    BYTES,
    SECRET,
    SECRET_URL,
    SWITCH,
    TEXT,
    URL,
    Choice,
    Names,
    Number,
    ProjectRef,
    Seconds,
)


def setting(kind: Any, default: Any, summary: str, **others: Any) -> Any:
    """An attribute of Settings: what a ``Setting`` takes, except for the name, which is that of the attribute."""
    return dataclasses.field(metadata={"kind": kind, "default": default, "help": summary, **others})


# fmt: off
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settings:
    """The settings of one service. Those of plugins are asked for by their declarations: ``settings[WEBHOOK_URL]``."""

    database_url: str | None = setting(SECRET_URL, None,
        "The database, as postgresql://user:password@host:port/name. Without it an embedded PostgreSQL is started.")
    data_dir: str = setting(TEXT, ".portico", "Where the embedded PostgreSQL and its keys are kept.")
    host: str = setting(TEXT, "127.0.0.1", "The address to listen on; 0.0.0.0 or :: for all.")
    port: int = setting(Number(0, 65535), 8000, "The port to listen on; 0 for any free one.")
    workers: int = setting(Number(1, 256), None,
        "Worker processes.",
        env="WEB_CONCURRENCY", default_note="the number of CPUs, at most 4", derive=lambda _: min(4, _cpus()))
    threads: int = setting(Number(1, 256), 4, "Threads of each worker: requests that it serves at a time.")
    pin_workers: bool = setting(SWITCH, True,
        "Whether each worker keeps to one CPU (on Linux): its threads hand over to each other faster.")
    connection_limit: int = setting(Number(1, 100_000), 1000,
        "Connections of each worker. One more closes the one that its client leaves waiting longest, or is told 503.")
    waiting_limit: int = setting(Number(0, 100_000), 500,
        "Requests of each worker that wait for a thread; those beyond are told 503 at once.")
    idle_timeout_s: float = setting(Seconds(), 120.0, "Seconds that a connection is kept for another request.")
    header_timeout_s: float = setting(Seconds(), 10.0,
        "Seconds in which the header of a request must come, from its first byte.")
    body_timeout_s: float = setting(Seconds(), 30.0,
        "Seconds in which more of a request's body must come; once they are over, also 500 bytes a second on average.")
    send_timeout_s: float = setting(Seconds(), 60.0, "Seconds in which a client must take more of its answer.")
    shutdown_grace_s: float = setting(Seconds(), 25.0,
        "Seconds that running requests are given when the service stops.")
    trusted_proxy: str | None = setting(TEXT, None,
        "Address of the proxy whose X-Forwarded headers are believed; * for whoever connects.")
    public_url: str | None = setting(URL, None, "The address under which clients reach the service.")
    api_schemas: tuple[str, ...] = setting(Names(), ("public",),
        "The database schemas that the API shows, comma-separated, the first one first.")
    graphql_dialect: str = setting(Choice("standard", "pg_graphql"), "standard",
        "Which of two sets of GraphQL names and messages is spoken.")
    jwt_secret: str | None = setting(SECRET, None,
        "The secret of HS256 tokens, of 32 characters or more; `portico keys` makes one.")
    jwt_jwks: str | None = setting(URL, None, "A file or URL with the public keys of RS, ES and EdDSA tokens.")
    jwt_audience: str | None = setting(TEXT, None, "The audience that tokens must be for.")
    api_roles: tuple[str, ...] = setting(Names(), ("anon", "authenticated", "service_role"),
        "The database roles that tokens may have, comma-separated, with those granted to them.")
    tokens_in_database: bool = setting(SWITCH, False,
        "Whether policies and functions can read callers' credentials, which PostgreSQL's log may then hold.")
    anon_key: str | None = setting(SECRET, None, "The public API key: its bearer is the role anon.")
    service_role_key: str | None = setting(SECRET, None,
        "The private API key: its bearer is the role service_role and passes row level security.")
    project_ref: str | None = setting(ProjectRef(), None,
        "20 letters or digits that the first label of a request's host must be.")
    max_rows: int = setting(Number(0, 2**31 - 1), 30, "Rows on a page where no directive says otherwise.")
    body_limit: int = setting(BYTES, 1024 * 1024, "The largest GraphQL request, in bytes.")
    token_limit: int = setting(Number(1), 5000, "Tokens of a GraphQL document.")
    depth_limit: int = setting(Number(1, 200), 32, "Levels of fields in a GraphQL document.")
    root_field_limit: int = setting(Number(1), 50, "Root fields of a GraphQL operation.")
    alias_limit: int = setting(Number(0), 200, "Aliases in a GraphQL operation.")
    field_limit: int = setting(Number(1), 2000, "Fields of a GraphQL operation, counted where its fragments are used.")
    variable_limit: int = setting(Number(1), 40_000, "Lists and objects in the variables of a GraphQL request.")
    node_limit: int = setting(Number(0), None,
        "Rows that a GraphQL operation may ask for, found by multiplying the sizes of its pages; 0 for any number.",
        default_note="10000000; 0 with the dialect pg_graphql",
        derive=lambda values: 0 if values["graphql_dialect"] == "pg_graphql" else 10_000_000)
    answer_limit: int = setting(BYTES, 32 * 1024 * 1024, "The largest answer to a GraphQL operation, in bytes.")
    statement_timeout_ms: int = setting(Number(0, 2**31 - 1), 30_000,
        "Milliseconds that a statement may take unless its role has a timeout of its own; 0 for no limit.")
    database_margin_s: float = setting(Seconds(), 5.0,
        "Seconds beyond a statement's timeout after which a silent database connection is given up.")
    pool_size: int = setting(Number(1, 1000), None,
        "Database connections of each worker.",
        default_note="the number of threads", derive=lambda values: values["threads"])
    pool_timeout_s: float = setting(Seconds(), 10.0, "Seconds that a request waits for a connection.")
    prepared_statements: bool = setting(SWITCH, True,
        "Whether statements are kept prepared on a connection; off behind an older pgbouncer.")
    prepared_statement_limit: int = setting(Number(1), 200, "Statements kept prepared on each connection.")
    plan_cache_entries: int = setting(Number(1), 1000, "Plans that each worker keeps.")
    schema_dump: str | None = setting(TEXT, None,
        "A file that keeps what was read of the database's schema, for a faster start.")
    storage_url: str | None = setting(URL, None,
        "Where the bytes of stored objects are, such as file:///srv/objects.",
        default_note="`objects` below `DATA_DIR`")
    upload_size_limit: int = setting(BYTES, 50 * 1024 * 1024, "The largest object, in bytes.")
    transfer_space: int = setting(BYTES, None,
        "Bytes on the disk of bodies that are still received and answers that are not taken yet, of all workers; "
        "a body beyond is told 507.",
        default_note="1G, or what 20 of the largest objects need where that is more",
        derive=lambda values: max(1024**3, 20 * values["upload_size_limit"]))
    object_keys: str = setting(Choice("ascii", "unicode"), "ascii",
        "Which characters the keys of objects may have: those of S3 that are safe everywhere, or all scripts.")
    signed_upload_s: int = setting(Number(1), 7200, "Seconds in which an upload may begin with a signed upload URL.")
    remote_streams: int = setting(Number(1), None,
        "Downloads from a remote storage at a time, in each worker. Threads wait for that storage, never for a client.",
        default_note="half the number of threads", derive=lambda values: max(1, values["threads"] // 2))
    replaced_bytes_grace_s: float = setting(Seconds(), 60.0,
        "Seconds that the bytes of replaced and deleted objects stay, for those who are about to read them.")
    cors_origins: tuple[str, ...] = setting(Names(), (),
        "Origins whose pages may use the APIs from a browser, comma-separated; * for all. None by default.")
    disabled_plugins: tuple[str, ...] = setting(Names(), (),
        "Plugins that are not used, comma-separated, as `portico plugins` names them.")
    plugins_required: bool = setting(SWITCH, True,
        "Whether a plugin that cannot be loaded stops the start; off to serve without it.")
    log_level: str = setting(Choice("debug", "info", "warning", "error"), "info", "The least that is logged.")
    log_format: str = setting(Choice("plain", "json"), "plain", "How log lines are written to stderr.")
    show_sql: bool = setting(SWITCH, False,
        "For the operator while looking for a fault: the log tells statements that fail, and stack traces.")
    of_plugins: Mapping[Setting[Any], Any] = dataclasses.field(default_factory=dict)
# fmt: on

    def __getitem__(self, setting: Setting[T]) -> T:
        """The value of a plugin's setting. Raises SettingError where no plugin declared it."""
        if setting not in self.of_plugins:
            raise SettingError(f"{setting.env}: no plugin that is loaded declares it")
        value: T = self.of_plugins[setting]
        return value

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{setting.name}={value!r}' for setting, value in shown(self))})"


SETTINGS: tuple[Setting[Any], ...] = tuple(
    Setting(name=each.name, **each.metadata) for each in dataclasses.fields(Settings) if each.metadata
)
"""The declarations of the service's own settings; plugins declare more."""


def load(
    environ: Mapping[str, str] = os.environ,
    overrides: Mapping[str, Any] | None = None,
    of_plugins: Iterable[Setting[Any]] = (),
) -> Settings:
    """The settings of an environment; an empty variable counts as absent.

    ``overrides`` holds values by the settings' names, as text or already of their kind; None counts as absent.
    ``of_plugins`` are the settings that plugins declare. Raises SettingError with a line that names the variable.
    """
    of_plugins = tuple(of_plugins)
    values = read([*SETTINGS, *of_plugins], environ, overrides or {})
    return Settings(
        **{each.name: values[each.name] for each in SETTINGS},
        of_plugins={each: values[each.name] for each in of_plugins},
    )


def shown(settings: Settings) -> list[tuple[Setting[Any], str]]:
    """Each setting with its value as text, secrets masked; those of plugins last."""
    own = [(each, each.show(getattr(settings, each.name))) for each in SETTINGS]
    return own + [(each, each.show(value)) for each, value in settings.of_plugins.items()]


def _cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
