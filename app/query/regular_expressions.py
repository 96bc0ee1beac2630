"""Which regular expressions a request may have: those whose cost PostgreSQL bounds by the length of the text.

PostgreSQL matches most expressions with an automaton, in time linear in the text. Three features are not: with a back
reference it backtracks, nested bounds are expanded, as many times as their product, before the automaton is built, and
what looks around is tried at each place, and if it is nested, again at each place that it looks at. An expression that
could keep a backend busy until its timeout is refused for everybody: a shorter timeout for some roles would still let
them have all connections for as long as it lasts. Measured on PostgreSQL 15: ``((a|b){1,100}c?){1,60}`` takes 240 ms on
forty characters, what is allowed a tenth of that or less.
"""

from __future__ import annotations

import re

LONGEST = 1000
"""Characters: PostgreSQL takes many seconds to compile an expression of a hundred thousand (measured)."""

MOST_COPIES = 1000
"""How often a part may be written out by the bounds around it, multiplied."""

_BOUND = re.compile(r"\\?\{\s*(\d*)\s*(?:,\s*(\d*)\s*)?\\?\}")
_OPTIONS = re.compile(r"\(\?([a-z]*)\)")
_HARMLESS_OPTIONS = frozenset("cimnpstw")
_LOOKS_AROUND = re.compile(r"\(\?<?[=!]")


def refusal(pattern: str) -> str | None:
    """The reason why an expression is refused; None if it is accepted.

    It follows the syntax in PostgreSQL's manual, section "Regular Expression Details", where that matters here, and
    takes no director (``***``), no option that changes the syntax, and no comment, which may have what looks like it.
    """
    if len(pattern) > LONGEST:
        return f"A regular expression has at most {LONGEST} characters"
    options = _OPTIONS.match(pattern)
    if pattern.startswith("***") or (options and not _HARMLESS_OPTIONS.issuperset(options[1])):
        return "A regular expression cannot choose another syntax"
    return _Reader(pattern).refusal()


class _Reader:
    """Reads an expression once, from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._place = 0
        # Of each group that is open: by how much its parts are multiplied at most.
        self._open = [1]
        # How many groups were open outside of the one that looks around.
        self._looking: int | None = None
        self._last = 1

    def refusal(self) -> str | None:
        pattern = self._pattern
        while self._place < len(pattern):
            character = pattern[self._place]
            bound = _BOUND.match(pattern, self._place)
            if bound:
                self._multiply(max(int(each or 1) for each in bound.groups(default="1")))
                self._place = bound.end()
            elif character == "\\":
                if pattern[self._place + 1 : self._place + 2].isdigit():
                    return "A regular expression cannot have back references"
                self._place += self._length_of_escape(self._place)
                self._last = 1
            elif pattern.startswith("(?#", self._place):
                return "A regular expression cannot have comments"
            elif _LOOKS_AROUND.match(pattern, self._place) and self._looking is not None:
                return "A regular expression cannot look around within what looks around"
            elif character == "[":
                self._place = self._end_of_bracket()
                self._last = 1
            else:
                self._step(character)
                self._place += 1
            if max(self._last, self._open[-1]) > MOST_COPIES:
                return f"The bounds of a regular expression cannot multiply to more than {MOST_COPIES}"
        return None

    def _step(self, character: str) -> None:
        if character == "(":
            if _LOOKS_AROUND.match(self._pattern, self._place):
                self._looking = len(self._open)
            self._open.append(1)
            self._last = 1
        elif character == ")" and len(self._open) > 1:
            self._last = self._open.pop()
            if self._looking == len(self._open):
                self._looking = None
            self._open[-1] = max(self._open[-1], self._last)
        elif character not in "*+?":
            self._last = 1

    def _multiply(self, times: int) -> None:
        self._last *= times
        self._open[-1] = max(self._open[-1], self._last)

    def _length_of_escape(self, place: int) -> int:
        """A control character is named by one more, whatever that is elsewhere."""
        return 3 if self._pattern.startswith("\\c", place) else 2

    def _end_of_bracket(self) -> int:
        place = self._place + 1
        pattern = self._pattern
        place += pattern[place : place + 1] == "^"
        place += pattern[place : place + 1] == "]"
        while place < len(pattern) and pattern[place] != "]":
            if pattern[place] == "\\":
                place += self._length_of_escape(place)
            elif pattern[place] == "[" and pattern[place + 1 : place + 2] in (":", ".", "="):
                end = pattern.find(pattern[place + 1] + "]", place + 2)
                place = len(pattern) if end < 0 else end + 2
            else:
                place += 1
        return place + 1
