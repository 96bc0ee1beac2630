"""The rate at which one client may have one object rendered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import requests

from app.faces.images.rates import RenderRates
from app.storage.records import ObjectName
from tests.postgres_server import PostgresServer
from tests.storage.images.pictures import picture
from tests.storage.service import running

ONE, OTHER = ObjectName("b", "one"), ObjectName("b", "other")


def test_the_rate_is_an_average_over_four_seconds() -> None:
    now = [100.0]
    rates = RenderRates(5, lambda: now[0])
    assert [rates.allow("me", ONE) for _ in range(21)] == [True] * 20 + [False]
    assert rates.allow("me", OTHER)
    assert rates.allow("you", ONE)
    now[0] += 0.21
    assert [rates.allow("me", ONE) for _ in range(2)] == [True, False]
    now[0] += 60
    assert [rates.allow("me", ONE) for _ in range(21)] == [True] * 20 + [False]


def test_a_rate_of_zero_allows_any_number() -> None:
    rates = RenderRates(0)
    assert all(rates.allow("me", ONE) for _ in range(1000))


def test_only_rendered_images_count(
    postgres: PostgresServer, storage_database: Callable[[], str], tmp_path: Path
) -> None:
    with running(postgres, storage_database(), tmp_path, image_rate=1) as service:
        bucket = service.bucket(public=True)
        service.upload(f"{bucket}/a.png", picture("PNG", (8, 8))).raise_for_status()

        def ask(width: int) -> requests.Response:
            return service.get(f"/render/image/public/{bucket}/a.png?width={width}", None)

        assert [ask(1).status_code for _ in range(10)] == [200] * 10
        # Each width is rendered again; these requests take less than the second in which one may be rendered.
        refused = next(answer for width in range(2, 100) if not (answer := ask(width)).ok)
        assert (refused.status_code, refused.json()["code"], refused.headers["retry-after"]) == (429, "SlowDown", "1")
        assert ask(1).status_code == 200
