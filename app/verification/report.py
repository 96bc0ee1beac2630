"""The report of a verification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from app.verification.result import ResultOrFailure, Value, is_refusal, is_timeout, same_failure

MAX_RESULT_LENGTH = 300
"""How many characters of a result are shown."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between the API and SQL. ``kind``: the kind of comparison. ``subject``: the relation, and the column
    or condition. ``question``: the root field of the request. ``api`` and ``sql``: the two results."""

    kind: str
    subject: str
    question: str
    api: str
    sql: str


@dataclass(slots=True)
class Verification:
    """The counts are by the kind of comparison. ``equal``: comparisons with equal results. ``limited``: a limit of the
    service refused the request. ``too_long``: the API or SQL timed out. ``left_out``: relations that were not compared,
    each with the reason."""

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
        api: Callable[[], ResultOrFailure],
        sql: Callable[[], ResultOrFailure],
        same: Callable[[Any, Any], bool],
        first: ResultOrFailure | None = None,
    ) -> None:
        """Count one comparison. ``api`` and ``sql`` fetch the results, ``same`` compares their data. ``first``: the
        result of ``api`` if it is already there. If the results differ, both are fetched once more, since rows may
        have changed in between."""
        for attempt in range(2):
            found = first if first is not None and attempt == 0 else api()
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


def _agree(api: ResultOrFailure, sql: ResultOrFailure, same: Callable[[Any, Any], bool]) -> bool:
    if isinstance(api, Value) and isinstance(sql, Value):
        return same(api.data, sql.data)
    return same_failure(api, sql)


def _shown(result: ResultOrFailure) -> str:
    text = repr(result.data) if isinstance(result, Value) else f"{result.code or result.sqlstate} {result.message}"
    return text if len(text) <= MAX_RESULT_LENGTH else f"{text[:MAX_RESULT_LENGTH]}..."
