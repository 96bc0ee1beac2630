"""``portico storage sweep``: finds and deletes bytes that belong to no object."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import click

from app.hooks import hookimpl
from app.settings.kinds import LONGEST_S


@hookimpl
def commands() -> Sequence[click.Command]:
    return (storage,)


class _Seconds(click.FloatRange):
    """A number of seconds in a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):
            # A comparison with a limit is false for NaN, so the range accepts it.
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        return seconds


@click.group("storage")
def storage() -> None:
    """The bytes of stored objects."""


@storage.command("sweep")
@click.option("--delete", is_flag=True, help="Delete these bytes. Without this option nothing is changed.")
@click.option(
    "--older-than",
    default=3600.0,
    show_default=True,
    type=_Seconds(0, LONGEST_S),
    help="Ignore bytes younger than this, in seconds. It must exceed the time from the last byte of any upload to its "
    "commit.",
)
@click.option(
    "--rows",
    is_flag=True,
    help="Also find rows whose bytes are missing. This takes one backend request for each object.",
)
def sweep(delete: bool, older_than: float, rows: bool) -> int:
    """Find bytes that belong to no object, such as those of a killed upload. With --delete, delete them.

    The exit code is 1 when --rows finds objects whose bytes are missing.
    """
    from app.commands.target import service_with_database
    from app.database import ContextBuilder, Database
    from app.storage.bytes.backend import open_backend
    from app.storage.storage import storage_url
    from app.storage.upkeep.sweep import Sweep
    from app.storage.upkeep.work import WorkList, installed_features

    with (
        service_with_database() as (settings, plugins),
        closing(Database(settings)) as database,
        closing(open_backend(plugins, storage_url(settings))) as backend,
    ):
        contexts = ContextBuilder()
        features = installed_features(database, contexts)
        work = WorkList(database, contexts, lambda: backend, (), features, grace_s=settings.replaced_bytes_grace_s)
        sweeping = Sweep(database, contexts, backend, work, older_than_s=older_than)
        result = sweeping.run(delete=delete)
        done = "deleted" if delete else "would be deleted with --delete"
        click.echo(f"{result.seen} blobs checked")
        click.echo(f"{result.orphans} without an object, {result.orphan_bytes} bytes: {done}")
        click.echo(f"{result.unfinished} unfinished writes: {done}")
        if delete:
            click.echo(f"{result.replaced} replaced versions deleted")
        click.echo(f"{result.waiting} replaced versions are still in their grace period")
        if result.foreign:
            click.echo(f"{result.foreign} blobs that Portico did not write: kept")
        missing = 0
        for each in sweeping.rows_without_bytes() if rows else ():
            missing += 1
            click.echo(f"missing bytes: {each.bucket}/{each.name} (version {each.version or 'none'})")
        return 1 if missing else 0


@storage.command("lifecycle")
@click.option("--dry-run", is_flag=True, help="Only report what the rules name now.")
def lifecycle(dry_run: bool) -> None:
    """Delete what the lifecycle rules of buckets name. A running service does that on its own."""
    from app.commands.target import service_with_database
    from app.storage.storage import operators_storage
    from app.storage.upkeep.lifecycle import Lifecycle

    with (
        service_with_database() as (settings, plugins),
        operators_storage(settings, plugins, "storage.lifecycle") as (opened, request),
    ):
        rules = Lifecycle(opened, request, day_s=settings.lifecycle_day_s)
        done = "would be deleted" if dry_run else "deleted"
        for step in rules.dry_run() if dry_run else rules.run():
            size = f", {step.bytes} bytes" if dry_run else ""
            click.echo(f"{step.bucket}, rule {step.rule}: {step.rows} {step.action}{size}: {done}")
