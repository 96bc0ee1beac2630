"""A client that knows what its reads must contain."""

from __future__ import annotations

import http.client
import itertools
import json
import random
from collections import Counter

from bench.storage_service import KEY

HEADER = "Portico-Read-After"
_WRITE = """mutation ($id: Int!, $n: Int!) {
  updatecounterCollection(set: {n: $n}, filter: {id: {eq: $id}}) { records { n } } }"""
_READ = "query ($id: Int!) { counterCollection(filter: {id: {eq: $id}}) { edges { node { n } } } port }"
_PATIENCE_S = 60


class ReplicaClient:
    """Writes rising numbers to its own row and object, and reads them back.

    ``wrong`` are answers that contradict what it knows, ``outcomes`` counts the others by kind.
    """

    def __init__(self, address: tuple[str, int], number: int) -> None:
        self._address = address
        self._number = number
        self._connection = http.client.HTTPConnection(*address, timeout=_PATIENCE_S)
        self._random = random.Random(number)
        self._values = itertools.count(1)
        self._row = _Known()
        self._object = _Known()
        self.sent = 0
        self.outcomes: Counter[str] = Counter()
        self.wrong: list[str] = []

    def close(self) -> None:
        self._connection.close()

    def look(self, path: str, token: str = "") -> tuple[int, str]:
        """Status and body of a page."""
        status, _, body = self._send("GET", path, _naming(token), b"")
        return status, body.decode()

    def step(self) -> None:
        """One request of the mixture: 15 % writes."""
        kind = self._random.random()
        if kind < 0.12:
            self.writes()
        elif kind < 0.15:
            self._upload()
        elif kind < 0.30 and self._object.least:
            self._download(named=self._random.random() < 0.7)
        else:
            self._read(named=self._random.random() < 0.7)

    def writes(self) -> bool:
        """Write the next number to the row; whether that was acknowledged."""
        value = next(self._values)
        self._row.most = value
        status, headers, body = self._graphql(_WRITE, {"id": self._number, "n": value}, "")
        if status != 200 or b'"errors"' in body:
            self.outcomes[f"mutation: {_reason(status, body)}"] += 1
            return False
        self._row.least, self._row.token = value, headers.get(HEADER, "")
        self.outcomes["mutation" if self._row.token else "mutation without a token"] += 1
        return True

    def _read(self, *, named: bool) -> None:
        token = self._row.token if named else ""
        status, _, body = self._graphql(_READ, {"id": self._number}, token)
        if status != 200 or b'"errors"' in body:
            self.outcomes[f"query: {_reason(status, body)}"] += 1
            return
        data = json.loads(body)["data"]
        self.outcomes[f"query at port {data['port']}"] += 1
        self._judge("row", self._row, data["counterCollection"]["edges"][0]["node"]["n"], token)

    def _upload(self) -> None:
        value = next(self._values)
        self._object.most = value
        headers = {"x-upsert": "true", "content-type": "text/plain"}
        status, answered, body = self._send("POST", f"/object/b/{self._number}", headers, str(value).encode())
        if status != 200:
            self.outcomes[f"upload: {_reason(status, body)}"] += 1
            return
        self._object.least, self._object.token = value, answered.get(HEADER, "")
        self.outcomes["upload" if self._object.token else "upload without a token"] += 1

    def _download(self, *, named: bool) -> None:
        token = self._object.token if named else ""
        status, _, body = self._send("GET", f"/object/authenticated/b/{self._number}", _naming(token), b"")
        if status != 200:
            if token and status == 404:
                self.wrong.append(f"client {self._number}: no object with {token}")
            self.outcomes[f"download: {_reason(status, body)}"] += 1
            return
        self.outcomes["download"] += 1
        self._judge("object", self._object, int(body), token)

    def _judge(self, what: str, known: _Known, value: int, token: str) -> None:
        least = known.least if token else 0
        if not least <= value <= known.most:
            self.wrong.append(f"client {self._number}: {what} is {value}, not {least} to {known.most}, with {token!r}")

    def _graphql(self, query: str, variables: dict[str, int], token: str) -> tuple[int, dict[str, str], bytes]:
        body = json.dumps({"query": query, "variables": variables}).encode()
        return self._send("POST", "/graphql/v1", {"content-type": "application/json", **_naming(token)}, body)

    def _send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        self.sent += 1
        try:
            self._connection.request(method, path, body, {"apikey": KEY, "authorization": f"Bearer {KEY}", **headers})
            answer = self._connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        except (OSError, http.client.HTTPException) as ex:
            self._connection.close()
            self._connection = http.client.HTTPConnection(*self._address, timeout=_PATIENCE_S)
            return 0, {}, str(ex).encode()


class _Known:
    """The state of one value: ``least`` was acknowledged, ``most`` was sent. ``token`` names the acknowledged write."""

    def __init__(self) -> None:
        self.least = 0
        self.most = 0
        self.token = ""


def _naming(token: str) -> dict[str, str]:
    return {HEADER: token} if token else {}


def _reason(status: int, body: bytes) -> str:
    """The code in the body of an error, or what there is of it."""
    try:
        reported = json.loads(body)
        return f"{status} {reported['errors'][0]['extensions']['code'] if 'errors' in reported else reported['code']}"
    except (ValueError, KeyError, TypeError):
        return f"{status} {body[:60]!r}"
