"""One client of ``portico live`` wants everything: others still get streams, and soon."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from bench.siege.client import ANON, token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import SETTINGS, Grounds

_QUESTION = "subscription { itemCollection(first: 1) { edges { node { id } } } }"
_SOON_S = 2.0
_STREAMS, _MESSAGES, _CONNECTIONS = 1100, 20_000, 30


@contextmanager
def _serving_live(grounds: Grounds) -> Iterator[str]:
    located = {"DATABASE_URL": grounds.login_url(grounds.service.database_url), "LIVE_PORT": "0"}
    with subprocess.Popen(
        [sys.executable, "-m", "app", "live"],
        env=os.environ | SETTINGS | located,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield next(f"ws://{match[1]}" for line in process.stdout if (match := re.search(r"http://(\S+)", line)))
        finally:
            process.terminate()


@contextmanager
def _connected(url: str, credential: str) -> Iterator[ClientConnection]:
    with connect(url, subprotocols=[Subprotocol("graphql-transport-ws")], close_timeout=1) as connection:
        payload = {"apiKey": ANON, "authorization": f"Bearer {credential}"}
        connection.send(json.dumps({"type": "connection_init", "payload": payload}))
        connection.recv(_SOON_S)
        yield connection


def _subscribe(connection: ClientConnection, id_: str) -> None:
    # A different text each time is a different query.
    query = f"{_QUESTION} # {id_}"
    connection.send(json.dumps({"type": "subscribe", "id": id_, "payload": {"query": query}}))


def _victim(url: str, tally: Tally, during: str) -> float:
    """Send a query as another caller; returns the seconds that it took."""
    began, said = time.monotonic(), ""
    with (
        suppress(WebSocketException, OSError, TimeoutError),
        _connected(url, token("authenticated", sub="victim")) as one,
    ):
        _subscribe(one, "v")
        said = str(one.recv(_SOON_S))
    took = time.monotonic() - began
    tally.add('"next"' in said and took < _SOON_S, (during, f"{took:.1f} s", said[:200]))
    return took


def _greedy(grounds: Grounds, _: float) -> Finding:
    tally, longest = Tally(), 0.0
    with _serving_live(grounds) as url, ExitStack() as open_:
        attacker = token("authenticated", sub="attacker")
        for number in range(_CONNECTIONS):
            with suppress(WebSocketException, OSError, TimeoutError):
                connection = open_.enter_context(_connected(url, attacker))
                for stream in range(_STREAMS // _CONNECTIONS + 80):
                    _subscribe(connection, f"{number}-{stream}")
        longest = _victim(url, tally, "many streams")
        with suppress(WebSocketException, OSError, TimeoutError), _connected(url, attacker) as flood:
            for number in range(_MESSAGES):
                _subscribe(flood, "f")
                flood.send(json.dumps({"type": "complete", "id": "f"}))
                if number % 1000 == 0:
                    longest = max(longest, _victim(url, tally, "a flood"))
        longest = max(longest, _victim(url, tally, "after a flood"))
    return tally.finding(f"somebody else waited {longest:.1f} s at most")


ATTACKS = (
    Attack(
        "a greedy viewer",
        f"while one has all live streams it can get, and sends all it can, another is answered within {_SOON_S:.0f} s",
        _greedy,
    ),
)
