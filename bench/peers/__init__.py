"""Peers of the service. Those that package registries bring are installed in their own directories, the first time."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.database.wire.target import Target
from bench.contestants import Contestant, free_port, started
from bench.library import POSTGRAPHILE, STRAWBERRY

_HERE = Path(__file__).parent
# PostGraphile needs a newer Node.js than many systems have.
_FROM_NPM = ("postgraphile@5", "node@24")
_FROM_PYPI = ("strawberry-graphql[asgi]", "sqlalchemy[asyncio]", "asyncpg", "uvicorn", "uvloop", "httptools")


class PeerMissing(Exception):
    """A peer is not installed here; the message says why."""


@contextmanager
def postgraphile(target: Target, place: Path, role: str) -> Iterator[Contestant]:
    """PostGraphile, which sets ``role`` for each request, or none if it is empty."""
    place = place / "postgraphile"
    node = place / "node_modules" / ".bin" / "node"
    if not node.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise PeerMissing("npm is not installed")
        place.mkdir(parents=True, exist_ok=True)
        _install([npm, "install", "--no-audit", "--no-fund", "--prefix", str(place), *_FROM_NPM])
    shutil.copy(_HERE / "postgraphile.mjs", place / "graphile.config.mjs")
    port = free_port()
    variables = {"DATABASE_URL": _url(target), "PORT": str(port), "ROLE": role, "NODE_ENV": "production"}
    command = [str(node), "node_modules/.bin/postgraphile"]
    name = f"PostGraphile 5, {'with role' if role else 'no role'}"
    with started(name, command, variables, place, port, POSTGRAPHILE) as contestant:
        yield contestant


@contextmanager
def strawberry(target: Target, place: Path, workers: int) -> Iterator[Contestant]:
    """strawberry with SQLAlchemy and dataloaders, on uvicorn."""
    place = place / "strawberry"
    python = place / "bin" / "python"
    if not python.exists():
        _install([sys.executable, "-m", "venv", str(place)])
        _install([str(python), "-m", "pip", "install", "--quiet", *_FROM_PYPI])
    port = free_port()
    command = [str(python), "-m", "uvicorn", "strawberry_app:application", "--app-dir", str(_HERE)]
    command += ["--port", str(port), "--workers", str(workers), "--no-access-log", "--log-level", "warning"]
    variables = {"SQLALCHEMY_URL": _url(target).replace("postgresql:", "postgresql+asyncpg:")}
    with started("strawberry + SQLAlchemy", command, variables, place, port, STRAWBERRY) as contestant:
        yield contestant


def _url(target: Target) -> str:
    return f"postgresql://{target.user}@/{target.database}?host={target.host}&port={target.port}"


def _install(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as ex:
        raise PeerMissing(f"{' '.join(command[:4])} ... failed") from ex
