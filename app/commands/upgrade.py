"""``portico upgrade``"""

from __future__ import annotations

import click

from app.commands.report import print_report
from app.commands.target import settings_with_database


@click.command("upgrade")
def command() -> None:
    """Upgrade the objects that `portico init` installed to the version of this software, while requests run."""
    from app.installation.install import upgrade

    with settings_with_database() as settings:
        print_report(upgrade(settings.database_url or ""))
