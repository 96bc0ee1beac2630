"""Draws and stores the pictures of the demonstration, once: maps, and the places of visits."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pg8000.native
import pluggy

from app.demo.banner import MAP
from app.demo.load import DemoError, connect
from app.distribution import how_to_install
from app.settings import Settings
from app.storage.permission_trial import Write
from app.storage.records import ObjectName
from app.storage.storage import operators_storage
from app.storage.upkeep.events import CREATED_POST
from app.storage.writing import Content, put

_Picture = tuple[str, str, bytes]
_CITIES = "select latitude, longitude, population from city"
_VISITED = """
select visit.id, city.name, city.latitude, city.longitude, city.population
from visit join city on city.id = visit.city_id order by visit.id
"""


def store_pictures(
    database_url: str, settings: Settings, plugins: pluggy.PluginManager, say: Callable[[str], object]
) -> None:
    """Store the pictures in the storage of ``settings``, unless that was done before. ``say`` is called with a message
    when they are stored. ``database_url`` is that of the database's owner. Raises DemoError or PorticoError."""
    with closing(connect(database_url)) as connection:
        # Another service that starts at the same time waits here, and then finds the pictures stored.
        connection.run("select pg_advisory_lock(hashtextextended('portico demo pictures', 0))")
        if connection.run("select from pg_class where oid = to_regclass('portico_demo.stored_pictures')"):
            return
        began = time.monotonic()
        connection.execute_simple(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
        count = _store(_pictures(connection), settings, plugins)
        connection.run("create table portico_demo.stored_pictures (at timestamptz not null default now())")
        say(f"Stored {count} pictures in {time.monotonic() - began:.1f} s.")


def _pictures(connection: pg8000.native.Connection) -> Iterator[_Picture]:
    """Bucket, key and bytes of each picture."""
    try:
        from app.demo.maps import CONTINENTS, WORLD, City, around, draw_map
    except ImportError:
        raise DemoError(f"the demonstration draws maps with Pillow. Install it with {how_to_install('demo')}") from None

    cities = [City(*row) for row in connection.run(_CITIES) or ()]
    bucket, _, key = MAP.partition("/")
    yield bucket, key, draw_map(cities, WORLD, 1600)
    for name, bounds in CONTINENTS.items():
        yield "maps", f"continents/{name}.png", draw_map(cities, bounds, 1000)
    for visit, name, *row in connection.run(_VISITED) or ():
        city = City(*row)
        yield "visits", f"{visit}/map.png", draw_map(cities, around(city, 10), 600, (city, name))


def _store(pictures: Iterator[_Picture], settings: Settings, plugins: pluggy.PluginManager) -> int:
    count = 0
    with operators_storage(settings, plugins, "storage.object.upload") as (storage, request):
        for bucket, key, data in pictures:
            write = Write(ObjectName(bucket, key), True, None, None, CREATED_POST)
            size = len(data)
            put(storage, request, write, Content(io.BytesIO(data), size, size, "image/png", "max-age=3600", {}, None))
            count += 1
    return count
