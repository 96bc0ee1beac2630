"""The admission rules of Portico, for tests that run the server with a stub application."""

from __future__ import annotations

from app.faces.graphql.admission import GraphQLAdmission
from app.faces.rest.admission import FORM_ENVELOPE, RestAdmission
from app.faces.rest.router import Router
from app.faces.rest.routes import ROUTES
from app.faces.shared.signing import Signer
from app.http.admission import Admission
from app.identity import Identity
from app.settings import Settings


def admission_of(settings: Settings) -> Admission:
    """The rules of the GraphQL and the REST API. No signing secret is set, so signed URLs are refused."""
    rest = RestAdmission(
        Router(ROUTES),
        Identity(settings),
        Signer(b""),
        lambda *_: False,
        largest_upload=settings.upload_size_limit,
        largest_other=settings.body_limit,
        fetches_keys=settings.jwt_jwks is not None,
    )
    rules = (GraphQLAdmission(settings.body_limit), rest)
    return Admission(rules, max(settings.body_limit, settings.upload_size_limit) + FORM_ENVELOPE)
