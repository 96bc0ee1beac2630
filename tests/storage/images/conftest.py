"""Decoder processes without a service around them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO

import pytest

from app.faces.images.decoders import Decoders
from app.faces.images.jobs import DecoderLimits, Drawn, Wanted
from app.faces.images.transform import Transform
from app.storage.bytes.backend import Readable
from tests.process.running import PATIENCE_S

PIXELS = 4_000_000

Draw = Callable[..., Drawn | str]


@pytest.fixture(scope="package")
def decoders() -> Iterator[Decoders]:
    decoders = Decoders(DecoderLimits(PIXELS, PATIENCE_S), processes=1, threads=4)
    yield decoders
    decoders.close()


@pytest.fixture(scope="package")
def draw(decoders: Decoders) -> Draw:
    """The result of a decoder for an image, or the reason for a refusal."""

    def draw(content: bytes, form: str = "origin", *, negotiated: bool = False, **transform: object) -> Drawn | str:
        wanted = Wanted(Transform(**transform), form, negotiated)  # type: ignore[arg-type]
        with decoders.one() as decoder:
            return decoder.draw(wanted, Readable(len(content), file=BytesIO(content)))

    return draw
