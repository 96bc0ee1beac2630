"""The distribution that this software is installed as. The name ``portico`` belongs to another project on PyPI."""

from __future__ import annotations

from importlib.metadata import version

NAME = "portico-api"


def software_version() -> str:
    """The version of this software. Raises PackageNotFoundError if it is not installed."""
    return version(NAME)


def how_to_install(extra: str) -> str:
    """The command that installs an extra."""
    return f"pip install '{NAME}[{extra}]'"
