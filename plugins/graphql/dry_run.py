"""``extensions: {"dryRun": true}``: a mutation runs, deferred constraints are checked, and everything is rolled back.

On with DRY_RUN=on. Off, such a request is refused: nothing is committed that was meant as a trial. Without this plugin
a mutation is refused as well, as one with any member of ``extensions`` that nothing understands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.graphql.documents.errors import DocumentError
from app.hooks import hookimpl
from app.pipeline.extensions import Extension
from app.pipeline.records import AuthorizedOperation, BoundPlan, ResultSet
from app.settings import Setting, Settings
from app.settings.kinds import SWITCH

DRY_RUN = Setting(
    "dry_run",
    SWITCH,
    False,
    "Whether requests can ask for a trial of a mutation, which is rolled back.",
    default_note="off; on with DEVELOPMENT",
    derive=lambda values: values["development"],
)

NAME = "dryRun"


@hookimpl
def settings() -> Sequence[Setting[Any]]:
    return (DRY_RUN,)


@hookimpl
def request_extensions(settings: Settings) -> Mapping[str, Extension]:
    is_on = settings[DRY_RUN]

    def tried(
        execute: Callable[..., ResultSet], wanted: Any, operation: AuthorizedOperation, bound: BoundPlan, *others: Any
    ) -> ResultSet:
        if not isinstance(wanted, bool):
            raise _refused(f"extensions.{NAME} must be true or false")
        if not wanted:
            return execute(operation, bound, *others)
        if not is_on:
            raise _refused("Mutations cannot be tried here (DRY_RUN); nothing was executed")
        trial = replace(bound, rolled_back=bound.plan.is_mutation)
        return execute(operation, trial, *others).telling(NAME, True)

    return {NAME: tried}


def _refused(message: str) -> DocumentError:
    return DocumentError(message, "BAD_USER_INPUT", hint='docs/costs.md, "Dry run"')
