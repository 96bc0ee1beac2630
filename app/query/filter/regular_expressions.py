"""Refuses regular expressions whose cost in PostgreSQL is not bounded by the length of the text.

PostgreSQL matches most expressions with an automaton, in time linear in the text. Four features cost more:

* A back reference makes it backtrack.
* Bounds such as ``{1,60}`` are expanded before the automaton is built.
* The automaton has a step from each character to all characters that may follow it. These are many if parts can match
  nothing or are repeated together.
* A lookaround is tried at each position; a nested one again at each position that the outer one reaches.

An expression that could keep a backend busy until its timeout is refused for all roles: with a shorter timeout a role
could still occupy all connections until that passes. Measured on PostgreSQL 15: ``((a|b){1,100}c?){1,60}`` takes 240 ms
on forty characters, ``(?:[^a]?[^b]?){0,255}c`` 4 s on two characters, 150 parts like ``[^a]?`` and ``[^b]?`` more than
15 s, ``(x?y?z?){100}`` 0.8 s, and ``(?=.*x)`` 13 s on a hundred thousand characters. An allowed expression takes 0.05 s
or less.
"""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, replace

MAX_PATTERN_LENGTH = 1000
"""The longest expression, in characters. PostgreSQL takes many seconds to compile one of a hundred thousand (measured).
"""

MOST_PARTS = 1000
"""The most parts, such as characters, that an expression may have after its bounds are expanded."""

MOST_STEPS = 100_000
"""The most steps that its automaton may have: one from each character to each that may follow it, for each kind of
character there. PostgreSQL takes up to half a second to build this number."""

MOST_OPTIONAL = 200
"""The most consecutive parts that can match nothing. PostgreSQL takes 40 ms to find out what can follow each of this
number, and a second for three times as many."""

MOST_BOUNDARIES = 10
"""The most word boundaries at one position. PostgreSQL takes half a second to refuse twenty."""

MOST_LOOKING_AROUND = 10
"""The most lookarounds that an expression may have after its bounds are expanded."""

# A brace that is not followed by digits is an ordinary character.
_BOUND = re.compile(r"\{(\d++)(?:,(\d*+))?\}\??", re.ASCII)
_REPEATED = re.compile(r"([*?]|\+)\??")
_OPTIONS = re.compile(r"\(\?([a-z]*)\)")
_HARMLESS_OPTIONS = frozenset("cimnpstw")
# Escapes that match a position between characters
_PLACES = frozenset("AmMyYZ")
_PLACES_IN_BRACKETS = ("[[:<:]]", "[[:>:]]")
_CLASSES = frozenset("dDsSwW")
# The beginning of a group; the captured part marks a lookaround.
_OPENING = re.compile(r"\((?:\?(?::|(<?[=!])))?")


def refusal(pattern: str) -> str | None:
    """The reason why an expression is refused; None if it is accepted.

    It parses the parts of the syntax that matter here, as described in PostgreSQL's manual, section "Regular Expression
    Details". It refuses a director (``***``) and options that change the syntax, and comments, whose text could be
    mistaken for syntax.
    """
    if len(pattern) > MAX_PATTERN_LENGTH:
        return f"A regular expression has at most {MAX_PATTERN_LENGTH} characters"
    options = _OPTIONS.match(pattern)
    if pattern.startswith("***") or (options and not _HARMLESS_OPTIONS.issuperset(options[1])):
        return "A regular expression cannot select another syntax by *** or an option"
    begin = options.end() if options else 0
    # An expression that is tried only at the beginning of the text may have endless lookarounds.
    is_first = pattern.startswith("^", begin)
    is_once = is_first and not (options and not _MANY_BEGINNINGS.isdisjoint(options[1]))
    return _Reader(pattern, begin + is_first, is_at_once=is_once).refusal()


@dataclass(frozen=True, slots=True)
class _Run:
    """The number of consecutive items of a kind in a part of an expression, with no character between them: ``before``
    its first character, ``behind`` its last one, and ``longest`` anywhere."""

    before: int = 0
    behind: int = 0
    longest: int = 0

    def then(self, other: _Run, *, is_optional: bool, is_other_optional: bool) -> _Run:
        return _Run(
            self.before + other.before * is_optional,
            other.behind + self.behind * is_other_optional,
            max(self.longest, other.longest, self.behind + other.before),
        )

    def alternatively(self, other: _Run) -> _Run:
        return _Run(*map(max, zip(astuple(self), astuple(other), strict=True)))

    def repeated(self, times: int, *, is_optional: bool) -> _Run:
        if is_optional:
            return _Run(*(times * each for each in astuple(self)))
        return replace(self, longest=max(self.longest, self.behind + self.before))


_ONE = _Run(1, 1, 1)


@dataclass(frozen=True, slots=True)
class _Part:
    """The measures of a part of an expression, with its bounds expanded.

    ``size``: the number of parts in it. ``first``: the number of steps that lead into it. ``last``: the number of
    characters that it may end with. ``steps``: the number of steps inside it. ``looking_around``: the number of
    lookarounds. ``empty``: runs of parts that can match nothing. ``boundaries``: runs of word boundaries.
    ``is_optional``: it can match nothing.
    """

    size: int = 0
    first: int = 0
    last: int = 0
    steps: int = 0
    looking_around: int = 0
    empty: _Run = _Run()
    boundaries: _Run = _Run()
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
        """The part repeated ``times`` times. PostgreSQL expands ``x{1,3}`` to ``((x|)x|)x``, so steps lead into each
        ``x``, and out of the last one; if ``x`` can match nothing, out of each one."""
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

    def _empty(self, *, is_endless: bool, is_optional: bool) -> _Run:
        if self.empty == _Run():
            return _ONE if is_optional or self.is_optional else self.empty
        # PostgreSQL 13 takes as long for one endless repetition of another as for three parts.
        return _Run(*(each + 2 for each in astuple(self.empty))) if is_endless else self.empty


_NOTHING = _Part()
_BOUNDARIES = frozenset("mMyY")
_MANY_BEGINNINGS = frozenset("mnw")
"""Options with which ``^`` matches at the beginning of each line."""


class _Group:
    """The part of a group that was read so far: its alternatives, the last of which is being read."""

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
    """The expression is refused; the exception's text is the reason."""


class _Reader:
    """Reads an expression once, from left to right. ``is_at_once``: it is tried only at the beginning of the text."""

    def __init__(self, pattern: str, place: int, *, is_at_once: bool) -> None:
        self._is_at_once = is_at_once
        self._pattern = pattern
        self._place = place
        self._open = [_Group()]
        # The last part, which was not added to its group yet, because a bound may follow.
        self._last: _Part | None = None
        # PostgreSQL groups the characters that no part of the expression distinguishes into one colour.
        self._colours = len(set(pattern))
        # For a position between characters PostgreSQL considers each colour before it and each one behind it.
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
            return f"A regular expression cannot have more than {MOST_PARTS} parts after its bounds are expanded"
        if whole.steps > MOST_STEPS:
            return "The regular expression has too many parts that may be left out or repeated"
        if whole.empty.longest > MOST_OPTIONAL:
            return f"A regular expression cannot have more than {MOST_OPTIONAL} parts in a row that may match nothing"
        if whole.boundaries.longest > MOST_BOUNDARIES:
            return f"A regular expression cannot have more than {MOST_BOUNDARIES} word boundaries at one position"
        if whole.looking_around > MOST_LOOKING_AROUND:
            return f"A regular expression cannot have more than {MOST_LOOKING_AROUND} lookarounds"
        return None

    def _read(self) -> int:
        """Read the next part, or the repetition of the last one. Returns the place behind it."""
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
            raise _Refused("A regular expression cannot have nested lookarounds")
        self._put(None)
        self._open.append(_Group(looks_around=looks_around))

    def _end_group(self) -> None:
        self._put(None)
        self._last = self._open.pop().as_part()

    def _put(self, part: _Part | None) -> None:
        """Add the last part to its group, since no bound can follow it any more, and remember ``part`` as the last
        one."""
        if self._last is not None:
            self._open[-1].add(self._last)
        self._last = part

    def _repeat(self, times: int, *, is_endless: bool, is_optional: bool) -> None:
        if is_endless and any(each.looks_around for each in self._open):
            if not self._is_at_once:
                raise _Refused(
                    "A regular expression may have *, + or {n,} in a lookaround only behind ^ at its beginning"
                )
        elif is_endless:
            self._is_at_once = False
        self._last = (self._last or _NOTHING).repeated(times, is_endless=is_endless, is_optional=is_optional)

    def _place_of(self, escaped: str) -> _Part:
        return self._boundary if escaped in _BOUNDARIES else self._place_between

    def _one(self, is_class: bool) -> _Part:
        """The measures of one character, or with ``is_class`` of a class of characters."""
        return _Part(1, self._colours if is_class else 1, 1, is_optional=False)

    def _length_of_escape(self, place: int) -> int:
        """The length of an escape: ``\\c`` includes the next character, even if that has a meaning elsewhere."""
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
