"""The output of ``python -m bench``: a table, the same as JSON, and a chart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape

from bench.measuring import NO_ROLE, PACED, PGBENCH, Figures

EMPTY = "empty Falcon + waitress"
BARE = "Falcon + waitress + bare socket"
_COLORS = ("#2563eb", "#94a3b8", "#f59e0b", "#fbbf24", "#a855f7", "#c084fc")
_LABELS, _BARS, _FIGURES, _LINE, _GAP = 220, 460, 80, 20, 34

HEADING = (
    "| question | | per second | p50 ms | p99 ms | service CPU | of the empty "
    "| PostgreSQL CPU | of pgbench | of pgbench as often |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)


def lines(figures: Sequence[Figures]) -> list[str]:
    """A line of the table for each contestant of one question."""
    by_name = {each.contestant: each for each in figures}
    return [_line(each, by_name) for each in figures]


def _line(figures: Figures, others: dict[str, Figures]) -> str:
    empty, pgbench, paced = others.get(EMPTY), others.get(PGBENCH), others.get(PACED)
    cells = [
        figures.question,
        figures.contestant,
        f"{figures.per_second:,.0f}",
        *(f"{figures.latencies[each]:.2f}" if figures.latencies else "-" for each in (50, 99)),
        f"{figures.service_us:.0f} us",
        _times(figures.service_us, empty.service_us if empty else 0),
        f"{figures.database_us:.0f} us",
        _times(figures.database_us, pgbench.database_us if pgbench else 0),
        _times(figures.database_us, paced.database_us if paced else 0),
    ]
    return f"| {' | '.join(cells)} |"


def _times(value: float, unit: float) -> str:
    return f"{value / unit:.2f}" if unit and value else "-"


def ideal(figures: Sequence[Figures], cores: int, pgbench: str = PGBENCH) -> float | None:
    """How many requests per second the machine would answer if the service cost what the empty web server costs, and
    the database what ``pgbench`` makes it cost: the one that never waits, or the one that asks as often."""
    by_name = {each.contestant: each for each in figures}
    empty, database = by_name.get(EMPTY), by_name.get(pgbench)
    if empty is None or database is None:
        return None
    return cores * 1e6 / (empty.service_us + empty.client_us + database.database_us)


def of_the_ideal(figures: Sequence[Figures], cores: int) -> str | None:
    """The first contestant relative to the ideals, and to the bare server; None if there are none."""
    highest, paced = ideal(figures, cores), ideal(figures, cores, PACED)
    bare = next((each.per_second for each in figures if each.contestant == BARE), None)
    if highest is None or paced is None or bare is None:
        return None
    question, reached = figures[0].question, figures[0].per_second
    return (
        f"{question}: {reached / highest:.0%} of the ideal, which is {highest:,.0f} per second; "
        f"{reached / paced:.0%} of {paced:,.0f}, where the database costs what pgbench as often makes it cost; "
        f"{reached / bare:.2f} times the bare server, which reaches {bare / highest:.0%} of the ideal"
    )


def as_json(figures: Sequence[Figures], notes: Sequence[str]) -> str:
    return json.dumps({"figures": list(map(asdict, figures)), "notes": list(notes)}, indent=2) + "\n"


def chart(figures: Sequence[Figures]) -> str:
    """Requests per second of those that answer questions, as an SVG image."""
    shown = [each for each in figures if each.contestant not in (EMPTY, BARE, PGBENCH, PACED, NO_ROLE)]
    names = list(dict.fromkeys(each.contestant for each in shown))
    return bars(
        [
            (
                f"{question}, requests per second",
                [
                    Bar(each.contestant, each.per_second, names.index(each.contestant))
                    for each in shown
                    if each.question == question
                ],
            )
            for question in dict.fromkeys(each.question for each in shown)
        ]
    )


@dataclass(frozen=True)
class Bar:
    """A value with its label; bars of one ``kind`` have one color."""

    label: str
    value: float
    kind: int = 0

    @property
    def text(self) -> str:
        return f"{self.value:,.0f}" if self.value >= 100 else f"{self.value:.3g}"


def bars(groups: Sequence[tuple[str, Sequence[Bar]]]) -> str:
    """Bars under the titles of their groups, as an SVG image; the longest of each group is as long as the others."""
    parts: list[str] = []
    y = 10
    for title, rows in groups:
        most = max(each.value for each in rows) or 1
        parts.append(f'<text x="0" y="{y + 14}" font-weight="bold">{escape(title)}</text>')
        y += _LINE + 4
        for each in rows:
            color = _COLORS[each.kind % len(_COLORS)]
            width = each.value / most * _BARS
            parts += [
                f'<text x="0" y="{y + 14}">{escape(each.label)}</text>',
                f'<rect x="{_LABELS}" y="{y + 2}" width="{width:.0f}" height="{_LINE - 4}" fill="{color}"/>',
                f'<text x="{_LABELS + width + 6:.0f}" y="{y + 14}">{each.text}</text>',
            ]
            y += _LINE
        y += _GAP - _LINE
    size = f'width="{_LABELS + _BARS + _FIGURES}" height="{y}"'
    style = 'font-family="system-ui, sans-serif" font-size="13" fill="#64748b"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>', *parts, "</svg>"]
    return "\n".join(lines) + "\n"
