"""What a keeper is told, and the state it reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Order:
    """What a keeper is told. A ``temporary`` cluster is removed when its server stops."""

    directory: str
    durable: bool
    temporary: bool


@dataclass(frozen=True, slots=True)
class State:
    """What a keeper tells: ``failure`` is empty unless the server cannot be run."""

    ready: bool
    failure: str
    socket_directory: str
    port: int
    server_pid: int
    keeper_pid: int
    data: str
    account: str
