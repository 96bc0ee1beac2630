"""Posts events of stored objects to a URL: each at least once, not necessarily in the order of the changes.

The setting WEBHOOK_URL enables it; WEBHOOK_KEY is sent as the bearer token. After a response other than 2xx (redirects
included), or without a response within four seconds, the event is sent again, after pauses that grow to an hour.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from app.hooks import hookimpl
from app.http.client import opened
from app.settings import Setting, Settings
from app.settings.kinds import RECEIVER_URL, SECRET
from app.storage.upkeep.events import EventReceiver, ObjectEvent
from app.times import now_as_json

WEBHOOK_URL: Setting[str | None] = Setting(
    "webhook_url", RECEIVER_URL, None, "The URL to which events of stored objects are posted.", section="Object storage"
)
WEBHOOK_KEY: Setting[str | None] = Setting(
    "webhook_key", SECRET, None, "The bearer token with which events are posted.", section="Object storage"
)

_TIMEOUT_S = 4.0


@hookimpl
def settings() -> Sequence[Setting[Any]]:
    return WEBHOOK_URL, WEBHOOK_KEY


@hookimpl
def object_event_receivers(settings: Settings) -> Sequence[EventReceiver]:
    url = settings[WEBHOOK_URL]
    if not url:
        return ()
    return (EventReceiver("webhook", Webhook(url, settings[WEBHOOK_KEY], settings.project_ref or "").post),)


class WebhookRefused(RuntimeError):
    """The receiver did not accept the event."""


@dataclass(frozen=True, slots=True)
class Webhook:
    url: str = field(repr=False)
    key: str | None = field(repr=False)
    project: str

    def post(self, event: ObjectEvent) -> None:
        """Send the event. Raises WebhookRefused for a response other than 2xx, and OSError without a response."""
        headers = {"Content-Type": "application/json", "User-Agent": "portico"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        # The URL comes from the operator, and its scheme was checked.
        request = urllib.request.Request(self.url, self._body(event), headers, method="POST")  # noqa: S310
        try:
            # A redirected POST would become a GET without the event, and the key would reach another server.
            with opened(request, _TIMEOUT_S, redirected=False):
                pass
        except urllib.error.HTTPError as ex:
            ex.close()
            raise WebhookRefused(f"the receiver answered {ex.code}") from None

    def _body(self, event: ObjectEvent) -> bytes:
        payload = {
            "bucketId": event.bucket_id,
            "name": event.name,
            "version": event.version,
            "metadata": event.metadata,
            "tenant": {"ref": self.project},
            "uploadType": event.upload_type,
            "reqId": event.request_id,
            **event.version_members(),
        }
        if event.old is not None:
            payload["oldObject"] = event.old
        sent = {"$version": "v1", "type": event.type, "region": "", "payload": payload, "applyTime": event.applied_at}
        message = {
            "type": "Webhook",
            "event": sent,
            "sentAt": now_as_json(),
            "tenant": {"ref": self.project, "host": ""},
        }
        return json.dumps(message).encode()
