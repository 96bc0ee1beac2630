"""Compares registered documents with the schemas of roles, for ``portico documents check`` and ``portico doctor``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.commands.finding import Finding, listed
from app.documents.registry import HASH
from app.documents.source import DocumentsUnusable
from app.errors import AccessError, PorticoError
from app.graphql.documents.errors import DocumentError
from app.graphql.documents.limits import check_depth
from app.graphql.documents.syntax import read_syntax
from app.graphql.schema.api_schema import ApiSchema
from app.pipeline.authorize import check_valid
from app.pipeline.engine import Engine
from app.pipeline.parse import parse_whole
from app.pipeline.records import GraphQLRequest
from schema_cache.privileges import api_roles


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """A registered document. ``valid_for``: the roles in whose schemas it is valid. ``errors``: for each of the other
    roles, the messages of its errors."""

    id: str
    valid_for: Sequence[str]
    errors: Mapping[str, Sequence[str]]

    def is_wrong(self, *, every: bool = False) -> bool:
        """Whether it is valid for no role, or with ``every`` not for each role."""
        return not self.valid_for or (every and bool(self.errors))

    def lines(self, *, every: bool = False) -> Iterator[str]:
        """The line of the document, and one for each of its errors."""
        valid = f"is valid for {', '.join(self.valid_for)}" if self.valid_for else "is valid for no role"
        yield f"{'WRONG' if self.is_wrong(every=every) else 'ok   '} {self.id} {valid}"
        yield from (f"      {role}: {each}" for role, errors in self.errors.items() for each in errors)

    def as_json(self) -> Mapping[str, Any]:
        return {
            "id": self.id,
            "valid_for": list(self.valid_for),
            "errors": {k: list(v) for k, v in self.errors.items()},
        }


def roles_of_the_api(engine: Engine) -> Sequence[str]:
    """The roles that tokens may name, as far as they exist and the service may act as them."""
    known = api_roles(engine.schema_cache.current(), engine.settings.api_roles)
    return [each for each in sorted(known) if _is_usable(each, engine)]


def checked_documents(engine: Engine, roles: Sequence[str]) -> Sequence[CheckedDocument]:
    """Each registered document, in the order of their ids, compared with the schemas of ``roles``.

    Raises DocumentsUnusable, AccessError for a role that does not exist or that the service may not assume, and
    Unavailable.
    """
    engine.named_documents.registry.refresh()
    registered = engine.named_documents.registry.current().by_id
    named = {text for name, text in registered.items() if not name.startswith(HASH)}
    ids = [name for name, text in registered.items() if not (name.startswith(HASH) and text in named)]
    schemas = {role: engine.role_schemas.of_role(role) for role in dict.fromkeys(roles)}
    # Only live queries run subscriptions; a registered one is a document as any other.
    reading = replace(engine, answers_subscriptions=True)
    return [_checked(each, registered[each], schemas, reading) for each in sorted(ids)]


def registered_documents(engine: Engine) -> Iterator[Finding]:
    """The finding of ``portico doctor``; none if no document is registered or the database is not available."""
    try:
        checked = checked_documents(engine, roles_of_the_api(engine))
    except DocumentsUnusable as ex:
        yield Finding("WRONG", f"the registered documents cannot be used: {ex}")
        return
    except PorticoError:
        return
    wrong = [each.id for each in checked if each.is_wrong()]
    if wrong:
        yield Finding(
            "WRONG",
            f"registered documents are valid for no role of the API: {listed(wrong)}",
            "portico documents check lists their errors",
        )
    elif checked:
        yield Finding("ok", f"registered documents are valid for a role of the API: {len(checked)}")


def _is_usable(role: str, engine: Engine) -> bool:
    try:
        engine.role_schemas.of_role(role)
    except AccessError:
        return False
    return True


def _checked(name: str, text: str, schemas: Mapping[str, ApiSchema], engine: Engine) -> CheckedDocument:
    errors = {role: _errors(text, role, api, engine) for role, api in schemas.items()}
    return CheckedDocument(
        name,
        [role for role, found in errors.items() if not found],
        {role: each for role, each in errors.items() if each},
    )


def _errors(text: str, role: str, api: ApiSchema, engine: Engine) -> Sequence[str]:
    first = read_syntax(text, engine.limits).operations[0]
    request = GraphQLRequest(text, operation_name=first.name.value if first.name else None)
    document = parse_whole(request, engine).document
    try:
        check_depth(document.depth, api.rules.depth)
        check_valid(document, api, engine, role=role, explain=True)
    except DocumentError as ex:
        return [_with_line(each) for each in ex.errors] or [ex.message]
    except PorticoError as ex:
        return [ex.message]
    return []


def _with_line(error: Any) -> str:
    return f"line {error.locations[0].line}: {error.message}" if error.locations else str(error.message)
