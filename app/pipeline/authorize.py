"""Authorize: identifies the caller, and validates the document against the schema of the caller's role."""

from __future__ import annotations

from graphql import FieldNode, GraphQLError
from graphql.validation.validate import ValidationAbortedError

from app.errors import PorticoError
from app.graphql.documents.errors import DocumentError
from app.graphql.documents.limits import check_depth
from app.graphql.documents.quick_validation import is_certainly_valid
from app.graphql.documents.validation import validate
from app.graphql.schema.api_schema import ApiSchema
from app.identity import SERVICE_ROLE, Caller
from app.pipeline.caller import caller_of
from app.pipeline.document_text import is_taught
from app.pipeline.engine import Engine
from app.pipeline.records import AuthorizedOperation, ParsedDocument, ParsedOperation, TextNeeded

MAX_ERRORS = 50
"""How many errors of one document are reported; finding more would only cost time."""


def authorize(parsed: ParsedOperation, engine: Engine) -> AuthorizedOperation:
    """The operation with its caller and the schema of the caller's role.

    Raises AccessError for missing or wrong credentials and for a role that the service may not assume, DocumentError if
    the role may not run the document or the document is not valid against the role's schema, and TextNeeded.
    """
    return _authorized(parsed, engine, may_be_before_change=True)


def authorize_now(parsed: ParsedOperation, engine: Engine) -> AuthorizedOperation:
    """As ``authorize``, with the current schema of the role, even if it must be made first."""
    return _authorized(parsed, engine, may_be_before_change=False)


def _authorized(parsed: ParsedOperation, engine: Engine, *, may_be_before_change: bool) -> AuthorizedOperation:
    caller = caller_of(parsed.request, engine)
    try:
        at_hand = engine.role_schemas.at_hand(caller.role) if may_be_before_change else None
        if at_hand is not None and _is_known_valid(parsed.document, at_hand[0], engine):
            _check_named(caller, parsed, engine)
            _remember(caller, parsed, engine)
            return AuthorizedOperation(parsed, caller, *at_hand)
        api = _schema_of(caller, parsed, engine)
        return AuthorizedOperation(parsed, caller, api, api.catalog)
    except PorticoError as ex:
        ex.role = caller.role
        raise


def _schema_of(caller: Caller, parsed: ParsedOperation, engine: Engine) -> ApiSchema:
    """The schema of the caller's role, after checking that the role may run the document and that it is valid there."""
    _check_named(caller, parsed, engine)
    api = engine.role_schemas.lend(caller.role)
    check_depth(parsed.document.depth, api.rules.depth)
    if api.dialect.validates:
        # Only a caller that may see the whole database learns which parts of it are not in the API, and why.
        explain = caller.role == SERVICE_ROLE or engine.settings.show_sql
        check_valid(parsed.document, api, engine, role=caller.role, explain=explain)
    _remember(caller, parsed, engine)
    return api


def _is_known_valid(document: ParsedDocument, api: ApiSchema, engine: Engine) -> bool:
    """Whether a document is certainly valid on a schema that may be outdated. If not, the current schema decides.
    Raises TextNeeded."""
    key = api.serial, document.shape
    if engine.valid_documents.get(key):
        return True
    if document.is_mutation or document.depth > api.rules.depth or not api.dialect.validates:
        return False
    if document.syntax is None:
        raise TextNeeded
    if not api.knows(document.type_names):
        return False
    with api.making():
        is_valid = is_certainly_valid(api.unchecked, document.syntax)
    if is_valid:
        engine.valid_documents.put(key, True, len(document.text))
    return is_valid


def _remember(caller: Caller, parsed: ParsedOperation, engine: Engine) -> None:
    """Remember the document if the request names it and has its text."""
    documents = engine.named_documents
    if documents.is_automatic and is_taught(parsed.request):
        documents.remember(caller.role, parsed.document.text)


def _check_named(caller: Caller, parsed: ParsedOperation, engine: Engine) -> None:
    if engine.named_documents.is_restricted:
        engine.named_documents.check(caller.role, parsed.document.text)


def check_valid(document: ParsedDocument, api: ApiSchema, engine: Engine, *, role: str, explain: bool) -> None:
    """Raise DocumentError if a document is not valid against the schema of a role, and TextNeeded. With ``explain`` the
    messages say why an object of the database is not in the schema."""
    key = api.serial, document.shape
    if engine.valid_documents.get(key):
        return
    if document.syntax is None:
        raise TextNeeded
    api.learn_names(document.type_names)
    with api.making():
        errors = validate(api.unchecked, document.syntax, max_errors=MAX_ERRORS, hide_suggestions=not api.suggests)
    if len(errors) == 1 and isinstance(errors[0], ValidationAbortedError):
        # graphql-core compares fields of the same name in pairs, and stops at a limit.
        raise DocumentError("The document has too many fields of the same name in one place", "LIMIT_EXCEEDED")
    if errors:
        reported = [_explained(each, api) for each in errors] if explain else list(errors)
        # A missing field often exists for another role: the user's token was not sent, or a grant is missing.
        role_hint = f"The schema is that of the role {role}."
        reason = (reported[0].extensions or {}).get("hint")
        hint = role_hint if reason is None else f"{reason}. {role_hint}"
        reported[0] = GraphQLError(reported[0].message, reported[0].nodes, extensions={"hint": hint})
        raise DocumentError(reported[0].message, "GRAPHQL_VALIDATION_FAILED", reported)
    engine.valid_documents.put(key, True, len(document.text))


def _explained(error: GraphQLError, api: ApiSchema) -> GraphQLError:
    """The error, with the reason why a field is missing if the database has the object in question."""
    node = error.nodes[0] if error.nodes else None
    notice = api.notices.about(node.name.value) if isinstance(node, FieldNode) else None
    if notice is None:
        return error
    why = f"{error.message} The {notice.subject} is not in the API: {notice.reason}" + (
        f"; {notice.fix}." if notice.fix else "."
    )
    return GraphQLError(why, error.nodes, extensions=error.extensions)
