"""Decoding an image with Pillow, scaling it, and encoding the result. Only decoder processes import this."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from typing import Any, Literal

from PIL import AvifImagePlugin, ExifTags, Image, ImageCms, ImageFilter, features

from app.faces.images.animation import (
    ANIMATED,
    Frame,
    TooManyPixels,
    further_frames,
    options_of,
    plays_of,
    shown_ms,
)
from app.faces.images.formats import LARGEST_SIDES, MEDIA_TYPES, format_of
from app.faces.images.jobs import DecoderLimits, Drawn, Wanted
from app.faces.images.sizes import Crop, Size, crop_of, scaled_size
from app.faces.images.svg import DocumentType, NotClean, cleaned, unzipped
from app.faces.images.transform import Transform

QUALITY, AVIF_QUALITY = 80, 62
_WRITTEN = {"webp": "WEBP", "avif": "AVIF"}
_KEEP_FORMAT = frozenset({"JPEG", "PNG", "GIF", "WEBP", "AVIF"})
_SIDEWAYS = frozenset({5, 6, 7, 8})
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
# An image is first reduced by integer factors to at least this multiple of its new size: 2 takes half the time of 3,
# with no visible difference.
_GAP = 2
_MAX_PROFILE_BYTES = 4 * 1024 * 1024
_SPEED = {"WEBP": {"method": 4}, "AVIF": {"speed": 8, "max_threads": 1}}

_TOO_MANY_PIXELS = (MemoryError, Image.DecompressionBombError, Image.DecompressionBombWarning)


class NotDrawn(Exception):
    """The image cannot be drawn: it is broken, its format is unknown, or it or its frames have too many pixels."""

    def __init__(self, reason: Literal["invalid", "resolution", "frames", "document type"]) -> None:
        super().__init__(reason)
        self.reason = reason


def limit_pixels(pixels: int) -> None:
    """Make Pillow refuse larger images, also those embedded in another image. One thread does all the work."""
    Image.MAX_IMAGE_PIXELS = pixels
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    AvifImagePlugin.DEFAULT_MAX_THREADS = 1


def draw(content: bytes, wanted: Wanted, limits: DecoderLimits) -> Drawn:
    """The image as ``wanted``. Raises NotDrawn for any failure that the bytes cause."""
    source = format_of(content)
    if source in ("SVG", "SVGZ"):
        return _clean_svg(content, source, wanted)
    if source is None:
        raise NotDrawn("invalid")
    try:
        with Image.open(BytesIO(content), formats=[source]) as image:
            return _draw(image, source, wanted, limits)
    except NotDrawn:
        raise
    except TooManyPixels:
        raise NotDrawn("frames") from None
    except _TOO_MANY_PIXELS:
        raise NotDrawn("resolution") from None
    except Exception:
        # Pillow raises many kinds of errors for broken files, SyntaxError and struct.error among others.
        raise NotDrawn("invalid") from None


def _clean_svg(content: bytes, source: str, wanted: Wanted) -> Drawn:
    if wanted.format != "origin" and not wanted.negotiated:
        raise NotDrawn("invalid")
    try:
        return Drawn(MEDIA_TYPES["SVG"], cleaned(unzipped(content) if source == "SVGZ" else content))
    except DocumentType:
        raise NotDrawn("document type") from None
    except NotClean:
        raise NotDrawn("invalid") from None


def _draw(image: Image.Image, source: str, wanted: Wanted, limits: DecoderLimits) -> Drawn:
    first = _scaled(image, source, wanted.transform)
    crop = _crop(first, wanted.transform)
    frames = [Frame(_cropped(first, crop), shown_ms(image))]
    plays = plays_of(image, source)
    name = _format(source, frames[0].image, wanted)
    if source in ANIMATED and name != "AVIF":
        for _ in further_frames(image, limits.frames, limits.pixels):
            scaled = _scaled(image, source, wanted.transform)
            frames.append(Frame(_cropped(scaled, crop), shown_ms(image)))
    options = options_of(frames, plays, name) if len(frames) > 1 else {}
    return _encoded(frames[0].image, name, wanted.transform.quality, options)


def _scaled(image: Image.Image, source: str, transform: Transform) -> Image.Image:
    """The image, or its current frame, upright, in its new size and in sRGB."""
    orientation = _orientation(image, source)
    upright = Size(*(image.size[::-1] if orientation in _SIDEWAYS else image.size))
    scaled = scaled_size(upright, transform)
    box = _drafted(image, scaled[::-1] if orientation in _SIDEWAYS else scaled)
    profile = image.info.get("icc_profile")
    small = _plain(image).resize(
        scaled[::-1] if orientation in _SIDEWAYS else scaled, Image.Resampling.LANCZOS, box, _GAP
    )
    coloured = _in_srgb(small, profile)
    return coloured.transpose(_UPRIGHT[orientation]) if orientation in _UPRIGHT else coloured


def _orientation(image: Image.Image, source: str) -> int:
    """The EXIF orientation; 1, upright, if it is unknown or if Pillow turns the image itself, as TIFF."""
    orientation = 1
    if source != "TIFF":
        with suppress(Exception):
            orientation = int(image.getexif().get(ExifTags.Base.Orientation, 1))
    return orientation


def _drafted(image: Image.Image, scaled: Size | tuple[int, ...]) -> tuple[float, float, float, float] | None:
    """Let a JPEG be decoded in a smaller size. Returns the box of the image in it; None if that is all of it."""
    drafted = image.draft(None, (scaled[0] * _GAP, scaled[1] * _GAP))
    return drafted[1] if drafted else None


def _plain(image: Image.Image) -> Image.Image:
    """The image in a mode whose pixels can be averaged."""
    if image.mode.startswith("I;16"):
        # Pillow's own conversions, also to RGBA, turn every value above 255 of 65,535 into white.
        return image.point(lambda value: value * (1 / 257)).convert("L")
    if image.mode == "P" or "transparency" in image.info:
        return image.convert("RGBA" if "transparency" in image.info else "RGB")
    if image.mode in ("L", "LA", "RGB", "RGBA", "CMYK"):
        return image
    return image.convert({"1": "L", "I": "L", "F": "L", "La": "LA"}.get(image.mode, _colours(image)))


def _colours(image: Image.Image) -> str:
    return "RGBA" if image.mode in ("PA", "RGBa") else "RGB"


def _in_srgb(image: Image.Image, profile: object) -> Image.Image:
    """The image with its colours in sRGB; a profile that cannot be used is ignored, as browsers do."""
    if isinstance(profile, bytes) and 0 < len(profile) <= _MAX_PROFILE_BYTES:
        with suppress(ImageCms.PyCMSError, OSError, ValueError, TypeError):
            source = ImageCms.ImageCmsProfile(BytesIO(profile))
            mode = "RGBA" if image.mode == "RGBA" else "RGB"
            if image.mode not in ("L", "LA"):
                turned = ImageCms.profileToProfile(image, source, ImageCms.createProfile("sRGB"), outputMode=mode)
                return turned or image
    return image.convert("RGB") if image.mode == "CMYK" else image


def _crop(image: Image.Image, transform: Transform) -> Crop:
    crop = crop_of(Size(*image.size), transform)
    return _liveliest(image, crop) if transform.gravity == "sm" else crop


def _cropped(image: Image.Image, crop: Crop) -> Image.Image:
    right, bottom = crop.left + crop.size.width, crop.top + crop.size.height
    shown = image.crop((crop.left, crop.top, right, bottom))
    # Otherwise the remaining metadata of the source would be written too.
    shown.info = {}
    return shown


def _liveliest(image: Image.Image, crop: Crop) -> Crop:
    """The part of that size with the most edges, where the subject of the image probably is."""
    edges = image.convert("L").filter(ImageFilter.FIND_EDGES)
    columns = edges.resize((edges.width, 1), Image.Resampling.BOX).tobytes()
    rows = edges.resize((1, edges.height), Image.Resampling.BOX).tobytes()
    return Crop(_best_start(columns, crop.size.width), _best_start(rows, crop.size.height), crop.size)


def _best_start(weights: bytes, length: int) -> int:
    total = best = sum(weights[:length])
    found = 0
    for start in range(1, len(weights) - length + 1):
        total += weights[start + length - 1] - weights[start - 1]
        if total > best:
            best, found = total, start
    return found


def _format(source: str, image: Image.Image, wanted: Wanted) -> str:
    """The format to write, by its name in Pillow: a negotiated one only if the image fits into it. Raises NotDrawn."""
    name = _WRITTEN.get(wanted.format)
    if name is not None and features.check(name.lower()):
        if _fits(image, name):
            return name
        if not wanted.negotiated:
            raise NotDrawn("resolution")
    if source in _KEEP_FORMAT:
        return source
    return "PNG" if image.mode in ("RGBA", "LA") or not _fits(image, "JPEG") else "JPEG"


def _fits(image: Image.Image, name: str) -> bool:
    return max(image.size) <= LARGEST_SIDES[name]


def _encoded(image: Image.Image, name: str, quality: int, options: Mapping[str, Any]) -> Drawn:
    options = {**_SPEED.get(name, {}), **options}
    if name in ("JPEG", "WEBP", "AVIF"):
        options["quality"] = quality or (AVIF_QUALITY if name == "AVIF" else QUALITY)
    written = BytesIO()
    image.save(written, name, **options)
    return Drawn(MEDIA_TYPES[name], written.getvalue())
