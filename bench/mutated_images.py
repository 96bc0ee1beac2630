"""Broken images by the thousand: ``python -m bench.mutated_images [--images N] [--processes N] [--seed N]``.

Takes an image of each format, changes bytes of it at random, and has decoder processes draw it. Tells how many were
drawn, refused, and killed their decoder, which is what a decoder is for. Fails if anything else happens, or if a good
image is no longer drawn afterwards.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO

from PIL import Image, TiffImagePlugin

from app.faces.images.decoders import DecoderFailed, Decoders
from app.faces.images.jobs import DecoderLimits, Drawn, Wanted
from app.faces.images.transform import Transform
from app.storage.bytes.backend import Readable

LIMITS = DecoderLimits(pixels=4_000_000, seconds=10.0)
_SMALL = (96, 64)
_SVG = b"""<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">
<style>rect { fill: red }</style><a href="#x"><rect width="5" height="5"/></a><text>&lt;&#233;</text></svg>"""
AS_IT_IS = Wanted(Transform(), "origin", negotiated=False)
_FORMS = ("origin", "webp", "avif")


def seeds() -> list[bytes]:
    """Good images, one for each decoder and its ways to store pixels."""
    noise = Image.effect_noise(_SMALL, 60)
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = "described"
    kinds: tuple[tuple[str, str, dict[str, object]], ...] = (
        ("JPEG", "RGB", {"exif": exif}), ("JPEG", "CMYK", {}), ("JPEG", "L", {"progressive": True}),
        ("PNG", "RGB", {"exif": exif}), ("PNG", "RGBA", {}), ("PNG", "P", {"transparency": 0}), ("PNG", "1", {}),
        ("GIF", "P", {"save_all": True, "append_images": [noise.convert("P")]}),
        ("WEBP", "RGB", {"exif": exif}), ("WEBP", "RGBA", {"lossless": True}),
        ("WEBP", "RGB", {"save_all": True, "append_images": [noise.convert("RGB")]}),
        ("AVIF", "RGB", {"exif": exif}), ("AVIF", "RGBA", {}), ("BMP", "RGB", {}), ("BMP", "P", {}),
        ("TIFF", "RGB", {"exif": exif}), ("TIFF", "RGB", {"compression": "tiff_lzw"}),
        ("TIFF", "1", {"compression": "group4"}), ("TIFF", "RGB", {"compression": "jpeg"}),
        ("TIFF", "L", {"compression": "tiff_adobe_deflate"}), ("ICO", "RGBA", {}),
    )  # fmt: skip
    TiffImagePlugin.STRIP_SIZE = 1024
    return [_encoded(noise.convert(mode), name, options) for name, mode, options in kinds] + [_SVG]


def _encoded(image: Image.Image, name: str, options: dict[str, object]) -> bytes:
    written = BytesIO()
    image.save(written, name, **options)
    return written.getvalue()


def mutated(source: random.Random, good: Sequence[bytes]) -> bytes:
    """A good image with some of its bytes changed, cut out, doubled, or taken from another."""
    content = bytearray(source.choice(good))
    for _ in range(source.choice((1, 1, 2, 4, 16))):
        # The headers, where sizes and offsets are, are at the beginning, except those of TIFF.
        most = len(content) if source.random() < 0.5 else min(len(content), 256)
        place, length = source.randrange(max(1, most)), source.choice((1, 1, 2, 4, 32))
        match source.randrange(6):
            case 0:
                content[place : place + length] = source.randbytes(length)
            case 1:
                content[place : place + length] = source.choice((b"\0", b"\xff", b"\x7f", b"\x80")) * length
            case 2:
                del content[place : place + length]
            case 3:
                content[place:place] = content[place : place + length]
            case 4:
                other = source.choice(good)
                content[place : place + length] = other[place : place + length]
            case 5:
                del content[max(16, place) :]
    return bytes(content)


def wanted(source: random.Random) -> Wanted:
    side = source.choice((0, 1, 33, 2000))
    resize = source.choice(("cover", "contain", "fill"))
    transform = Transform(width=side, height=source.choice((0, 20)), resize=resize, gravity=source.choice(("", "sm")))
    return Wanted(transform, source.choice(_FORMS), negotiated=source.random() < 0.5)  # type: ignore[arg-type]


@dataclass
class Trial:
    """Threads that render mutated images, each with its own decoder."""

    images: int
    decoders: Decoders
    good: Sequence[bytes]
    outcomes: Counter[str] = field(default_factory=Counter)
    killers: list[bytes] = field(default_factory=list)

    def run(self, processes: int, seed: int) -> None:
        share = -(-self.images // processes)
        threads = [threading.Thread(target=self._draw_many, args=(seed + n, share)) for n in range(processes)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

    def _draw_many(self, seed: int, images: int) -> None:
        source = random.Random(seed)
        for _ in range(images):
            content = mutated(source, self.good)
            try:
                outcome = self.draw(content, wanted(source))
                self.outcomes["drawn" if isinstance(outcome, Drawn) else outcome] += 1
            except DecoderFailed as ex:
                self.outcomes[type(ex).__name__] += 1
                self.killers.append(content)

    def draw(self, content: bytes, wish: Wanted) -> Drawn | str:
        with self.decoders.one() as decoder:
            return decoder.draw(wish, Readable(len(content), file=BytesIO(content)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    decoders = Decoders(LIMITS, options.processes, threads=2 * options.processes)
    trial = Trial(options.images, decoders, seeds())
    began = time.perf_counter()
    try:
        trial.run(options.processes, options.seed)
        seconds = time.perf_counter() - began
        bad = [each for each in trial.good if not isinstance(trial.draw(each, AS_IT_IS), Drawn)]
    finally:
        decoders.close()
    total = trial.outcomes.total()
    print(f"{total} mutated images in {seconds:.0f} s, {total / seconds:.0f} per second")
    for outcome, count in trial.outcomes.most_common():
        print(f"{outcome:16} {count:8}")
    print(f"good images that are not drawn afterwards: {len(bad)}")
    return 1 if bad or total < options.images else 0


if __name__ == "__main__":
    sys.exit(main())
