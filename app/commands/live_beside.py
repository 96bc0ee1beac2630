"""The process of live queries: alone for ``portico live``, beside the workers for ``portico serve --live``."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec

from app.commands.failure import CommandError
from app.distribution import how_to_install
from app.faces.live import PATH
from app.plugin_guard import Plugins
from app.server.handing_over import HandingOver, can_hand_over
from app.server.processes.companion import Companion
from app.settings import Settings


def has_extra() -> bool:
    """Whether the packages of the extra ``live`` are installed."""
    return all(find_spec(name) is not None for name in ("h11", "uvicorn", "websockets"))


def can_serve_live() -> bool:
    """Whether ``portico serve --live`` works here."""
    return has_extra() and can_hand_over()


def check_extra() -> None:
    """Raise CommandError if live queries cannot be served."""
    if not has_extra():
        raise CommandError(f"live queries need another package: {how_to_install('live')}")


def make_companion(settings: Settings, plugins: Plugins) -> Companion | None:
    """The process beside the workers, or None if LIVE is off. Raises CommandError if it cannot run here. Call this
    after ``before_fork``, as the modules that it imports read the folder of metrics from the environment."""
    if not settings.live:
        return None
    check_extra()
    if not can_hand_over():
        raise CommandError("this system cannot pass connections to another process: run `portico live` beside it")
    from app.faces.live.process import serve_live
    from app.faces.s3.host_names import bucket_of_host

    def serves_host(host: str) -> bool:
        return not settings.s3_protocol or bucket_of_host(host, settings.s3_protocol_host) is None

    handing_over = HandingOver("live queries", PATH, serves_host)
    return Companion(handing_over, partial(serve_live, settings, plugins, handing_over))
