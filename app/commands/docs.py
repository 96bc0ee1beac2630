"""``portico docs``"""

from __future__ import annotations

import webbrowser
from importlib.metadata import metadata

import click

from app.commands.failure import CommandError
from app.distribution import NAME


@click.command("docs")
@click.option("--open", "in_browser", is_flag=True, help="Also open it in a browser.")
def command(in_browser: bool) -> None:
    """Print the address of the documentation."""
    address = _address()
    click.echo(address)
    if in_browser and not webbrowser.open(address):
        raise CommandError(f"no browser was found; open {address} yourself")


def _address() -> str:
    """The address from the distribution's metadata, which setup.cfg defines."""
    labelled: dict[str, str] = dict(each.split(", ", 1) for each in metadata(NAME).get_all("Project-URL") or ())
    return labelled["Documentation"]
