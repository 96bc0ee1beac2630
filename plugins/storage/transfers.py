"""``portico storage import`` and ``portico storage export``: copy objects from and to folders and other buckets."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from app.commands.failure import CommandError
from app.hooks import hookimpl

if TYPE_CHECKING:
    from app.storage.outside.exporting import ToExport
    from app.storage.outside.parallel import Transfer
    from app.storage.outside.place import OutsidePlace, PlacedObject, PlaceOptions
    from app.storage.request_context import RequestContext
    from app.storage.storage import Storage

Command = TypeVar("Command", bound=Callable[..., Any])
Item = TypeVar("Item", "PlacedObject", "ToExport")


@dataclass(frozen=True)
class _Opened:
    """The two ends of a transfer: a bucket, or the objects below ``prefix`` in it, and a place outside."""

    storage: Storage
    request: RequestContext
    bucket: str
    prefix: str
    place: OutsidePlace


@hookimpl
def commands() -> Sequence[click.Command]:
    return (storage,)


@click.group("storage")
def storage() -> None:
    """The bytes of stored objects."""


def _options(command: Command) -> Command:
    """The options that both commands have."""
    for option in (
        click.option("--dry-run", is_flag=True, help="Change nothing; list the objects that would be copied."),
        click.option(
            "--jobs", type=click.IntRange(1, 64), default=8, show_default=True, help="Number of concurrent transfers."
        ),
        click.option("--profile", help="The profile in the files of the AWS tools that has the outside credentials."),
        click.option(
            "--endpoint-url", help="The outside server of an s3:// URL, such as https://REF.supabase.co/storage/v1/s3."
        ),
    ):
        command = option(command)
    return command


@storage.command("import")
@click.argument("source_url")
@click.argument("bucket")
@_options
@click.option("--owner", metavar="SUB", help="The owner (claim sub) of objects that have no owner in the database.")
def import_objects(
    source_url: str, bucket: str, endpoint_url: str | None, profile: str | None, jobs: int, dry_run: bool, owner: str
) -> int:
    """Import the objects below SOURCE_URL into BUCKET, or into BUCKET/PREFIX.

    SOURCE_URL is a folder, file:///path, s3://bucket/prefix, gs://bucket/prefix or azure://container/prefix. An equal
    object in the bucket is not copied again, so a second run continues an interrupted one; a different object is
    replaced. Rows without bytes, as after restoring a dump, keep their owner, times and metadata.

    The exit code is 1 when an object could not be imported.
    """
    from app.storage.outside.importing import Importing
    from app.storage.outside.place import PlaceOptions

    options = PlaceOptions(endpoint_url, profile)
    with _opened(source_url, options, bucket, "storage.object.import") as ends:
        importing = Importing(ends.storage, ends.request, ends.place, ends.bucket, ends.prefix, dry_run, owner)
        return _run(importing, sorted(ends.place.list(), key=lambda each: each.key), jobs)


@storage.command("export")
@click.argument("bucket")
@click.argument("target_url")
@_options
def export_objects(
    bucket: str, target_url: str, endpoint_url: str | None, profile: str | None, jobs: int, dry_run: bool
) -> int:
    """Export the objects of BUCKET, or those below BUCKET/PREFIX, to TARGET_URL.

    TARGET_URL is a folder, file:///path, s3://bucket/prefix, gs://bucket/prefix or azure://container/prefix. An equal
    object in the target is not copied again, so a second run continues an interrupted one; a different object is
    replaced.

    The exit code is 1 when an object could not be exported.
    """
    from app.storage.outside.exporting import Exporting, objects_of
    from app.storage.outside.place import PlaceOptions

    options = PlaceOptions(endpoint_url, profile, may_be_new=True)
    with _opened(target_url, options, bucket, "storage.object.export") as ends:
        there = {each.key: each for each in ends.place.list()}
        exporting = Exporting(ends.storage, ends.request, ends.place, ends.bucket, ends.prefix, dry_run, there)
        return _run(exporting, list(objects_of(ends.storage, ends.request, ends.bucket, ends.prefix)), jobs)


@contextmanager
def _opened(url: str, options: PlaceOptions, bucket: str, operation: str) -> Iterator[_Opened]:
    """The ends for BUCKET or BUCKET/PREFIX and for the place at ``url``."""
    from app.commands.target import service_with_database
    from app.storage.buckets import find_bucket
    from app.storage.outside.place import open_place
    from app.storage.storage import operators_storage

    name, _, prefix = bucket.partition("/")
    prefix = f"{prefix.rstrip('/')}/" if prefix else ""
    with (
        service_with_database() as (settings, plugins),
        operators_storage(settings, plugins, operation) as (stored, request),
    ):
        if find_bucket(stored, request, name) is None:
            raise CommandError(f"there is no bucket {name}; create it first")
        with closing(open_place(plugins, url, options)) as place:
            yield _Opened(stored, request, name, prefix, place)


def _run(transfer: Transfer[Item], items: Sequence[Item], jobs: int) -> int:
    """Transfer the items and print the results; returns the exit code."""
    from app.storage.outside.parallel import in_parallel

    counts: Counter[str] = Counter()
    # The progress bar counts one more byte for each object, so that it also moves for empty ones.
    hidden = not sys.stderr.isatty()
    with click.progressbar(length=sum(each.size + 1 for each in items), file=sys.stderr, hidden=hidden) as bar:
        for done in in_parallel(transfer, items, jobs):
            counts[done.done] += 1
            counts["verified"] += done.verified
            counts["bytes"] += done.size if done.done == "copied" else 0
            if done.done == "failed":
                click.echo(f"failed: {done.key}: {done.why}", err=True)
            elif transfer.dry_run and done.done == "copied":
                click.echo(f"would be copied: {done.key} ({done.size} bytes)")
            bar.update(done.size + 1)
    verb = "would be copied" if transfer.dry_run else "copied"
    copied = f"{counts['copied']} objects, {counts['bytes']} bytes, {verb}"
    by_size = counts["copied"] - counts["verified"]
    unsure = by_size and not transfer.dry_run
    note = f" ({by_size} of them verified only by their size: their MD5 is unknown)" if unsure else ""
    click.echo(f"{copied}{note}; {counts['there']} were already there; {counts['failed']} failed")
    return 1 if counts["failed"] else 0
