"""The parts of forms, wherever the reader's pieces end."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.faces.shared.multipart_form import BrokenForm, form_parts

TYPE = "multipart/form-data; boundary=abc"
# Contents that look like the beginning of a boundary, with lengths around the sizes in which the reader reads.
CONTENTS = st.builds(
    lambda seed, size, rest: (seed * (size // len(seed) + 1))[:size] + rest,
    st.sampled_from([b"\r\n--ab", b"\r\n", b"--abc", b"x\r\n--ab\0"]),
    st.sampled_from([0, 1, 2, 32760, 32767, 32768, 32769, 65536]),
    st.binary(max_size=9),
).filter(lambda content: b"\r\n--abc" not in b"\r\n" + content)


class Dribbling(io.BytesIO):
    """Returns fewer bytes than requested, as a connection does."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(1000 if size is None or size < 0 else min(size, 1000))


def form(contents: list[bytes]) -> bytes:
    parts = (
        b'--abc\r\nContent-Disposition: form-data; name="%d"; filename="f"\r\n\r\n%b\r\n' % (number, content)
        for number, content in enumerate(contents)
    )
    return b"".join([*parts, b"--abc--"])


def contents_of(body: io.BytesIO, size: int = -1) -> list[tuple[str, bytes]]:
    """The name and the bytes of each part, read in pieces of ``size``."""
    found = []
    for part in form_parts(body, TYPE):
        content = b""
        while piece := part.stream.read(size):
            content += piece
        found.append((part.name, content))
    return found


@settings(max_examples=40)
@given(contents=st.lists(CONTENTS, max_size=3), size=st.sampled_from([-1, 999, 256 * 1024]), dribbles=st.booleans())
def test_parts_are_read_as_sent(contents: list[bytes], size: int, dribbles: bool) -> None:
    body = (Dribbling if dribbles else io.BytesIO)(form(contents))
    assert contents_of(body, size) == [(str(number), content) for number, content in enumerate(contents)]


@settings(max_examples=40)
@given(contents=st.lists(CONTENTS, min_size=1, max_size=2), cut=st.integers(1))
def test_a_truncated_form_is_an_error(contents: list[bytes], cut: int) -> None:
    whole = form(contents)
    with pytest.raises(BrokenForm):
        contents_of(io.BytesIO(whole[: -(cut % len(whole)) - 1]))


def test_unread_parts_are_skipped() -> None:
    assert [part.name for part in form_parts(io.BytesIO(form([bytes(100_000), b"x"])), TYPE)] == ["0", "1"]
