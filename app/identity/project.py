"""PROJECT_REF: the first label of the request's host name must be the project's reference."""

from __future__ import annotations

import ipaddress

from app.errors import AccessError


def check_project(host: str | None, project_ref: str | None) -> None:
    """Raise AccessError (404) unless ``host``, a Host header, belongs to the project, if there is one.

    An IP address, ``localhost`` and names under ``.localhost`` do not name a project and are accepted.
    """
    name = _without_port(host or "").lower()
    if project_ref and name.partition(".")[0] != project_ref.lower() and not _names_no_project(name):
        raise AccessError("No project answers at this host name.", code="PROJECT_NOT_FOUND", status=404)


def _without_port(host: str) -> str:
    host = host.strip()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].rstrip(".")


def _names_no_project(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True
