"""What a verification found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from app.verification.result import ResultOrFailure, Value, fail_alike, is_refusal, is_timeout

LONGEST = 300
"""How many characters of an result are shown."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The API and SQL do not agree. ``kind``: what is compared, of ``subject``. ``question``: what the API is asked."""

    kind: str
    subject: str
    question: str
    api: str
    sql: str


@dataclass(slots=True)
class Verification:
    """Counts by the kind of comparison: the ``equal`` ones, those that a ``limited`` service refused, and those that
    took ``too_long``, by the API or by SQL. ``left_out`` are relations, each with the reason."""

    requests: int = 0
    relations: int = 0
    values: int = 0
    equal: Counter[str] = field(default_factory=Counter)
    limited: Counter[str] = field(default_factory=Counter)
    too_long: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        return not self.differences

    def compare(
        self,
        kind: str,
        subject: str,
        question: object,
        ours: Callable[[], ResultOrFailure],
        sql: Callable[[], ResultOrFailure],
        same: Callable[[Any, Any], bool],
        first: ResultOrFailure | None = None,
    ) -> None:
        """Count one comparison. ``first`` is the result of ``ours`` if it is known. What differs is asked once more,
        since rows may have changed in between."""
        for attempt in range(2):
            found = first if first is not None and attempt == 0 else ours()
            expected = sql()
            if is_timeout(found) or is_timeout(expected):
                self.too_long[kind] += 1
                return
            if is_refusal(found):
                self.limited[kind] += 1
                return
            if _agree(found, expected, same):
                self.equal[kind] += 1
                return
        self.differences.append(Difference(kind, subject, str(question), _shown(found), _shown(expected)))

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        plain = {name: getattr(self, name) for name in ("requests", "relations", "values", "left_out")}
        counts = {name: dict(getattr(self, name)) for name in ("equal", "limited", "too_long")}
        return {**plain, **counts, "differences": [asdict(each) for each in self.differences]}

    def lines(self) -> Sequence[str]:
        """The report for a terminal."""
        kinds = sorted({*self.equal, *self.limited, *self.too_long, *(each.kind for each in self.differences)})
        different = Counter(each.kind for each in self.differences)
        lines = [f"{self.relations} relations, {self.requests} requests, {self.values} values", ""]
        lines += [f"{'compared':<28}{'equal':>8}{'different':>11}{'refused':>9}{'too slow':>10}"]
        lines += [
            f"{kind:<28}{self.equal[kind]:>8}{different[kind]:>11}{self.limited[kind]:>9}{self.too_long[kind]:>10}"
            for kind in kinds
        ]
        lines += [f"left out: {name}: {reason}" for name, reason in self.left_out]
        for each in self.differences:
            lines += ["", f"DIFFERENT {each.kind}: {each.subject}", f"  {each.question}"]
            lines += [f"  API: {each.api}", f"  SQL: {each.sql}"]
        return lines


def _agree(ours: ResultOrFailure, sql: ResultOrFailure, same: Callable[[Any, Any], bool]) -> bool:
    if isinstance(ours, Value) and isinstance(sql, Value):
        return same(ours.data, sql.data)
    return fail_alike(ours, sql)


def _shown(result: ResultOrFailure) -> str:
    text = repr(result.data) if isinstance(result, Value) else f"{result.code or result.sqlstate} {result.message}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
