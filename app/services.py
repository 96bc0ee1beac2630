"""What an application object keeps for its life: the engine of its GraphQL door, its storage, and its plugins."""

from __future__ import annotations

from dataclasses import dataclass

from app.pipeline.engine import Engine, make_engine
from app.plugin_guard import Plugins
from app.settings import Settings
from app.storage.storage import Storage, open_storage
from schema_cache.poller import Poller


@dataclass(frozen=True)
class Services:
    """Made once for an application and shared by its threads; hooks are given it, stages are not."""

    settings: Settings
    plugins: Plugins
    engine: Engine
    poller: Poller
    storage: Storage

    def start(self) -> None:
        """Begin what runs in the background."""
        self.poller.start()
        self.storage.background.start()

    def close(self) -> None:
        """Stop what runs in the background, and let go of the connections."""
        self.poller.close()
        self.storage.close()
        self.engine.close()


def make_services(settings: Settings, plugins: Plugins) -> Services:
    """The services of one process, after it was forked. Nothing is connected before the first request needs it."""
    engine = make_engine(settings, plugins)
    return Services(
        settings=settings,
        plugins=plugins,
        engine=engine,
        poller=Poller(engine.schema_cache),
        storage=open_storage(settings, plugins, engine.database, engine.contexts, engine.identity),
    )
