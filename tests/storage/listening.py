"""A plugin that receives the events of objects."""

from __future__ import annotations

from app.hooks import hookimpl
from app.settings import Settings
from app.storage.upkeep.events import EventReceiver, ObjectEvent


class Listening:
    """Keeps the events that it receives, or fails while requested."""

    def __init__(self) -> None:
        self.heard: list[ObjectEvent] = []
        self.failing = False

    @hookimpl
    def object_event_receivers(self, settings: Settings) -> list[EventReceiver]:
        return [EventReceiver("listening", self.receive)]

    def receive(self, event: ObjectEvent) -> None:
        if self.failing:
            raise RuntimeError("not now")
        self.heard.append(event)
