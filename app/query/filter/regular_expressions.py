"""Which regular expressions a request may have: those whose cost PostgreSQL bounds by the length of the text.

PostgreSQL matches most expressions with an automaton, in time linear in the text. Four features are not: with a back
reference it backtracks, bounds are written out before the automaton is built, the automaton has a step from each
character to all that may follow it, which are many where parts can match nothing or are repeated together, and what
looks around is tried at each place, and if it is nested, again at each place that it looks at. An expression that could
keep a backend busy until its timeout is refused for everybody: a shorter timeout for some roles would still let them
have all connections for as long as it lasts. Measured on PostgreSQL 15: ``((a|b){1,100}c?){1,60}`` takes 240 ms on
forty characters, ``(?:[^a]?[^b]?){0,255}c`` four seconds on two, 150 parts like ``[^a]?`` and ``[^b]?`` more than
fifteen, ``(x?y?z?){100}`` 0.8, and ``(?=.*x)`` 13 on a hundred thousand characters; what is allowed takes 0.05 or less.
"""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, replace

LONGEST = 1000
"""Characters: PostgreSQL takes many seconds to compile an expression of a hundred thousand (measured)."""

MOST_PARTS = 1000
"""Of how many parts, such as characters, an expression may consist when its bounds are written out."""

MOST_STEPS = 100_000
"""How many steps its automaton may have: from each character to each that may follow it, one for each kind of character
that it stands for. PostgreSQL takes up to half a second to make so many."""

MOST_OPTIONAL = 200
"""How many parts that can match nothing may stand one behind the other: PostgreSQL takes 40 ms to find what can follow
each of that number, and a second for three times as many."""

MOST_BOUNDARIES = 10
"""How many boundaries of words may meet at one place. PostgreSQL takes half a second to refuse twenty."""

MOST_LOOKING_AROUND = 10
"""How many parts that look around it may have when its bounds are written out."""

# A brace without digits behind it is a character.
_BOUND = re.compile(r"\{(\d++)(?:,(\d*+))?\}\??", re.ASCII)
_REPEATED = re.compile(r"([*?]|\+)\??")
_OPTIONS = re.compile(r"\(\?([a-z]*)\)")
_HARMLESS_OPTIONS = frozenset("cimnpstw")
# Escapes that match a place between characters
_PLACES = frozenset("AmMyYZ")
_PLACES_IN_BRACKETS = ("[[:<:]]", "[[:>:]]")
_CLASSES = frozenset("dDsSwW")
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
    begin = options.end() if options else 0
    # What is only tried at the beginning costs nothing more.
    is_first = pattern.startswith("^", begin)
    is_once = is_first and not (options and not _MANY_BEGINNINGS.isdisjoint(options[1]))
    return _Reader(pattern, begin + is_first, is_at_once=is_once).refusal()


@dataclass(frozen=True, slots=True)
class _Row:
    """How many things of a kind a part of an expression can have in a row, with no character between them: ``before``
    its first character, ``behind`` its last one, and ``longest`` anywhere."""

    before: int = 0
    behind: int = 0
    longest: int = 0

    def then(self, other: _Row, *, is_optional: bool, is_other_optional: bool) -> _Row:
        return _Row(
            self.before + other.before * is_optional,
            other.behind + self.behind * is_other_optional,
            max(self.longest, other.longest, self.behind + other.before),
        )

    def alternatively(self, other: _Row) -> _Row:
        return _Row(*map(max, zip(astuple(self), astuple(other), strict=True)))

    def repeated(self, times: int, *, is_optional: bool) -> _Row:
        if is_optional:
            return _Row(*(times * each for each in astuple(self)))
        return replace(self, longest=max(self.longest, self.behind + self.before))


_ONE = _Row(1, 1, 1)


@dataclass(frozen=True, slots=True)
class _Part:
    """What is known of a part of an expression, its bounds written out: of how many parts it consists, how many steps
    lead into it and how many characters out of it, how many steps are within it, how many parts of it look around, how
    many in a row can match nothing or are boundaries of words, and whether it can match nothing."""

    size: int = 0
    first: int = 0
    last: int = 0
    steps: int = 0
    looking_around: int = 0
    empty: _Row = _Row()
    boundaries: _Row = _Row()
    is_optional: bool = True

    def then(self, other: _Part) -> _Part:
        which = {"is_optional": self.is_optional, "is_other_optional": other.is_optional}
        return _Part(
            self.size + other.size,
            self.first + other.first * self.is_optional,
            other.last + self.last * other.is_optional,
            self.steps + other.steps + self.last * other.first,
            self.looking_around + other.looking_around,
            self.empty.then(other.empty, **which),
            self.boundaries.then(other.boundaries, **which),
            is_optional=self.is_optional and other.is_optional,
        )

    def alternatively(self, other: _Part) -> _Part:
        return _Part(
            self.size + other.size,
            self.first + other.first,
            self.last + other.last,
            self.steps + other.steps,
            self.looking_around + other.looking_around,
            self.empty.alternatively(other.empty),
            self.boundaries.alternatively(other.boundaries),
            is_optional=self.is_optional or other.is_optional,
        )

    def repeated(self, times: int, *, is_endless: bool, is_optional: bool) -> _Part:
        """PostgreSQL writes ``x{1,3}`` as ``((x|)x|)x``, so that steps lead into each ``x``, and out of the last one;
        out of each where ``x`` can match nothing."""
        pairs = times * (times - 1) // 2 if self.is_optional else times - 1
        return _Part(
            self.size * times,
            self.first * times,
            self.last * (times if self.is_optional else 1),
            self.steps * times + self.last * self.first * (pairs + is_endless),
            self.looking_around * times,
            self._empty(is_endless=is_endless, is_optional=is_optional).repeated(times, is_optional=self.is_optional),
            self.boundaries.repeated(times, is_optional=self.is_optional),
            is_optional=self.is_optional or is_optional,
        )

    def _empty(self, *, is_endless: bool, is_optional: bool) -> _Row:
        if self.empty == _Row():
            return _ONE if is_optional or self.is_optional else self.empty
        # PostgreSQL 13 takes as long for one endless repetition of another as for three parts.
        return _Row(*(each + 2 for each in astuple(self.empty))) if is_endless else self.empty


_NOTHING = _Part()
_BOUNDARIES = frozenset("mMyY")
_MANY_BEGINNINGS = frozenset("mnw")
"""Options with which ``^`` holds at each line."""


class _Group:
    """What was read of a group so far: its alternatives, of which the last one is being read."""

    def __init__(self, *, looks_around: bool = False) -> None:
        self.looks_around = looks_around
        self._before: _Part | None = None
        self._alternative = _NOTHING

    def add(self, part: _Part) -> None:
        self._alternative = self._alternative.then(part)

    def begin_alternative(self) -> None:
        self._before, self._alternative = self._alternatives(), _NOTHING

    def as_part(self) -> _Part:
        whole = self._alternatives()
        if not self.looks_around:
            return whole
        return replace(whole, looking_around=whole.looking_around + 1, is_optional=True)

    def _alternatives(self) -> _Part:
        return self._alternative if self._before is None else self._before.alternatively(self._alternative)


class _Refused(Exception):
    """Its text is the reason."""


class _Reader:
    """Reads an expression once, from left to right. ``is_at_once``: its beginning is tried at one place only."""

    def __init__(self, pattern: str, place: int, *, is_at_once: bool) -> None:
        self._is_at_once = is_at_once
        self._pattern = pattern
        self._place = place
        self._open = [_Group()]
        # What a bound would apply to, which its group has not yet.
        self._last: _Part | None = None
        # PostgreSQL has a colour for the characters between which no part of the expression makes a difference.
        self._colours = len(set(pattern))
        # What may come before it is worked out for each character, and what may come behind it.
        self._place_between = _Part(1, self._colours, self._colours)
        self._boundary = replace(self._place_between, boundaries=_ONE)

    def refusal(self) -> str | None:
        try:
            while self._place < len(self._pattern):
                self._place = self._read()
            while len(self._open) > 1:
                self._end_group()
            self._put(None)
        except _Refused as ex:
            return str(ex)
        whole = self._open[0].as_part()
        if whole.size > MOST_PARTS:
            return f"The bounds of a regular expression cannot multiply to more than {MOST_PARTS}"
        if whole.steps > MOST_STEPS:
            return "A regular expression cannot have so many parts that may be left out or repeated"
        if whole.empty.longest > MOST_OPTIONAL:
            return f"A regular expression cannot have more than {MOST_OPTIONAL} parts in a row that may match nothing"
        if whole.boundaries.longest > MOST_BOUNDARIES:
            return f"A regular expression cannot have more than {MOST_BOUNDARIES} boundaries of words at one place"
        if whole.looking_around > MOST_LOOKING_AROUND:
            return f"A regular expression cannot look around more than {MOST_LOOKING_AROUND} times"
        return None

    def _read(self) -> int:
        """Read the next part, or what is said of the last one; the place behind it."""
        pattern, place = self._pattern, self._place
        if bound := _BOUND.match(pattern, place):
            least, most = int(bound[1]), int(bound[2] or 1)
            self._repeat(max(least, most), is_endless=bound[2] == "", is_optional=least == 0)
            return bound.end()
        if repeated := _REPEATED.match(pattern, place):
            self._repeat(1, is_endless=repeated[1] != "?", is_optional=repeated[1] != "+")
            return repeated.end()
        character = pattern[place]
        if character == "\\":
            escaped = pattern[place + 1 : place + 2]
            if escaped.isdigit():
                raise _Refused("A regular expression cannot have back references")
            self._put(self._place_of(escaped) if escaped in _PLACES else self._one(escaped in _CLASSES))
            return place + self._length_of_escape(place)
        if character == "[":
            end = self._end_of_bracket()
            is_place = pattern[place:end] in _PLACES_IN_BRACKETS
            self._put(self._boundary if is_place else self._one(is_class=True))
            return end
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
            self._is_at_once &= len(self._open) > 1
            self._open[-1].begin_alternative()
        else:
            self._put(self._place_between if character in "^$" else self._one(character == "."))

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

    def _repeat(self, times: int, *, is_endless: bool, is_optional: bool) -> None:
        if is_endless and any(each.looks_around for each in self._open):
            if not self._is_at_once:
                raise _Refused("A regular expression can look around without an end only behind ^ at its beginning")
        elif is_endless:
            self._is_at_once = False
        self._last = (self._last or _NOTHING).repeated(times, is_endless=is_endless, is_optional=is_optional)

    def _place_of(self, escaped: str) -> _Part:
        return self._boundary if escaped in _BOUNDARIES else self._place_between

    def _one(self, is_class: bool) -> _Part:
        """One character; ``is_class``: of several."""
        return _Part(1, self._colours if is_class else 1, 1, is_optional=False)

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
