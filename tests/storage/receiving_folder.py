"""A folder that clients can send blobs to: what a cloud does, without one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

from app.hooks import hookimpl
from app.storage.bytes.backend import BlobMissing
from app.storage.bytes.upload_links import Arrived, UploadLink
from plugins.storage.file import FolderBackend
from tests.storage_backends.streams import content, md5


class ReceivingFolder(FolderBackend):
    """``knows_md5``: whether it says what the MD5 of a blob is. ``before_copying`` runs before each copy."""

    def __init__(self, root: Path, url: str) -> None:
        super().__init__(root)
        self.root = root
        self._url = url
        self.links: dict[str, str] = {}
        self.knows_md5 = True
        self.before_copying: Callable[[], object] = lambda: None

    def copy(self, source: str, target: str) -> None:
        self.before_copying()
        super().copy(source, target)

    def upload_link(self, key: str, size: int, content_type: str, seconds: int) -> UploadLink | None:
        path = f"/{uuid4()}"
        self.links[path] = key
        return UploadLink(self._url + path, {"content-type": content_type})

    def arrived(self, key: str) -> Arrived | None:
        try:
            data = content(self, key)
        except BlobMissing:
            return None
        return Arrived(len(data), md5(data) if self.knows_md5 else None)


@contextmanager
def receiving(root: Path) -> Iterator[tuple[ReceivingFolder, Any]]:
    """The folder, and the plugin that opens it for every storage URL; its server takes any size and type."""

    class Receiver(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            folder.put(folder.links[self.path], BytesIO(body))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    class Plugin:
        @hookimpl(tryfirst=True)
        def storage_backend(self, url: str) -> ReceivingFolder:
            return folder

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        folder = ReceivingFolder(root, f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield folder, Plugin
        finally:
            server.shutdown()
            thread.join()
