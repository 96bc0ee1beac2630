"""The effect of growing numbers of rows, levels, connections, workers, tables and roles.

``python -m bench.growth [--only rows,depth] [--json FILE] [--svg DIRECTORY]`` measures a service on an embedded
PostgreSQL at each size, prints the figures, and draws a chart for each that grows.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bench.databases import filled_database
from bench.growing import GROWING, Figures, Sizes, schema
from bench.report import Bar, bars

PLOTTED: Mapping[str, Sequence[str]] = {
    "rows": ("per second", "99 % ms"),
    "depth": ("per second", "service CPU us"),
    "connections": ("per second", "99 % ms"),
    "workers": ("per second", "99 % ms"),
    "tables": ("first answer CPU s", "MiB of a worker", "slowest during DDL ms"),
    "roles": ("same: median ms", "own: median ms", "same: MiB of a worker", "own: MiB of a worker"),
}
SHORT = Sizes((10, 100), (1, 2), (1, 4), (1,), (10,), (1, 2), 0.1)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--only", default=",".join(GROWING), help="what grows, separated by commas")
    parser.add_argument("--seconds", type=float, default=2.0, help="for how long each size is measured")
    parser.add_argument("--short", action="store_true", help="two small sizes of each, which say nothing")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the figures")
    parser.add_argument("--svg", type=Path, metavar="DIRECTORY", help="where to write the charts")
    options = parser.parse_args()
    sizes = SHORT if options.short else replace(Sizes(), seconds=options.seconds)
    found = measure(options.only.split(","), sizes)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    if options.svg:
        for name, points in found.items():
            (options.svg / f"growth-{name}.svg").write_text(chart(name, points))


def measure(names: Sequence[str], sizes: Sizes) -> Mapping[str, Mapping[int, Figures]]:
    """The figures at each size of each that grows, printed as they come."""
    found: dict[str, dict[int, Figures]] = {}
    with tempfile.TemporaryDirectory() as place, filled_database(Path(place), schema(sizes)) as cluster:
        for name in names:
            for size, figures in GROWING[name](cluster.url(), sizes):
                found.setdefault(name, {})[size] = figures
                reported = ", ".join(f"{what} {value:,.4g}" for what, value in figures.items())
                print(f"{size:,} {name}: {reported}", flush=True)
    return found


def chart(name: str, points: Mapping[int, Figures]) -> str:
    """The figures that are plotted, by size, as an SVG image."""
    return bars(
        [
            (f"{name}: {what}", [Bar(f"{size:,}", figures[what], kind) for size, figures in points.items()])
            for kind, what in enumerate(PLOTTED[name])
        ]
    )


if __name__ == "__main__":
    main()
