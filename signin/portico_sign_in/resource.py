"""``/auth/v1``: the routes, who may use them, and the refusal of everything else of the protocol."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

import falcon

from portico import PorticoError, is_from_this_machine
from portico_sign_in import account, administration
from portico_sign_in.errors import Refusal
from portico_sign_in.request import Request, Response, Service

log = logging.getLogger("portico.sign_in")

PATH = "/auth/v1"
NOTICE = "development only"


def _health(request: Request) -> Response:
    return Response(200, {"name": "Portico sign-in for development", "version": _version(), "description": NOTICE})


def _settings(request: Request) -> Response:
    request.caller()
    return Response(200, {
        "external": {"email": True, "phone": False, "anonymous_users": False}, "disable_signup": False,
        "mailer_autoconfirm": True, "phone_autoconfirm": False, "sms_provider": "", "saml_enabled": False,
        "mfa_enabled": False, "development_only": True,
    })  # fmt: skip


def _keys(request: Request) -> Response:
    # Tokens are signed with JWT_SECRET, which is no public key.
    return Response(200, {"keys": []})


def _with_key(operation: Callable[[Request], Response]) -> Callable[[Request], Response]:
    """Requires an API key."""

    def checked(request: Request) -> Response:
        request.caller()
        return operation(request)

    return checked


_ROUTES: dict[tuple[str, str], Callable[[Request], Response]] = {
    ("GET", "health"): _health,
    ("GET", "settings"): _settings,
    ("GET", ".well-known/jwks.json"): _keys,
    ("POST", "signup"): _with_key(account.sign_up),
    ("POST", "token"): _with_key(account.token),
    ("GET", "user"): account.read,
    ("PUT", "user"): account.change,
    ("POST", "logout"): account.sign_out,
    ("GET", "admin/users"): administration.list_users,
    ("POST", "admin/users"): administration.create,
}
_OF_ONE_USER: dict[str, Callable[[Request, str], Response]] = {
    "GET": administration.read,
    "PUT": administration.change,
    "DELETE": administration.delete,
}
_ONE_USER = re.compile(r"admin/users/([^/]+)")
_ABSENT = (
    (r"otp|magiclink|resend|verify", "otp_disabled", "one-time passwords and magic links"),
    (r"recover|reauthenticate", "email_provider_disabled", "e-mails; set a password with auth.admin.updateUserById"),
    (r"invite|admin/generate_link", "email_provider_disabled", "e-mails; create users with auth.admin.createUser"),
    (r"authorize|callback|user/identities.*", "oauth_provider_not_supported", "OAuth providers"),
    (r"sso.*|saml.*|admin/sso.*", "saml_provider_disabled", "single sign-on"),
    (r"factors.*|admin/users/[^/]+/factors.*", "mfa_totp_enroll_not_enabled", "multi-factor authentication"),
)


class AuthResource:
    """``is_open``: whether other machines and proxies may send requests."""

    def __init__(self, service: Service, *, is_open: bool) -> None:
        self._service, self._is_open = service, is_open

    def on_request(self, req: falcon.Request, resp: falcon.Response, place: str) -> None:
        resp.set_header("X-Portico-Sign-In", NOTICE)
        resp.set_header("Cache-Control", "no-store")
        try:
            response = self._answer(Request(req, self._service), place)
        except Refusal as ex:
            response = _refused(resp, ex)
        except PorticoError as ex:
            response = _refused(resp, Refusal(ex.status, "unexpected_failure", ex.message))
        resp.status = falcon.code_to_http_status(response.status)
        resp.set_headers(response.headers)
        if response.body is not None:
            resp.content_type = "application/json; charset=utf-8"
            resp.data = json.dumps(response.body).encode()

    on_get = on_post = on_put = on_patch = on_delete = on_request

    def _answer(self, request: Request, place: str) -> Response:
        req = request.falcon
        if not self._is_open and not is_from_this_machine(req.env, self._service.portico.settings.trusted_proxy):
            raise Refusal(
                403, "development_only",
                "Development sign-in answers this machine only, without a proxy; SIGN_IN=everywhere opens it to others",
            )  # fmt: skip
        operation = _ROUTES.get((req.method, place))
        if operation is not None:
            return operation(request)
        one, of_one = _ONE_USER.fullmatch(place), _OF_ONE_USER.get(req.method)
        if one and of_one:
            return of_one(request, one[1])
        for pattern, code, name in _ABSENT:
            if re.fullmatch(pattern, place):
                raise Refusal(422, code, f"Development sign-in has no {name}")
        raise Refusal(
            404, "not_found", "Development sign-in has no such endpoint; it signs in with e-mail and password"
        )


def _refused(resp: falcon.Response, refusal: Refusal) -> Response:
    # For the access log and the metrics.
    resp.context.codes = (refusal.code,)
    return Response(refusal.status, refusal.body())


def _version() -> str:
    try:
        return version("portico-sign-in")
    except PackageNotFoundError:
        return "unknown"
