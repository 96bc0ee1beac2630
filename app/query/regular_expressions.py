"""Which regular expressions a request may have: those whose cost PostgreSQL bounds by the length of the text.

PostgreSQL matches most expressions with an automaton, in time linear in the text. Four features are not: with a back
reference it backtracks, bounds are written out before the automaton is built, for which it takes cubic time where what
is repeated can match nothing, and what looks around is tried at each place, and if it is nested, again at each place
that it looks at. An expression that could keep a backend busy until its timeout is refused for everybody: a shorter
timeout for some roles would still let them have all connections for as long as it lasts. Measured on PostgreSQL 15:
``((a|b){1,100}c?){1,60}`` takes 240 ms on forty characters and ``(?:[^a]?[^b]?){0,255}c`` four seconds on two, what is
allowed a tenth of a second or less.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 1000
"""Characters: PostgreSQL takes many seconds to compile an expression of a hundred thousand (measured)."""

MOST_PARTS = 1000
"""Of how many parts, such as characters, an expression may consist when its bounds are written out."""

MOST_PARTS_OF_NOTHING = 100
"""The same for what a bound repeats if that can match nothing."""

_BOUND = re.compile(r"\\?\{\s*+(\d*+)\s*+(?:,\s*+(\d*+)\s*+)?\\?\}\??")
_REPEATED = re.compile(r"([*?]|\+)\??")
_OPTIONS = re.compile(r"\(\?([a-z]*)\)")
_HARMLESS_OPTIONS = frozenset("cimnpstw")
# Escapes that match a place between characters
_PLACES = frozenset("AmMyYZ")
# What begins a group; what is captured lets it look around.
_OPENING = re.compile(r"\((?:\?(?::|(<?[=!])))?")


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
    return _Reader(pattern, options.end() if options else 0).refusal()


@dataclass(frozen=True, slots=True)
class _Part:
    """What a bound may follow: of how many parts it consists, and whether it can match nothing."""

    size: int
    is_optional: bool


_CHARACTER, _PLACE = _Part(1, is_optional=False), _Part(1, is_optional=True)


class _Group:
    """What was read of a group so far, its alternatives included."""

    def __init__(self, *, looks_around: bool = False) -> None:
        self.looks_around = looks_around
        self._size = 0
        # Whether the alternative that is being read can match nothing, and whether one before it can.
        self._is_optional, self._has_optional = True, False

    def add(self, part: _Part) -> None:
        self._size += part.size
        self._is_optional &= part.is_optional

    def begin_alternative(self) -> None:
        self._has_optional |= self._is_optional
        self._is_optional = True

    def as_part(self) -> _Part:
        return _Part(self._size, is_optional=self._is_optional or self._has_optional or self.looks_around)


class _Refused(Exception):
    """Its text is the reason."""


class _Reader:
    """Reads an expression once, from left to right."""

    def __init__(self, pattern: str, place: int) -> None:
        self._pattern = pattern
        self._place = place
        self._open = [_Group()]
        # What a bound would apply to, which its group has not yet.
        self._last: _Part | None = None

    def refusal(self) -> str | None:
        try:
            while self._place < len(self._pattern):
                self._place = self._read()
            while len(self._open) > 1:
                self._end_group()
            self._put(None)
        except _Refused as ex:
            return str(ex)
        if self._open[0].as_part().size > MOST_PARTS:
            return f"The bounds of a regular expression cannot multiply to more than {MOST_PARTS}"
        return None

    def _read(self) -> int:
        """Read the next part, or what is said of the last one; the place behind it."""
        pattern, place = self._pattern, self._place
        if bound := _BOUND.match(pattern, place):
            least, most = (int(each or 1) for each in bound.groups(default="1"))
            self._repeat(max(least, most), is_optional=least == 0 or bound[1] == "")
            return bound.end()
        if repeated := _REPEATED.match(pattern, place):
            self._repeat(1, is_optional=repeated[1] != "+")
            return repeated.end()
        character = pattern[place]
        if character == "\\":
            escaped = pattern[place + 1 : place + 2]
            if escaped.isdigit():
                raise _Refused("A regular expression cannot have back references")
            self._put(_PLACE if escaped in _PLACES else _CHARACTER)
            return place + self._length_of_escape(place)
        if character == "[":
            self._put(_CHARACTER)
            return self._end_of_bracket()
        if opening := _OPENING.match(pattern, place):
            self._begin_group(looks_around=opening[1] is not None)
            return opening.end()
        self._step(character)
        return place + 1

    def _step(self, character: str) -> None:
        if character == ")" and len(self._open) > 1:
            self._end_group()
        elif character == "|":
            self._put(None)
            self._open[-1].begin_alternative()
        else:
            self._put(_PLACE if character in "^$" else _CHARACTER)

    def _begin_group(self, *, looks_around: bool) -> None:
        if self._pattern.startswith("(?#", self._place):
            raise _Refused("A regular expression cannot have comments")
        if looks_around and any(each.looks_around for each in self._open):
            raise _Refused("A regular expression cannot look around within what looks around")
        self._put(None)
        self._open.append(_Group(looks_around=looks_around))

    def _end_group(self) -> None:
        self._put(None)
        self._last = self._open.pop().as_part()

    def _put(self, part: _Part | None) -> None:
        """Begin a part, or nothing; the one before it has no more bounds."""
        if self._last is not None:
            self._open[-1].add(self._last)
        self._last = part

    def _repeat(self, times: int, *, is_optional: bool) -> None:
        last = self._last or _CHARACTER
        size = last.size * times
        if last.is_optional and times > 1 and size > MOST_PARTS_OF_NOTHING:
            raise _Refused("A regular expression cannot repeat so often what can match nothing")
        self._last = _Part(size, is_optional=last.is_optional or is_optional)

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
