"""``portico serve``"""

from __future__ import annotations

import logging
import os
import tempfile
from contextlib import closing
from functools import partial
from socket import socket
from typing import TYPE_CHECKING, Any

import click

from app.commands.failure import CommandError, explained
from app.commands.live_beside import can_serve_live, make_companion
from app.commands.options import ServiceCommand
from app.entrances import entrances, find_start
from app.faces.live import PATH
from app.plugin_guard import Plugins
from app.server.processes.activation import passed_socket
from app.server.processes.address import address_of, listen
from app.server.processes.logs import announce, configure_logging
from app.server.processes.parent import serve
from app.settings import Settings, misspelt

if TYPE_CHECKING:
    from app.graphql.schema.role_schemas import BuiltSchemas

log = logging.getLogger("portico.serve")

_NO_PAGE = """

Portico Studio, the page for browsers, is not installed. In a copy of Portico's repository: `pip install ./studio`, or
`sh demo.sh`, which includes it."""
_ONLY_HERE = ("127.0.0.1", "::1", "localhost")


@click.command("serve", cls=ServiceCommand)
@click.option("--demo", is_flag=True, help="Serve demonstration data from the embedded PostgreSQL.")
def command(demo: bool, **options: Any) -> int:
    """Serve the APIs until SIGTERM or Ctrl-C.

    Without DATABASE_URL it starts an embedded PostgreSQL, which keeps its data below DATA_DIR.
    """
    from app.discovery import configure, declared

    if demo and options.get("development") is None and not os.environ.get("DEVELOPMENT"):
        options["development"] = True
    if demo and options.get("live") is None and not os.environ.get("LIVE"):
        options["live"] = can_serve_live()
    settings, plugins = configure(overrides=options)
    configure_logging(settings)
    for each in misspelt(os.environ, declared(plugins)):
        log.warning("%s.", each)
    _warn_about_keys(settings)
    _warn_about_temporary_folder(os.environ.get("TMPDIR"))
    if settings.development and settings.host not in _ONLY_HERE:
        log.warning("DEVELOPMENT is on and HOST is %s: every client that reaches it may see SQL.", settings.host)
    if settings.database_url is not None:
        return _serve_database(settings, plugins, demo)
    return _serve_trial(settings, plugins, demo)


def _serve_database(settings: Settings, plugins: Plugins, demo: bool) -> int:
    if demo:
        raise CommandError("--demo needs the embedded PostgreSQL; unset DATABASE_URL to use it")
    from app.identity import has_keys

    if not has_keys(settings):
        raise CommandError("no key is set: run `portico keys`, and set JWT_SECRET, ANON_KEY and SERVICE_ROLE_KEY")
    with passed_socket(os.environ) or listen(settings.host, settings.port) as listener:
        from app.database.url.url import parse_database_url
        from app.installation.install import run_script
        from app.wsgi import create_app, import_faces

        import_faces(settings)
        login = settings.database_url or ""
        plugins.hook.before_fork(settings=settings, as_owner=partial(run_script, login), owner_url=login)
        companion = make_companion(settings, plugins)
        schemas = _build_schemas(settings, plugins) if _check_database(settings) else None
        target = parse_database_url(settings.database_url or "")

        def started() -> None:
            address = _address(settings, listener)
            line = f"Portico serves {target.database} at {address}/graphql/v1"
            if settings.live:
                line += f", live queries at {address}{PATH}"
            announce(log, line + _start(settings, plugins, address), line)

        is_live = companion and companion.is_running
        application = partial(create_app, plugins=plugins, live=is_live, inherited=schemas)
        return serve(settings, application, listener, companion=companion, started=started)


def _warn_about_keys(settings: Settings) -> None:
    """Log a warning if the secret could be guessed, or if the keys that verify tokens cannot be read now. They may be
    available later, so this does not keep the service from starting."""
    from app.identity.issuing import SHORTEST_SECRET, is_too_short
    from app.identity.key_sets import load_key_set

    if settings.jwt_secret and is_too_short(settings.jwt_secret):
        log.warning(
            "JWT_SECRET is shorter than %d bytes and could be guessed; run `portico keys` for a new one.",
            SHORTEST_SECRET,
        )
    try:
        if settings.jwt_jwks and not load_key_set(settings.jwt_jwks):
            log.warning("JWT_JWKS has no key that can verify tokens. Tokens are refused until it has.")
    except (OSError, ValueError) as ex:
        log.warning("The keys of JWT_JWKS cannot be read: %s. Tokens are refused until they can.", ex)


def _warn_about_temporary_folder(wanted: str | None) -> None:
    """Log a warning if large bodies are kept in a folder other than TMPDIR: if Python cannot write there, it silently
    uses another one."""
    try:
        used = tempfile.gettempdir()
    except FileNotFoundError:
        raise CommandError("no folder for temporary files is writable; set TMPDIR to one that is") from None
    if wanted and os.path.realpath(wanted) != os.path.realpath(used):
        log.warning("TMPDIR is %s, where no file can be written: large bodies are kept in %s.", wanted, used)


def _build_schemas(settings: Settings, plugins: Plugins) -> BuiltSchemas | None:
    """The schemas that all workers share; None if they cannot be built now: then each worker builds its own later."""
    from app.pipeline.engine import build_schemas

    try:
        return build_schemas(settings, plugins)
    except Exception as ex:
        # A request gets the same error, if it lasts.
        log.debug("the schemas could not be built before the workers start: %s", ex)
        return None


def _check_database(settings: Settings) -> bool:
    """Log a warning if parameters of the database's URL are ignored, if this software does not match the version of
    PostgreSQL or of Portico's objects, or if the database refuses changes. The service starts even if the database is
    not available. Returns whether it is."""
    from app.database import Database
    from app.errors import PorticoError
    from app.installation.state import immutable, outdated, read_server, read_state, unsupported

    with closing(Database(settings)) as database:
        if database.target.ignored:
            log.warning("Parameters of DATABASE_URL without effect: %s.", ", ".join(database.target.ignored))
        try:
            notices = (
                unsupported(read_server(database.read)),
                "; ".join(immutable(database.read) or ()),
                outdated(read_state(database.read)),
            )
        except PorticoError as ex:
            log.warning("%s Requests are answered as soon as it can be reached.", ex.message)
            return False
        for notice in filter(None, notices):
            log.warning("%s", notice)
        return True


def _serve_trial(settings: Settings, plugins: Plugins, demo: bool) -> int:
    with passed_socket(os.environ) or listen(settings.host, settings.port) as listener:
        from app.commands.embedded_service import DATABASE, DEMO_DATABASE, start_trial, trial_banner
        from app.demo.banner import demo_banner
        from app.demo.load import DemoError, load_demo, report_changes
        from app.demo.pictures import store_pictures
        from app.errors import PorticoError
        from app.installation.install import run_script
        from app.wsgi import create_app, import_faces

        name = DEMO_DATABASE if demo else DATABASE
        cluster, settings = start_trial(settings, name)
        try:
            place = f"The embedded PostgreSQL keeps its data in {cluster.data_directory} and runs as {cluster.account}."
            announce(log, place)
            owner = cluster.url(name)
            plugins.hook.before_fork(settings=settings, as_owner=partial(run_script, owner), owner_url=owner)
            companion = make_companion(settings, plugins)
            if demo:
                load_demo(owner, partial(announce, log))
                if settings.live:
                    report_changes(owner)
                try:
                    store_pictures(owner, settings, plugins, partial(announce, log))
                except (DemoError, PorticoError) as ex:
                    log.warning("The pictures of the demonstration are not stored: %s", explained(ex))
            banner = demo_banner if demo else partial(trial_banner, cluster)

            def started() -> None:
                address = _address(settings, listener)
                text = banner(settings, address) + (_start(settings, plugins, address) or (_NO_PAGE if demo else ""))
                announce(log, text, f"Portico is ready: {address}/graphql/v1")

            import_faces(settings)
            is_live = companion and companion.is_running
            schemas = _build_schemas(settings, plugins)
            application = partial(create_app, plugins=plugins, live=is_live, inherited=schemas)
            return serve(settings, application, listener, companion=companion, started=started, look=cluster.watch)
        finally:
            cluster.leave()


def _start(settings: Settings, plugins: Plugins, address: str) -> str:
    """The line about the page for browsers; '' if there is no such page. It comes last, where it is easy to see."""
    page = find_start(entrances(plugins, settings))
    return f"\n\n{page.title}, in a browser: {address}{page.path}{page.fragment}" if page else ""


def _address(settings: Settings, listener: socket) -> str:
    """The URL of the service for clients: PUBLIC_URL, or else the socket's address."""
    return (settings.public_url or address_of(listener)).rstrip("/")
