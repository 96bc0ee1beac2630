"""The order that a keeper receives, and the state that it reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Instructions:
    """Which cluster to keep. A ``temporary`` one is removed when its server stops."""

    directory: str
    durable: bool
    temporary: bool


@dataclass(frozen=True, slots=True)
class KeeperState:
    """The report of a keeper. ``failure`` is '' unless the server cannot be run. The rest is known once it is
    ``ready``."""

    ready: bool = False
    failure: str = ""
    socket_directory: str = ""
    port: int = 0
    server_pid: int = 0
    keeper_pid: int = 0
    data: str = ""
    account: str = ""
