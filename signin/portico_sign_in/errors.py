"""Refusals, in the format that the clients of Supabase Auth show: ``code``, ``error_code`` and ``msg``."""

from __future__ import annotations

from typing import Any


class Refusal(Exception):
    """``status`` of HTTP; ``code``: an error code of Supabase Auth's documentation, if one fits. ``more``: further
    members of the response. Raised in a transaction, it rolls the transaction back."""

    def __init__(self, status: int, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.more = status, code, message, more

    def body(self) -> dict[str, Any]:
        return {"code": self.status, "error_code": self.code, "msg": self.message, **self.more}


def invalid(message: str) -> Refusal:
    """A request with a wrong or missing value."""
    return Refusal(400, "validation_failed", message)


def wrong_password() -> Refusal:
    """The same for an unknown user, so that no client learns who has an account."""
    return Refusal(400, "invalid_credentials", "Invalid login credentials")


def unknown_user() -> Refusal:
    return Refusal(404, "user_not_found", "User not found")


def email_taken() -> Refusal:
    return Refusal(422, "email_exists", "A user with this email address has already been registered")


def too_many(message: str) -> Refusal:
    """A rate limit is reached."""
    return Refusal(429, "over_request_rate_limit", message)
