"""Sign-in with e-mail and password at /auth/v1, for development only: it needs DEVELOPMENT=on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import falcon

from portico import Entrance, PorticoError, Services, Setting, Settings, hookimpl, setting_kinds
from portico_sign_in.attempts import Attempts
from portico_sign_in.passwords import Passwords
from portico_sign_in.request import Service
from portico_sign_in.resource import PATH, AuthResource
from portico_sign_in.sessions import Sessions

log = logging.getLogger("portico.sign_in")

TABLES = (Path(__file__).parent / "tables.sql").read_text(encoding="utf-8")
SIGN_IN = Setting(
    "sign_in",
    setting_kinds.Choice("off", "local", "everywhere"),
    "off",
    "For development: from where users may sign in at /auth/v1 with e-mail and password; off without DEVELOPMENT.",
    default_note="off; local with DEVELOPMENT",
    derive=lambda values: "local" if values["development"] else "off",
)


class SignIn:
    """Sign-in for development, with e-mail and password, for the clients of Supabase."""

    @hookimpl
    def settings(self) -> Sequence[Setting[Any]]:
        return [SIGN_IN]

    @hookimpl
    def commands(self) -> Sequence[click.Command]:
        return [_print_tables]

    @hookimpl
    def before_fork(self, settings: Settings, as_owner: Callable[[str], None]) -> None:
        if settings[SIGN_IN] == "off":
            return
        if not settings.development:
            log.warning("SIGN_IN is ignored, since DEVELOPMENT is off: %s is not served.", PATH)
        elif not settings.jwt_secret:
            log.warning("Sign-in for development needs JWT_SECRET, which signs tokens: %s is not served.", PATH)
        else:
            log.warning("FOR DEVELOPMENT ONLY: %s signs users in. %s", PATH, _REACH[settings[SIGN_IN]])
            try:
                as_owner(TABLES)
            except PorticoError as ex:
                log.warning(
                    "The tables of sign-in cannot be created: %s %s As the owner of the database run "
                    "`portico sign-in-tables | psql \"$DATABASE_URL\"`.",
                    ex.message, ex.hint or "",
                )  # fmt: skip

    @hookimpl
    def entrances(self, settings: Settings) -> Sequence[Entrance]:
        if not _is_served(settings):
            return []
        return [Entrance(PATH, "sign-in with e-mail and password, FOR DEVELOPMENT ONLY")]

    @hookimpl
    def routes(self, app: falcon.App[Any, Any], services: Services) -> None:
        settings = services.settings
        if not _is_served(settings):
            return
        service = Service(services, Passwords(), Sessions(settings), Attempts())
        app.add_route(PATH + "/{place:path}", AuthResource(service, is_open=settings[SIGN_IN] == "everywhere"))


_REACH = {
    "local": "Anyone who uses this machine can create users.",
    "everywhere": "SIGN_IN=everywhere: anyone who reaches this service can create users.",
}


def _is_served(settings: Settings) -> bool:
    return settings.development and settings[SIGN_IN] != "off" and bool(settings.jwt_secret)


@click.command("sign-in-tables")
def _print_tables() -> None:
    """Print the SQL that creates the tables of sign-in for development: auth.users and others."""
    click.echo(TABLES, nl=False)
