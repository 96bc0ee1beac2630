"""The findings of a siege, as a table for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from bench.siege.finding import Attack, Finding

Outcome = tuple[Attack, Finding, float]


def line(outcome: Outcome) -> str:
    """One line of the table, and below it the first example of what got through."""
    attack, finding, seconds = outcome
    example = "".join(f"\n    got through: {each}" for each in finding.examples[:1])
    return f"{attack.name:32} {finding.tried:7} {finding.got_through:7} {seconds:7.1f}  {finding.note}{example}"


HEADING = f"{'attack':32} {'tried':>7} {'through':>7} {'seconds':>7}  note"


def as_json(outcomes: Sequence[Outcome]) -> str:
    """Promises, counts, notes and examples as JSON."""
    entries: list[Mapping[str, Any]] = [
        {"name": attack.name, "promise": attack.promise, **asdict(finding), "seconds": round(seconds, 1)}
        for attack, finding, seconds in outcomes
    ]
    return json.dumps(entries, indent=2) + "\n"
