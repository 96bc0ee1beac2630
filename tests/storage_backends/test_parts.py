"""The division of joined blobs into the parts of one upload."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from app.storage.bytes.backend import Piece
from app.storage.bytes.transfer import in_parts


@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=12), least=st.integers(1, 10), more=st.integers(0, 10))
@settings(max_examples=200, deadline=None)
def test_parts_have_all_bytes_in_order_and_allowed_sizes(sizes: list[int], least: int, more: int) -> None:
    most = 2 * least + more
    pieces = [Piece(f"piece{number}", size) for number, size in enumerate(sizes)]
    parts = list(in_parts(pieces, least, most))
    covered = [(span.key, byte) for part in parts for span in part for byte in range(span.start, span.end)]
    assert covered == [(piece.key, byte) for piece in pieces for byte in range(piece.size)]
    lengths = [sum(span.size for span in part) for part in parts]
    assert all(least <= length for length in lengths[:-1])
    assert all(1 <= length <= most for length in lengths)


def test_large_pieces_become_single_parts() -> None:
    pieces = [Piece("a", 6), Piece("b", 2), Piece("c", 9), Piece("d", 30)]
    parts = list(in_parts(pieces, 5, 20))
    assert [[span.key for span in part] for part in parts] == [
        ["a"], ["b", "c"], ["c"], ["d"], ["d"],
    ]  # fmt: skip
