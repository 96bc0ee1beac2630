"""Passwords, hashed with Argon2id in the parameters that argon2-cffi recommends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from portico_sign_in.errors import Refusal, invalid, too_many

_SHORTEST, _LONGEST_BYTES = 6, 72
"""As in Supabase Auth, so that a password that is accepted here is accepted there."""
_AT_A_TIME, _LONGEST_WAIT_S = 2, 2.0
"""Each hash takes 64 MiB of memory, so a worker computes few at a time, and refuses those that would wait long."""


class Passwords:
    """Hashes passwords and compares them with hashes, a few at a time."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher()
        self._turns = threading.BoundedSemaphore(_AT_A_TIME)
        # Compared for unknown users, so that the duration of a refusal does not reveal whether a user exists.
        self._of_no_user = self._hasher.hash("the password of no user")

    def hash(self, password: object) -> str:
        """The hash of a new password. Raises Refusal for an unsuitable one."""
        if not isinstance(password, str) or not password:
            raise invalid("Signup requires a valid password")
        if len(password) < _SHORTEST:
            message = f"Password should be at least {_SHORTEST} characters."
            raise Refusal(422, "weak_password", message, weak_password={"reasons": ["length"]})
        if len(_bytes(password)) > _LONGEST_BYTES:
            raise invalid(f"Password cannot be longer than {_LONGEST_BYTES} bytes")
        with self._turn():
            return self._hasher.hash(_bytes(password))

    def fits(self, hashed: str | None, password: str) -> bool:
        """Whether the password belongs to the hash; False for None, after the same time, and for a hash of another
        scheme."""
        given = _bytes(password)[: _LONGEST_BYTES + 1]
        with self._turn():
            try:
                return self._hasher.verify(hashed or self._of_no_user, given) and bool(hashed)
            except Argon2Error:
                return False
            except InvalidHashError:
                with suppress(Argon2Error):
                    self._hasher.verify(self._of_no_user, given)
                return False

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._turns.acquire(timeout=_LONGEST_WAIT_S):
            raise too_many("Request rate limit reached: too many passwords at once. Try again.")
        try:
            yield
        finally:
            self._turns.release()


def _bytes(password: str) -> bytes:
    # JSON may contain surrogates, which are no characters.
    return password.encode("utf-8", "surrogatepass")
