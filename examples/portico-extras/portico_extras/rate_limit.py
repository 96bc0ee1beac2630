"""Allows RATE_LIMIT requests per minute for each API key. Each worker counts separately. Without the setting there is
no limit."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from hashlib import blake2b

import falcon

from portico import Setting, hookimpl, setting_kinds

RATE_LIMIT = Setting("rate_limit", setting_kinds.Number(1), None, "Requests per minute for each API key.")

_WINDOW_S = 60.0
_KEYS = 10_000


@hookimpl
def settings():
    return [RATE_LIMIT]


@hookimpl
def middleware(services):
    limit = services.settings[RATE_LIMIT]
    return [RateLimit(limit)] if limit else []


class RateLimit:
    """Falcon middleware. It stores only a digest of each key, and only the most recent keys."""

    def __init__(self, limit, now=time.monotonic):
        self._limit = limit
        self._now = now
        self._windows = OrderedDict()
        self._lock = threading.Lock()

    def process_request(self, req, resp):
        key = req.get_header("apikey") or req.auth or req.remote_addr
        wait_s = self._count(blake2b(key.encode(errors="replace"), digest_size=16).digest())
        if wait_s is not None:
            raise falcon.HTTPTooManyRequests(
                description=f"At most {self._limit} requests per minute are allowed.", retry_after=math.ceil(wait_s)
            )

    def _count(self, key):
        """The seconds until the key may be used again; None if it may be used now."""
        now = self._now()
        with self._lock:
            began, used = self._windows.pop(key, (now, 0))
            if now - began >= _WINDOW_S:
                began, used = now, 0
            self._windows[key] = began, used + 1
            while len(self._windows) > _KEYS:
                self._windows.popitem(last=False)
        return None if used < self._limit else began + _WINDOW_S - now
