"""A decoder process: it draws one image after the other, and can be killed at any time.

``Decoders`` starts it as ``python -m app.faces.images.decoder '<limits as JSON>'`` with a socket as its standard input.
A job is a line of JSON, with the transform and the length of the image, followed by the image. The reply is a line of
JSON, followed by the drawn image; an empty reply, before any job, means that the process is ready. The process exits at
the end of the stream, when the service has stopped or died.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import signal
import socket
import sys
from typing import IO, cast

from app.faces.images.jobs import DecoderLimits, Wanted

_LIKE_OTHERS = 5


def main(argument: str) -> int:
    limits = DecoderLimits(**json.loads(argument))
    # Ctrl-C reaches every process of the terminal, but this one must run until the service ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _use_any_cpu()
    _draw_all(cast("IO[bytes]", socket.socket(fileno=0).makefile("rwb")), limits)
    return 0


def _draw_all(channel: IO[bytes], limits: DecoderLimits) -> None:
    from app.faces.images.drawing import NotDrawn, draw, limit_pixels

    limit_pixels(limits.pixels)
    _confine(limits)
    _reply(channel, b"")
    while line := channel.readline():
        wanted, length = Wanted.decode(line)
        content = channel.read(length)
        if len(content) < length:
            return
        _limit_time(limits)
        try:
            drawn = draw(content, wanted, limits)
        except NotDrawn as ex:
            _reply(channel, b"", refused=ex.reason)
        else:
            _reply(channel, drawn.content, type=drawn.media_type)


def _reply(channel: IO[bytes], content: bytes, **members: str) -> None:
    channel.write(json.dumps({**members, "length": len(content)}).encode() + b"\n" + content)
    channel.flush()


def _use_any_cpu() -> None:
    """Undo the worker's pinning to one CPU, and lower the priority, so that requests run before images."""
    if hasattr(os, "sched_setaffinity"):
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, range(os.cpu_count() or 1))
    os.nice(_LIKE_OTHERS)


def _confine(limits: DecoderLimits) -> None:
    """Allow no more memory than the limits, no files and no core dumps."""
    for limit, value in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(limit, (value, value))


def _limit_time(limits: DecoderLimits) -> None:
    """Let the system end the process (SIGXCPU) if the next image takes longer, even if the service has died."""
    used = sum(os.times()[:2])
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used + limits.seconds) + 1, hard))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
