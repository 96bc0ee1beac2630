"""Credentials become a Caller: the role and claims with which the database is asked."""

from app.identity.caller import Caller

__all__ = ["Caller"]
