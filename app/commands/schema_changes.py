"""The changes between a schema that was printed earlier and the current one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from graphql import GraphQLError, GraphQLSchema, build_schema
from graphql.utilities import BreakingChange, DangerousChange, SafeChange, SchemaChange, find_schema_changes

from app.commands.failure import CommandError
from app.commands.finding import Finding
from app.commands.inspect import sdl_of
from app.errors import PorticoError
from app.graphql.schema.api_schema import ApiSchema
from app.pipeline.engine import Engine

_SUFFIX = ".graphql"
_EFFECTS = (BreakingChange, DangerousChange, SafeChange)


@dataclass(frozen=True, slots=True)
class SchemaChanges:
    """The changes by their effect on clients, as graphql-core judges them."""

    breaking: Sequence[SchemaChange]
    dangerous: Sequence[SchemaChange]
    safe: Sequence[SchemaChange]

    def lines(self) -> Iterator[str]:
        """A line for each change, and one with the totals."""
        for effect, changes in self._by_effect().items():
            yield from (f"{effect:<10} {_one_line(each.description)}" for each in changes)
        yield f"{', '.join(f'{len(changes)} {effect}' for effect, changes in self._by_effect().items())}"

    def as_json(self) -> Mapping[str, Any]:
        """The changes as a JSON object; ``type`` is graphql-core's name for the kind of change."""
        return {
            effect: [{"type": each.type.name, "description": each.description} for each in changes]
            for effect, changes in self._by_effect().items()
        }

    def _by_effect(self) -> Mapping[str, Sequence[SchemaChange]]:
        return {"breaking": self.breaking, "dangerous": self.dangerous, "safe": self.safe}


def changes_since(old: str, name: str, api: ApiSchema) -> SchemaChanges:
    """The changes from ``old``, in the schema definition language, to ``api``. ``name``: that of the file for messages.
    Live queries are compared if ``old`` has them. Raises CommandError if ``old`` is not a schema."""
    before = _schema(old, name)
    has_live_queries = before.subscription_type is not None
    # Both are built from text, which is how clients know a schema: without what the service adds to its own types.
    text = "\n".join(sdl_of(api, subscriptions=has_live_queries))
    changes = find_schema_changes(before, build_schema(text) if text else GraphQLSchema())
    return SchemaChanges(*(tuple(each for each in changes if isinstance(each, kind)) for kind in _EFFECTS))


def printed_schemas(folder: Path, engine: Engine) -> Iterator[Finding]:
    """The findings of ``portico doctor`` about the files ``<role>.graphql`` in a folder."""
    paths = sorted(folder.glob(f"*{_SUFFIX}"))
    if not paths:
        yield Finding("WRONG", f"no file in {folder} is the printed schema of a role, <role>{_SUFFIX}")
    for path in paths:
        role = path.name.removesuffix(_SUFFIX)
        try:
            changes = changes_since(read_text(path), str(path), engine.role_schemas.of_role(role))
        except (CommandError, PorticoError) as ex:
            yield Finding("WRONG", f"the schema of {role} cannot be compared with {path}: {ex}")
            continue
        number = len(changes.breaking)
        if number:
            fix = f"portico schema diff {path} --role {role} lists them; if all clients are ready, print it again"
            yield Finding("WRONG", f"breaking changes of the schema of {role} since {path}: {number}", fix)
        else:
            yield Finding("ok", f"the schema of {role} has no breaking change since {path}")


def read_text(file: Path | IO[str]) -> str:
    """The text of a file. Raises CommandError if it cannot be read."""
    try:
        return file.read_text("utf-8-sig") if isinstance(file, Path) else file.read()
    except (OSError, ValueError) as ex:
        name = file if isinstance(file, Path) else file.name
        raise CommandError(f"{name} cannot be read as text in UTF-8: {ex}") from None


def _schema(text: str, name: str) -> GraphQLSchema:
    try:
        schema = build_schema(text)
    except GraphQLError as ex:
        line = f", line {ex.locations[0].line}" if ex.locations else ""
        raise CommandError(f"{name}{line}: {ex.message}") from None
    except (TypeError, RecursionError) as ex:
        raise CommandError(f"{name} is not a schema: {ex}") from None
    if schema.query_type is None:
        raise CommandError(f"{name} is not a schema: it has no type Query")
    return schema


def _one_line(text: str) -> str:
    return " ".join(text.split())
