"""``extensions: {"dryRun": true}``: a mutation runs, deferred constraints are checked, and everything is rolled back.

Enabled by DRY_RUN=on. Otherwise such a request is refused, so that a trial is never committed. If this plugin is not
loaded, the request is refused too, like any mutation with a member of ``extensions`` that no plugin handles.
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
    "Whether a request can run a mutation as a trial, which is rolled back.",
    default_note="off; on with DEVELOPMENT",
    derive=lambda values: values["development"],
    section="GraphQL requests",
)

NAME = "dryRun"


@hookimpl
def settings() -> Sequence[Setting[Any]]:
    return (DRY_RUN,)


@hookimpl
def request_extensions(settings: Settings) -> Mapping[str, Extension]:
    is_on = settings[DRY_RUN]

    def tried(
        execute: Callable[..., ResultSet],
        requested: Any,
        operation: AuthorizedOperation,
        bound: BoundPlan,
        *others: Any,
    ) -> ResultSet:
        if not isinstance(requested, bool):
            raise _refused(f"extensions.{NAME} must be true or false")
        if not requested:
            return execute(operation, bound, *others)
        if not is_on:
            raise _refused("Mutations cannot be tried here (DRY_RUN); nothing was executed")
        trial = replace(bound, rolled_back=bound.plan.is_mutation)
        return execute(operation, trial, *others).with_extension(NAME, True)

    return {NAME: tried}


def _refused(message: str) -> DocumentError:
    return DocumentError(message, "BAD_USER_INPUT", hint='docs/costs.md, "Dry run"')
