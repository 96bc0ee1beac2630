"""Valid images: sizes, formats and colours of the result, and that it has no metadata."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageCms, PngImagePlugin

from app.faces.images.jobs import Drawn
from tests.storage.images.conftest import Draw
from tests.storage.images.pictures import encoded, opened, picture, turned

ICO = {"size": (64, 32)}
KINDS: list[tuple[str, str, dict[str, Any], str]] = [
    ("JPEG", "RGB", {}, "image/jpeg"),
    ("JPEG", "L", {}, "image/jpeg"),
    ("JPEG", "CMYK", {}, "image/jpeg"),
    ("PNG", "RGB", {}, "image/png"),
    ("PNG", "RGBA", {}, "image/png"),
    ("PNG", "P", {}, "image/png"),
    ("PNG", "LA", {}, "image/png"),
    ("PNG", "1", {}, "image/png"),
    ("PNG", "I;16", {}, "image/png"),
    ("GIF", "P", {}, "image/gif"),
    ("WEBP", "RGBA", {}, "image/webp"),
    ("AVIF", "RGB", {}, "image/avif"),
    ("BMP", "RGB", {}, "image/jpeg"),
    ("TIFF", "RGB", {}, "image/jpeg"),
    ("TIFF", "RGBA", {}, "image/png"),
    ("TIFF", "CMYK", {}, "image/jpeg"),
    ("ICO", "RGBA", ICO, "image/png"),
]


def image_of(drawn: Drawn | str) -> Image.Image:
    assert isinstance(drawn, Drawn), drawn
    return opened(drawn.content)


def test_16_bits_of_grey_with_a_transparent_one_keep_their_brightness(draw: Draw) -> None:
    content = encoded(Image.new("I;16", (8, 8), 0x8080), "PNG", transparency=0)
    for form in ("origin", "webp"):
        assert image_of(draw(content, form)).convert("L").getpixel((4, 4)) in (127, 128, 129)


@pytest.mark.parametrize(("name", "mode", "options", "kept"), KINDS)
def test_formats_are_kept_or_converted(draw: Draw, name: str, mode: str, options: dict[str, Any], kept: str) -> None:
    content = picture(name, **{"size": (80, 40), **options}, mode=mode)
    types = []
    for form in ("origin", "webp", "avif"):
        drawn = draw(content, form, width=20)
        assert isinstance(drawn, Drawn)
        image = opened(drawn.content)
        assert image.size == (20, 10)
        assert Image.MIME[image.format or ""] == drawn.media_type
        types.append(drawn.media_type)
    assert types == [kept, "image/webp", "image/avif"]


@pytest.mark.parametrize(
    ("source", "size", "form", "negotiated", "expected"),
    [
        ("PNG", (2, 16_383), "webp", True, "image/webp"),
        ("PNG", (2, 16_384), "webp", True, "image/png"),
        ("PNG", (16_384, 2), "webp", True, "image/png"),
        ("JPEG", (2, 16_384), "webp", True, "image/jpeg"),
        ("GIF", (17_000, 2), "webp", True, "image/gif"),
        ("BMP", (2, 16_384), "webp", True, "image/jpeg"),
        ("TIFF", (2, 70_000), "webp", True, "image/png"),
        ("BMP", (70_000, 2), "origin", False, "image/png"),
        ("BMP", (2, 65_501), "origin", False, "image/png"),
        ("BMP", (2, 65_500), "origin", False, "image/jpeg"),
        ("PNG", (2, 32_768), "avif", True, "image/avif"),
        ("PNG", (2, 32_769), "avif", True, "image/png"),
        ("PNG", (16_384, 2), "webp", False, "resolution"),
        ("PNG", (70_000, 2), "avif", False, "resolution"),
    ],
)
def test_an_image_too_long_for_the_negotiated_format_keeps_its_own(
    draw: Draw, source: str, size: tuple[int, int], form: str, negotiated: bool, expected: str
) -> None:
    drawn = draw(picture(source, size), form, negotiated=negotiated)
    if isinstance(drawn, str):
        assert drawn == expected
        return
    assert (drawn.media_type, opened(drawn.content).size) == (expected, size)


def test_a_derived_side_counts_for_the_limit(draw: Draw) -> None:
    content = picture("PNG", (40, 36_000))
    drawn = [draw(content, "webp", negotiated=True, width=width) for width in (40, 20, 18)]
    assert [image.media_type for image in drawn if isinstance(image, Drawn)] == ["image/png", "image/png", "image/webp"]


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_images_are_turned_upright_first(draw: Draw, name: str, orientation: int) -> None:
    content = turned(orientation, (80, 60), name)
    sideways = orientation >= 5
    assert image_of(draw(content, width=20)).size == ((20, 27) if sideways else (20, 15))
    image = image_of(draw(content, "webp")).convert("L")
    assert image.size == ((60, 80) if sideways else (80, 60))
    # The stored image is black on its left.
    width, height = image.width - 3, image.height - 3
    dark = {1: (2, 9), 2: (width, 9), 3: (width, 9), 4: (2, 9), 5: (9, 2), 6: (9, 2), 7: (9, height), 8: (9, height)}
    light = {1: (width, 9), 2: (2, 9), 3: (2, 9), 4: (width, 9), 5: (9, height), 6: (9, height), 7: (9, 2), 8: (9, 2)}
    assert image.getpixel(dark[orientation]) < 60  # type: ignore[operator]
    assert image.getpixel(light[orientation]) > 190  # type: ignore[operator]


def test_gravity_chooses_the_visible_part(draw: Draw) -> None:
    """A gradient from 0 to 255 over 256 columns shows by its colours which columns are visible."""
    content = picture("PNG", (256, 64), "L")
    for options, first, last in (
        ({"gravity": "we"}, 0, 63),
        ({"gravity": "ea"}, 192, 255),
        ({}, 96, 159),
        ({"gravity": "fp", "x_offset": 0.25, "y_offset": 0.5}, 32, 95),
    ):
        image = image_of(draw(content, width=64, height=64, **options))
        assert (image.getpixel((0, 30)), image.getpixel((63, 30))) == (first, last), options


def test_smart_gravity_chooses_the_part_with_most_detail(draw: Draw) -> None:
    image = Image.new("RGB", (300, 100), "white")
    image.paste(Image.effect_noise((100, 100), 100).convert("RGB"), (200, 0))
    shown = image_of(draw(encoded(image, "PNG"), width=100, height=100, gravity="sm"))
    assert shown.size == (100, 100)
    darkest, brightest = shown.convert("L").getextrema()
    assert darkest < brightest
    assert shown.convert("L").histogram()[255] < 50 * 100


def test_quality_changes_the_size(draw: Draw) -> None:
    content = encoded(Image.effect_noise((200, 200), 50).convert("RGB"), "PNG")
    for form, usual in (("webp", 80), ("avif", 62)):
        best, plain, worst = (draw(content, form, quality=quality) for quality in (100, usual, 20))
        assert len(best.content) > len(plain.content) > len(worst.content)  # type: ignore[union-attr]
        assert draw(content, form) == plain


def test_only_the_first_frame_of_an_animation_is_rendered(draw: Draw) -> None:
    frames = [Image.new("RGB", (40, 20), colour) for colour in ("red", "blue", "green")]
    for name, form, media_type in (
        ("GIF", "origin", "image/gif"),
        ("GIF", "webp", "image/webp"),
        ("WEBP", "origin", "image/webp"),
        ("PNG", "origin", "image/png"),
    ):
        content = encoded(frames[0], name, save_all=True, append_images=frames[1:], duration=100)
        drawn = draw(content, form, width=20)
        assert isinstance(drawn, Drawn)
        image = opened(drawn.content)
        assert (drawn.media_type, getattr(image, "n_frames", 1)) == (media_type, 1)
        red, green, blue = image.convert("RGB").getpixel((5, 5))  # type: ignore[misc]
        assert red > 200
        assert green < 60
        assert blue < 60


def test_alpha_is_averaged_by_its_weight(draw: Draw) -> None:
    """Without that, the colour of transparent pixels, here green, would show at the edges."""
    image = Image.new("RGBA", (80, 80), (0, 255, 0, 0))
    image.paste((255, 0, 0, 255), (0, 0, 41, 80))
    edge = image_of(draw(encoded(image, "PNG"), width=10)).getpixel((5, 5))
    assert isinstance(edge, tuple)
    assert 0 < edge[3] < 255
    assert edge[1] == 0


def test_colours_are_in_srgb(draw: Draw) -> None:
    """With red and green exchanged in its profile, what is stored as red is meant to be green."""
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    exchanged = srgb.replace(b"rXYZ", b"?XYZ").replace(b"gXYZ", b"rXYZ").replace(b"?XYZ", b"gXYZ")
    for mode, colour in (("RGB", (255, 0, 0)), ("RGBA", (255, 0, 0, 255))):
        content = picture("PNG", (8, 8), mode, colour, icc_profile=exchanged)
        shown = image_of(draw(content)).getpixel((0, 0))
        assert isinstance(shown, tuple)
        assert shown[1] > 250
        assert max(shown[0], shown[2]) < 60
        assert shown[3:] == colour[3:]


def test_a_profile_that_cannot_be_used_is_ignored(draw: Draw) -> None:
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    for profile in (lab, b"rubbish"):
        content = picture("PNG", (8, 8), colour=(128, 0, 7), icc_profile=profile)
        assert image_of(draw(content)).getpixel((0, 0)) == (128, 0, 7)


def test_metadata_is_left_out(draw: Draw) -> None:
    exif = Image.Exif()
    exif[0x010E] = "a secret of the exif"
    exif.get_ifd(0x8825)[1] = "N"
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "a secret of the text")
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    sources = (
        picture(
            "JPEG", (20, 10), exif=exif, icc_profile=profile, comment=b"a secret of the comment", xmp=b"a secret of XMP"
        ),
        picture("PNG", (20, 10), exif=exif, icc_profile=profile, pnginfo=text),
        picture("WEBP", (20, 10), exif=exif, icc_profile=profile, xmp=b"a secret of XMP"),
        picture("TIFF", (20, 10), exif=exif, icc_profile=profile),
        picture("GIF", (20, 10), "P", comment=b"a secret of the comment"),
        picture("AVIF", (20, 10), exif=exif, icc_profile=profile, xmp=b"a secret of XMP"),
    )
    for source in sources:
        for form in ("origin", "webp", "avif"):
            drawn = draw(source, form)
            assert isinstance(drawn, Drawn)
            assert b"secret" not in drawn.content
            image = opened(drawn.content)
            assert not {"exif", "icc_profile", "xmp", "comment", "Comment"} & {
                name for name, value in image.info.items() if value
            }


def test_the_same_request_gets_the_same_bytes(draw: Draw) -> None:
    noise = encoded(Image.effect_noise((120, 90), 80).convert("RGBA"), "PNG")
    for form in ("origin", "webp", "avif"):
        assert draw(noise, form, width=70) == draw(noise, form, width=70)
    gif = encoded(Image.effect_noise((120, 90), 80).convert("RGB"), "GIF")
    assert draw(gif, width=70) == draw(gif, width=70)


def test_formats_are_recognized_by_their_bytes(draw: Draw) -> None:
    heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"\0" * 100
    ppm = BytesIO()
    Image.new("RGB", (8, 8)).save(ppm, "PPM")
    for content in (b"", b"a text", heic, ppm.getvalue(), picture("JPEG2000"), b"%PDF-1.7\n", b"\0" * 1000):
        assert draw(content) == "invalid"
