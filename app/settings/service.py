"""The settings of a service."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from app.settings.declaration import Setting, SettingError, T, read
from app.settings.kinds import (
    BYTES,
    SECRET,
    SECRET_URL,
    SWITCH,
    TEXT,
    URL,
    URLS,
    WEB_URL,
    Choice,
    Names,
    Number,
    ObjectPatterns,
    Origins,
    ProjectRef,
    Proxy,
    Seconds,
)


def setting(kind: Any, default: Any, summary: str, **others: Any) -> Any:
    """Declare an attribute of Settings. The arguments are those of ``Setting``; its name is that of the attribute."""
    return dataclasses.field(metadata={"kind": kind, "default": default, "help": summary, **others})


# fmt: off
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settings:
    """The settings of a service. A plugin's setting is read by its declaration: ``settings[WEBHOOK_URL]``."""

    database_url: str | None = setting(SECRET_URL, None,
        "The database, as postgresql://user:password@host:port/name or in another format of libpq. "
        "If unset, an embedded PostgreSQL is started.")
    service_database_url: str | None = setting(SECRET_URL, None,
        "The same database with another login, for service_role. If the login of DATABASE_URL may not become "
        "service_role, database code that a caller runs cannot become service_role either.")
    database_read_urls: tuple[str, ...] = setting(URLS, (),
        "URLs of the database's replicas, separated by spaces. They answer queries and reads of the storage.")
    read_max_lag_s: float = setting(Seconds(), 5.0,
        "The largest age, in seconds, of data that a replica may show; 0 for any age. The primary answers if no "
        "replica is recent enough.")
    data_dir: str = setting(TEXT, ".portico",
        "The directory for the embedded PostgreSQL and its keys, and for objects if STORAGE_URL is unset.")
    host: str = setting(TEXT, "127.0.0.1", "The address to listen on; 0.0.0.0 or :: for all addresses.")
    port: int = setting(Number(0, 65535), 8000, "The port to listen on; 0 for any free port.")
    workers: int = setting(Number(1, 256), None,
        "The number of worker processes.",
        env="WEB_CONCURRENCY", default_note="the number of CPUs, at most 4", derive=lambda _: min(4, _cpus()))
    threads: int = setting(Number(1, 256), 4,
        "Threads of each worker: the number of requests that it processes at a time.")
    pin_workers: bool = setting(SWITCH, True,
        "Whether each worker is pinned to one CPU (Linux only), so that its threads switch faster.")
    connection_limit: int = setting(Number(1, 100_000), 1000,
        "Client connections of each worker. Beyond this, the longest inactive one is closed, or a new one gets 503.")
    waiting_limit: int = setting(Number(0, 100_000), 500,
        "Requests of each worker that may wait for a thread; further ones get 503 at once.")
    waiting_s: float = setting(Seconds(), 2.0,
        "Seconds that a request may wait for a thread. A request that would wait longer gets 503 at once. For as "
        "many seconds after that 503, requests may wait only a fortieth of this time.")
    idle_timeout_s: float = setting(Seconds(), 120.0,
        "Seconds that an idle connection is kept open for the next request.")
    header_timeout_s: float = setting(Seconds(), 10.0,
        "Seconds in which a request's header must arrive, from its first byte.")
    body_timeout_s: float = setting(Seconds(), 30.0,
        "Seconds in which more of a request's body must arrive. After this time, the average must also be at least 500 "
        "bytes per second.")
    send_timeout_s: float = setting(Seconds(), 60.0, "Seconds in which a client must read more of its response.")
    shutdown_grace_s: float = setting(Seconds(), 25.0,
        "Seconds that running requests have to finish when the service stops.")
    trusted_proxy: str | None = setting(Proxy(), None,
        "The address of the proxy whose X-Forwarded-For and X-Forwarded-Proto are trusted; * for any address.")
    public_url: str | None = setting(WEB_URL, None, "The URL under which clients reach the service.")
    cors_origins: tuple[str, ...] = setting(Origins(), (),
        "Origins whose pages may call the APIs from a browser, comma-separated; * for all.")
    development: bool = setting(SWITCH, False,
        "Whether this is a development service: every caller may see SQL and try mutations. On with --demo.")
    access_log: bool = setting(SWITCH, False,
        "Whether each request is logged in one line; requests without an X-Request-Id get one.")
    api_schemas: tuple[str, ...] = setting(Names(), ("public",),
        "The database schemas in the API, comma-separated, in the order of the search path.")
    api_exclude: tuple[str, ...] = setting(ObjectPatterns(), (),
        "Objects that no role sees in the GraphQL API, comma-separated: schema.relation, schema.relation.column, "
        "schema.relation.constraint for the relationships of a foreign key, schema.function(). * stands for any "
        "characters.")
    graphql_dialect: str = setting(Choice("standard", "pg_graphql"), "standard",
        "Follow the GraphQL specification (standard), or behave like the extension pg_graphql.")
    graphql_features: tuple[str, ...] = setting(Names(), ("all",),
        "Features of the dialect standard that pg_graphql does not have: all, none, or names, comma-separated; -name "
        "omits one.")
    value_types: tuple[str, ...] = setting(Names(), (),
        "PostgreSQL types that have their own GraphQL types in the dialect standard: all, or names, comma-separated.")
    json_values: str = setting(Choice("text", "native"), "text",
        "Whether values of json and jsonb are strings that contain JSON, or JSON itself, in the dialect standard.")
    descriptions: str = setting(Choice("directives", "comments"), "directives",
        "Descriptions in the schema of the dialect standard: only those in directives, or also the text of comments.")
    infer_view_keys: bool = setting(SWITCH, False,
        "Whether views have the keys of the tables from which their columns come, in the dialect standard.")
    jwt_secret: str | None = setting(SECRET, None,
        "The secret of HS256 tokens, at least 32 characters; `portico keys` generates one.")
    jwt_jwks: str | None = setting(URL, None,
        "A file or URL with the JSON Web Key Set that verifies RS, ES and EdDSA tokens.")
    jwt_audience: str | None = setting(TEXT, None,
        "The audience that tokens must have (claim aud); if unset, it is not checked.")
    api_roles: tuple[str, ...] = setting(Names(), ("anon", "authenticated", "service_role"),
        "The database roles that tokens may name, comma-separated; roles granted to these are allowed too.")
    tokens_in_database: bool = setting(SWITCH, False,
        "Whether policies and functions can read callers' tokens and keys. PostgreSQL's log may then contain them.")
    anon_key: str | None = setting(SECRET, None, "The public API key; requests with it run as the role anon.")
    service_role_key: str | None = setting(SECRET, None,
        "The private API key; requests with it run as service_role, which bypasses row level security.")
    project_ref: str | None = setting(ProjectRef(), None,
        "If set, the first label of a request's host name must equal it.")
    max_rows: int = setting(Number(0, 2**31 - 1), 30, "Rows on a page, unless a comment directive says otherwise.")
    body_limit: int = setting(BYTES, 1024 * 1024, "The largest body of a GraphQL request, in bytes.")
    token_limit: int = setting(Number(1), 5000, "The maximum number of tokens in a GraphQL document.")
    depth_limit: int = setting(Number(1, 200), 32, "The deepest nesting of fields in a GraphQL document.")
    root_field_limit: int = setting(Number(1), 50, "The maximum number of root fields in a GraphQL operation.")
    alias_limit: int = setting(Number(0), 200, "The maximum number of aliases in a GraphQL operation.")
    field_limit: int = setting(Number(1), 2000,
        "The maximum number of fields in a GraphQL operation; those of a fragment count at each use.")
    filter_depth_limit: int = setting(Number(0, 50), 8,
        "The deepest nesting of related rows in a filter of a GraphQL operation.")
    variable_limit: int = setting(Number(1), 40_000,
        "The maximum number of lists and objects in the variables of a GraphQL request.")
    node_limit: int = setting(Number(0), None,
        "The maximum number of rows that a GraphQL operation may request: the product of nested page sizes. 0 for no "
        "limit.",
        default_note="10000000; 0 in the dialect pg_graphql",
        derive=lambda values: 0 if values["graphql_dialect"] == "pg_graphql" else 10_000_000)
    documents_only: tuple[str, ...] = setting(Names(), (),
        "Roles that may run only registered documents, comma-separated; * for all roles.")
    automatic_documents: int = setting(Number(0), 0,
        "How many documents each worker keeps for clients that send only a hash (Apollo's persistedQuery); 0 for none.")
    batch_limit: int = setting(Number(0, 10_000), 0,
        "The maximum number of GraphQL requests in one body, as a list; with 0 a body is one request.")
    graphql_max_age_s: int = setting(Number(0), 0,
        "Seconds for which caches may keep responses to GET requests of the role anon; 0 for no caching.")
    answer_limit: int = setting(BYTES, 32 * 1024 * 1024, "The largest response to a GraphQL operation, in bytes.")
    statement_timeout_ms: int = setting(Number(0, 2**31 - 1), 30_000,
        "Milliseconds that a statement may take, unless the role has its own statement_timeout; 0 for no limit.")
    database_margin_s: float = setting(Seconds(), 5.0,
        "Seconds after a statement's timeout at which a database connection that has not answered is closed.")
    pool_size: int = setting(Number(1, 1000), None,
        "Database connections of each worker.",
        default_note="the number of threads", derive=lambda values: values["threads"])
    pool_timeout_s: float = setting(Seconds(), 10.0, "Seconds that a request waits for a database connection.")
    prepared_statements: bool = setting(SWITCH, True,
        "Whether connections keep prepared statements; turn this off behind PgBouncer before 1.21 in transaction mode.")
    sql_comments: bool = setting(SWITCH, False,
        "Whether the SQL of a GraphQL operation ends with a comment that names it, for pg_stat_statements.")
    request_ids_in_database: bool = setting(SWITCH, False,
        "Whether application_name in the database is the trace id, or else the request id, of the current request.")
    keep_callers: bool = setting(SWITCH, True,
        "Whether a connection keeps the role and claims of its last request, if that request cannot have changed the "
        "session. The next request of the same caller is then faster.")
    citus: str = setting(Choice("auto", "on", "off"), "auto",
        "Whether Citus may spread the database's tables over several servers; auto finds out from the database.")
    citus_claim: str | None = setting(TEXT, None,
        "The claim whose value equals the distribution column in all of a caller's rows, so that one server answers.")
    citus_claim_column: str | None = setting(TEXT, None,
        "The distribution column that has the value of CITUS_CLAIM.",
        default_note="named like the claim, perhaps with _id")
    prepared_statement_limit: int = setting(Number(1), 200,
        "The maximum number of prepared statements on each connection.")
    plan_cache_entries: int = setting(Number(1), 1000, "The maximum number of plans that each worker caches.")
    storage_url: str | None = setting(URL, None,
        "Where the bytes of objects are stored: a file://, s3://, gs:// or azure:// URL.",
        default_note="`objects` below `DATA_DIR`")
    upload_size_limit: int = setting(BYTES, 50 * 1024 * 1024, "The largest object, in bytes.")
    transfer_space: int = setting(BYTES, None,
        "Disk space of all workers, in bytes, for request bodies being received and responses not read yet; "
        "a request beyond it gets 507.",
        default_note="1G, or 20 times UPLOAD_SIZE_LIMIT if that is more",
        derive=lambda values: max(1024**3, 20 * values["upload_size_limit"]))
    object_keys: str = setting(Choice("ascii", "unicode"), "ascii",
        "The characters allowed in object keys: the safe ASCII characters of S3, or all except U+0000 and U+10FFFF.")
    signed_upload_s: int = setting(Number(1), 7200, "Seconds for which a signed upload URL is valid.")
    remote_streams: int = setting(Number(1), None,
        "Concurrent downloads from a remote backend in each worker; each occupies a thread while the backend sends.",
        default_note="half the number of threads", derive=lambda values: max(1, values["threads"] // 2))
    remote_downloads: str = setting(Choice("proxy", "redirect"), "proxy",
        "Whether downloads from S3, Google and Azure pass through the service, or are redirected to a short-lived URL.")
    remote_uploads: str = setting(Choice("proxy", "direct"), "proxy",
        "Whether clients may choose to send signed uploads directly to S3, Google and Azure.")
    object_cache: int = setting(BYTES, 8 * 1024 * 1024,
        "How many bytes of small objects, of at most 32 KiB each, each worker keeps in memory; 0 for none.")
    replaced_bytes_grace_s: float = setting(Seconds(), 60.0,
        "Seconds before the bytes of replaced and deleted objects are removed, so that started downloads can finish.")
    lifecycle_interval_s: float = setting(Seconds(), 300.0,
        "Seconds between two looks at the lifecycle rules of buckets.")
    lifecycle_day_s: float = setting(Seconds(), 86_400.0,
        "Seconds that count as a day in lifecycle rules; change it only for tests.")
    images: bool = setting(SWITCH, False,
        "Whether images are served in other sizes and formats, below /render/image; needs the extra `images`.",
        default_note="on if the extra `images` is installed", derive=lambda _: find_spec("PIL") is not None)
    image_negotiation: str = setting(Choice("webp", "avif"), "webp",
        "The preferred format of drawn images, for clients whose Accept header names it. With avif, WebP is the second "
        "choice.")
    image_side_limit: int = setting(Number(1, 16383), 2000,
        "The largest width and height, in pixels; a request for more gets this size. If a request has only one of "
        "them, the other follows from the image's proportions, even beyond this limit.")
    image_pixel_limit: int = setting(Number(1, 2**31 - 1), 50_000_000,
        "The maximum number of pixels of an image to decode. A process may take 20 bytes of memory for each pixel.")
    image_file_limit: int = setting(BYTES, 25 * 1024 * 1024, "The largest file, in bytes, that is decoded as an image.")
    image_timeout_s: float = setting(Seconds(), 15.0, "Seconds in which an image must be drawn.")
    image_frames: int = setting(Number(1, 10_000), 1,
        "How many frames of an animated GIF or WebP are drawn; with 1 the image is not animated.")
    image_rate: int = setting(Number(0, 1000), 0,
        "How many times per second each worker draws one object for one client, on average over four seconds; 0 for no "
        "limit.")
    image_processes: int = setting(Number(1, 256), None,
        "Processes of each worker that draw images, one image at a time each. They are started when they are needed.",
        default_note="the number of CPUs divided by the number of workers, at most half the number of threads",
        derive=lambda values: max(1, min(_cpus() // values["workers"], values["threads"] // 2)))
    image_cache: int = setting(BYTES, 1024**3,
        "How many bytes of drawn images are cached in the storage backend, beside the objects; 0 for none.")
    s3_protocol: bool = setting(SWITCH, None,
        "Whether the storage is also served with the S3 protocol, below /s3; needs the extra `s3-protocol`.",
        default_note="on if the extra is installed", derive=lambda _: find_spec("defusedxml") is not None)
    s3_protocol_access_key_id: str | None = setting(TEXT, None,
        "An access key of the S3 protocol with the role service_role; `portico storage keys create` makes others.")
    s3_protocol_access_key_secret: str | None = setting(SECRET, None, "The secret of S3_PROTOCOL_ACCESS_KEY_ID.")
    s3_protocol_region: str = setting(TEXT, "us-east-1",
        "The region in responses of the S3 protocol; clients may sign requests for any region.")
    s3_protocol_host: str | None = setting(TEXT, None,
        "A host name that serves the S3 protocol at its root, such as s3.example.com. Its subdomains are bucket names.")
    s3_protocol_debug: bool = setting(SWITCH, False,
        "For debugging: whether SignatureDoesNotMatch shows what the service would have signed.")
    s3_smallest_part: int = setting(BYTES, 0,
        "The smallest size of each part of a multipart upload except the last; Amazon's is 5M.")
    s3_upload_lifetime_s: float = setting(Seconds(), 604_800.0,
        "Seconds after which an unfinished multipart upload is dropped.")
    resumable_uploads: bool = setting(SWITCH, True, "Whether the storage has the routes of resumable uploads (tus).")
    resumable_upload_s: float = setting(Seconds(), 86_400.0,
        "Seconds for which a resumable upload can be continued after its last bytes arrived.")
    resumable_slice: int = setting(BYTES, 16 * 1024 * 1024,
        "The maximum number of bytes that a request of a resumable upload stores; the client continues from there.")
    live: bool = setting(SWITCH, False,
        "Whether `portico serve` also starts the process of live queries, and serves them at /graphql/v1/stream. "
        "`--demo` turns it on.")
    live_port: int = setting(Number(0, 65535), 8001,
        "The port that `portico live`, the process on its own, listens on.")
    live_poll_s: float = setting(Seconds(), 5.0,
        "Seconds after which live queries of relations run again whose changes no trigger reports.")
    live_limit: int = setting(Number(1, 1_000_000), 1000,
        "The maximum number of streams that are open at the same time.")
    live_caller_limit: int = setting(Number(1, 1_000_000), 200,
        "The maximum number of streams, and of WebSockets, that one caller has at the same time.")
    live_connection_limit: int = setting(Number(1, 1_000_000), 100,
        "The maximum number of streams that one WebSocket may have at the same time.")
    live_message_limit: int = setting(Number(1, 1_000_000), 30,
        "The maximum number of messages per second that one WebSocket may send, on average over ten "
        "seconds.")
    live_answer_limit: int = setting(BYTES, 1024**2,
        "The largest response of a live query, in bytes. The last response of each stream is kept in memory.")
    disabled_plugins: tuple[str, ...] = setting(Names(), (),
        "Names of plugins to disable, as `portico plugins` lists them, comma-separated.")
    plugins_required: bool = setting(SWITCH, True,
        "Whether the service refuses to start if a plugin cannot be loaded. If off, it serves without the plugin.")
    log_level: str = setting(Choice("debug", "info", "warning", "error"), "info",
        "The lowest level that is logged. Libraries of storage backends log from info on, since at debug they log "
        "signatures.")
    log_format: str = setting(Choice("plain", "json"), "plain", "The format of log lines on stderr.")
    show_sql: bool = setting(SWITCH, False,
        "For debugging: whether the log contains failing SQL statements and stack traces.")
    of_plugins: Mapping[Setting[Any], Any] = dataclasses.field(default_factory=dict)
# fmt: on

    def __getitem__(self, setting: Setting[T]) -> T:
        """The value of a plugin's setting. Raises SettingError if no loaded plugin declares it."""
        if setting not in self.of_plugins:
            raise SettingError(f"{setting.env}: no loaded plugin declares this setting")
        value: T = self.of_plugins[setting]
        return value

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{setting.name}={value!r}' for setting, value in shown(self))})"


_SECTIONS = {
    "database_url": "Database",
    "data_dir": "Server",
    "api_schemas": "GraphQL schema",
    "jwt_secret": "Keys and roles",
    "max_rows": "GraphQL requests",
    "statement_timeout_ms": "Database connections",
    "storage_url": "Object storage",
    "images": "Images",
    "s3_protocol": "S3 protocol",
    "resumable_uploads": "Resumable uploads",
    "live": "Live queries",
    "disabled_plugins": "Plugins",
    "log_level": "Log and metrics",
}
"""The sections, by the name of the first setting in each; the next ones up to another first setting belong to it."""


def _in_sections() -> Iterator[Setting[Any]]:
    section = ""
    for each in dataclasses.fields(Settings):
        if each.metadata:
            section = _SECTIONS.get(each.name, section)
            yield Setting(name=each.name, section=section, **each.metadata)


SETTINGS: tuple[Setting[Any], ...] = tuple(_in_sections())
"""The declarations of the built-in settings; plugins declare more."""


def load(
    environ: Mapping[str, str] = os.environ,
    overrides: Mapping[str, Any] | None = None,
    of_plugins: Iterable[Setting[Any]] = (),
) -> Settings:
    """The settings from an environment; a blank variable counts as absent.

    ``overrides`` are values by setting name, as text or already parsed; None counts as absent. ``of_plugins`` are the
    declarations of plugins. Raises SettingError with a line that names the variable.
    """
    of_plugins = tuple(of_plugins)
    values = read([*SETTINGS, *of_plugins], environ, overrides or {})
    return Settings(
        **{each.name: values[each.name] for each in SETTINGS},
        of_plugins={each: values[each.name] for each in of_plugins},
    )


def shown(settings: Settings) -> list[tuple[Setting[Any], str]]:
    """Each setting with its value as text, secrets masked; settings of plugins come last."""
    own = [(each, each.show(getattr(settings, each.name))) for each in SETTINGS]
    return own + [(each, each.show(value)) for each, value in settings.of_plugins.items()]


def _cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
