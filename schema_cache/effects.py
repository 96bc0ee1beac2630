"""Effects: finds the functions and relations that may do more than read when a query calls or reads them.

PostgreSQL does not record what a function does. A function is assumed to have no effect only if this is certain:

* It is stable or immutable. A volatile function may write.
* It is written in C, or it is written in SQL or PL/pgSQL and calls no function that may have an effect. A stable
  function runs no command that writes, but it may call a function that does. It must not run SQL that it puts together
  (EXECUTE) or is given, as some C functions of extensions do. The calls of a body are found by its words: the name of
  each function that it calls is one of them.

A relation may have an effect if its view's query or one of its policies for reading calls a function that may, or if it
is a foreign table, about which nothing is known. Its constraints, indexes and partitions count too: the planner
evaluates immutable functions in them, even one that is declared immutable and has effects. If an operator, a cast, a
type or a domain's check may have an effect, every query may, since queries call these without naming them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

_WORD = re.compile(r"[^\W\d][\w$]*")
_LONGEST_NAME = 63
"""In bytes: PostgreSQL truncates longer names."""

_READABLE = ("sql", "plpgsql")
_TRUSTED = ("c", "internal")
_ESCAPED_NAME = 'u&"'

_FOREIGN_TABLE = "f"

FUNCTION, RELATION = "f", "r"
_TYPES = "t"


class Code(NamedTuple):
    """A function or a relation."""

    kind: str
    oid: int


ANYTHING = Code(_TYPES, 0)
"""Stands for the code that every query may call: operators, casts, types and the checks of domains."""


class Effect(NamedTuple):
    """Why code may have an effect: because it calls the code ``by``, or for ``reason`` if ``by`` is None."""

    by: Code | None
    reason: str


@dataclass(frozen=True)
class Effects:
    """``found``: the code that may have an effect, and why. ``names``: the names of this code."""

    found: Mapping[Code, Effect] = field(default_factory=dict)
    names: Mapping[Code, str] = field(default_factory=dict)

    def may_follow(self, oids: Iterable[int]) -> bool:
        """Whether a query that names the functions and relations with these oids may do more than read."""
        if not self.found:
            return False
        return ANYTHING in self.found or any(Code(k, oid) in self.found for oid in oids for k in (FUNCTION, RELATION))

    def explain(self, code: Code) -> str:
        """Why ``code``, which is in ``found``, may have an effect: the chain of calls to the code with the reason."""
        way: list[str] = []
        effect = self.found[code]
        while effect.by is not None:
            way.append(self.names.get(effect.by, "a type"))
            effect = self.found[effect.by]
        called = f"calls {', which calls '.join(way)}, which " if way else ""
        return f"it {called}{effect.reason}"


def read_effects(payload: Mapping[str, Any] | None, relations: Mapping[int, tuple[str, str]]) -> Effects:
    """The effects that follow from the result of ``EFFECTS_QUERY``. ``relations``: names and kinds by oid."""
    if payload is None:
        return Effects()
    functions = [_Function(*row) for row in payload["functions"] or ()]
    callers = _Callers(payload, functions)
    acting = frozenset(payload["acting"])
    found = {Code(kind, oid): Effect(None, f"calls {name}()") for kind, oid, name in payload["acts"] or ()}
    for oid, (_, kind) in relations.items():
        if kind == _FOREIGN_TABLE:
            found[Code(RELATION, oid)] = Effect(None, "is a foreign table")
    for each in functions:
        reason = _own_effect(each, acting)
        if reason is not None:
            found[Code(FUNCTION, each.oid)] = Effect(None, reason)
    names = {Code(RELATION, oid): name for oid, (name, _) in relations.items()}
    names |= {Code(FUNCTION, each.oid): each.name for each in functions}
    waiting = list(found)
    while waiting:
        called = waiting.pop()
        for caller in callers.of(called, names.get(called)):
            if caller not in found:
                found[caller] = Effect(called, "")
                waiting.append(caller)
    return Effects(found, {code: names[code] for code in found if code in names})


class _Function(NamedTuple):
    """``body``: the source, if the function's calls are found in it, or if it is in C and runs SQL that it is given;
    otherwise None."""

    oid: int
    schema: str
    name: str
    volatility: str
    kind: str
    language: str
    body: str | None

    @property
    def words(self) -> frozenset[str]:
        return frozenset(map(_folded, _WORD.findall(self.body or "")))


def _folded(name: str) -> str:
    return name.encode()[:_LONGEST_NAME].decode(errors="ignore").lower()


def _own_effect(function: _Function, acting: frozenset[str]) -> str | None:
    """Why a function may have an effect, regardless of users' functions that it calls; None if there is no reason."""
    if function.kind == "p":
        return "is a procedure"
    if function.volatility == "v":
        return "is volatile"
    if function.language in _TRUSTED:
        return None if function.body is None else "runs SQL that it is given"
    if function.body is None and function.language not in _READABLE:
        return f"is written in {function.language}"
    words = function.words
    if "execute" in words or _ESCAPED_NAME in (function.body or "").lower():
        return "runs SQL that it puts together"
    return next((f"calls {name}()" for name in sorted(words & acting)), None)


class _Callers:
    """The callers of functions, and the readers of relations."""

    def __init__(self, payload: Mapping[str, Any], functions: Sequence[_Function]) -> None:
        self._known: dict[Code, set[Code]] = defaultdict(set)
        for kind, oid, called_kind, called in payload["calls"] or ():
            self._known[Code(called_kind, called)].add(Code(kind, oid))
        for oid in payload["of_types"] or ():
            self._known[Code(FUNCTION, oid)].add(ANYTHING)
        self._bodies = {Code(FUNCTION, each.oid): each.body.lower() for each in functions if each.body}
        self._mentioning: dict[str, set[Code]] = defaultdict(set)
        for each in functions:
            for word in each.words:
                self._mentioning[word].add(Code(FUNCTION, each.oid))

    def of(self, called: Code, name: str | None) -> Iterator[Code]:
        """The code that calls or reads ``called``, or has its ``name`` in its body."""
        yield from self._known.get(called, ())
        if name is None:
            return
        folded = _folded(name)
        if _WORD.fullmatch(folded):
            yield from self._mentioning.get(folded, ())
        else:
            quoted = folded.replace('"', '""')
            yield from (code for code, body in self._bodies.items() if quoted in body)
