"""A world that can be altered while a service runs in it: its clock, and what its disk refuses.

The state is in a file that the processes have in their memory. Nothing of the machine is changed.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

VARIABLE = "SIEGE_WORLD"
"""The environment variable that names the file."""

_STATE = struct.Struct("dq")


class World:
    """``path``: a file that ``make`` made."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), _STATE.size)

    @classmethod
    def make(cls, path: Path) -> World:
        """An ordinary one."""
        path.write_bytes(bytes(_STATE.size))
        return cls(path)

    def alter(self, *, ahead_s: float = 0.0, refusal: int = 0) -> None:
        """The clock is ahead by ``ahead_s``, and the folder of objects refuses changes with the error ``refusal``:
        ENOSPC, EROFS, or 0 for none."""
        _STATE.pack_into(self._memory, 0, ahead_s, refusal)

    @property
    def ahead_s(self) -> float:
        ahead: float = _STATE.unpack_from(self._memory)[0]
        return ahead

    @property
    def refusal(self) -> int:
        number: int = _STATE.unpack_from(self._memory)[1]
        return number
