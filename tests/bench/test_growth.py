"""The parts of ``python -m bench.growth`` that need no service; docs/performance.md's test runs it."""

from __future__ import annotations

from xml.etree import ElementTree

from bench.growing import GROWING, nested
from bench.growth import PLOTTED, chart
from bench.load import Load


def test_every_quantity_is_plotted() -> None:
    assert list(PLOTTED) == list(GROWING)


def test_a_chart_has_a_bar_for_each_size() -> None:
    image = ElementTree.fromstring(
        chart("rows", {10: {"per second": 50, "99 % ms": 1}, 20: {"per second": 100, "99 % ms": 4}})
    )
    widths = [int(each.attrib["width"]) for each in image.iter() if each.tag.endswith("rect")]
    assert [widths[1] / widths[0], widths[3] / widths[2]] == [2, 4]


def test_queries_are_as_deep_as_they_are_called() -> None:
    assert nested(3).count("Collection") == 3


def test_percentiles_of_a_load_are_taken_from_its_times() -> None:
    load = Load(4, 1.0, 0, [1.0, 2.0, 3.0, 9.0])
    assert [load.percentile(share) for share in (0, 0.5, 0.99, 1)] == [1.0, 3.0, 9.0, 9.0]
