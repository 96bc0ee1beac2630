"""The instructions that a keeper receives, and the state that it reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Instructions:
    """The cluster to run. A ``temporary`` one is removed when its server stops."""

    directory: str
    durable: bool
    temporary: bool


@dataclass(frozen=True, slots=True)
class KeeperState:
    """The state that a keeper reports. ``failure`` is '' unless the server cannot be run. The other values are valid
    once ``ready`` is true."""

    ready: bool = False
    failure: str = ""
    socket_directory: str = ""
    port: int = 0
    server_pid: int = 0
    keeper_pid: int = 0
    data: str = ""
    account: str = ""
