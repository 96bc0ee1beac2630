"""Long texts are kept compressed, and compressed responses are made from them."""

from __future__ import annotations

import gzip
import random

import pytest

from app.packed_text import LEAST, PackedText, gzipped, length_of, packed_text, size_of, whole
from app.pipeline.response_text import kept_response


def long_text(size: int) -> bytes:
    return bytes(random.Random(size).choices(b"abcdef ", k=size))


@pytest.mark.parametrize("size", [0, 1, LEAST - 1, LEAST, LEAST + 1, 10 * LEAST])
@pytest.mark.parametrize("chunk", [1000, LEAST, 20 * LEAST])
def test_a_text_is_the_same_after_packing(size: int, chunk: int) -> None:
    text = long_text(size)
    packed = packed_text(text[start : start + chunk] for start in range(0, size, chunk))
    assert whole(packed) == text
    assert length_of(packed) == size
    assert isinstance(packed, PackedText) == (size >= LEAST)
    assert size_of(packed) <= size
    several = b"".join(gzipped((b"before", packed, b"", packed, b"after")))
    assert gzip.decompress(several) == b"before%b%bafter" % (text, text)


def test_the_body_of_a_kept_response_is_the_same_in_chunks_and_compressed() -> None:
    text = b'"%b"' % long_text(3 * LEAST)
    kept = kept_response(["a", "b"], {"a": b"1", "b": packed_text((text,))})
    expected = b'{"data":{"a":1,"b":%b}}' % text
    assert kept.body() == b"".join(kept.chunks()) == expected
    assert gzip.decompress(b"".join(kept.packed)) == expected
    assert kept.length == len(expected)
    assert kept.size < len(expected)
