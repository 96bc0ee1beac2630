from __future__ import annotations


class TestingError(RuntimeError):
    """A test database cannot be prepared or reset; the message gives a developer the reason and a remedy."""

    __test__ = False
