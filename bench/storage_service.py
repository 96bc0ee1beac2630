"""The service that benchmarks of the storage load: its environment, and requests to it with its key."""

from __future__ import annotations

from pathlib import Path

import jwt

from app.embedded.cluster import EmbeddedPostgres

SECRET = "a secret that only this benchmark uses"
KEY = jwt.encode({"role": "service_role"}, SECRET, algorithm="HS256")


def variables(database_url: str, place: str) -> dict[str, str]:
    """The environment of a service that keeps its bytes in ``place``."""
    return {
        "DATABASE_URL": database_url, "JWT_SECRET": SECRET, "SERVICE_ROLE_KEY": KEY, "ANON_KEY": "anon",
        "STORAGE_URL": f"file://{place}/objects", "UPLOAD_SIZE_LIMIT": "1G", "TMPDIR": place,
        # More connections than threads are measured, not refused.
        "WAITING_S": "60",
    }  # fmt: skip


def server_of(cluster: EmbeddedPostgres) -> int:
    """The process id of PostgreSQL's first process."""
    return int((Path(cluster.data_directory) / "postmaster.pid").read_text().split()[0])


def request(method: str, path: str, body: bytes = b"", content_type: str = "application/octet-stream") -> bytes:
    head = (
        f"{method} {path.replace(' ', '%20')} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {KEY}\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
