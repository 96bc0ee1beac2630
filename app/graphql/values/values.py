"""The values of one request, and the part of them that its SQL depends on.

A plan is made once for many requests that differ in scalar values only. While it is made, every value is read in
one of two ways: *bound*, so that it becomes a parameter and may differ next time, or *steering*, so that the SQL
depends on it. The paths of steering values are remembered; the shape of the variables keeps presence, null,
list, keys and the values at those paths, and drops every other scalar. Requests of equal shape share a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.errors import RequestError

Path = tuple[str | int, ...]
"""The path of a value in the variables: a variable's name, then keys and list positions."""

ANY_ITEM = -1
"""In a path: every item of a list. In that of a source one key follows, which an item may lack."""


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Any = _Absent()
"""A value that was not given at all, as opposed to null."""

Derive = Callable[[Any], Hashable]
"""The part of a value that steers the SQL: a function from the JSON value to something hashable. Raises RequestError
for a value that is not valid."""


BYTES_OF_PATH = 400
"""The memory that a steering path takes; measured."""


@dataclass(slots=True)
class Steering:
    """The paths that steer a document's plans, as a tree. It only grows, and growing twice the same way is harmless,
    so threads share it without a lock. One value may steer in several ways, where it is used in several places."""

    derives: dict[Derive, None] = field(default_factory=dict)
    below: dict[str | int, Steering] = field(default_factory=dict)

    def add(self, path: Path, derive: Derive) -> None:
        """Let the value at ``path`` steer by ``derive(value)``."""
        node = self
        for step in path:
            node = node.below.setdefault(ANY_ITEM if isinstance(step, int) else step, Steering())
        node.derives[derive] = None

    @property
    def size(self) -> int:
        """Roughly how many bytes it takes."""
        return BYTES_OF_PATH + sum(each.size for each in tuple(self.below.values()))

    def shape(self, names: Iterable[str], variables: Mapping[str, Any]) -> Hashable:
        """The shape of the variables ``names``: equal for requests that may share a plan."""
        return tuple(_shape(variables[name], self.below.get(name)) if name in variables else ABSENT for name in names)


_REFUSED = "refused"
_SCALAR = "scalar"
_EXTREME = "extreme"
_LIST = "list"
_LIST_OF = "list of"
_PLAIN = {_SCALAR}


def _shape(value: Any, steering: Steering | None) -> Hashable:
    if value is None:
        return None
    if steering is not None and steering.derives:
        # Iterates over a copy, made in one step, since another thread may be adding to it.
        derived = tuple([_derived(derive, value) for derive in tuple(steering.derives)])
        return (derived, _structure(value, steering)) if steering.below else derived
    return _structure(value, steering)


def _derived(derive: Derive, value: Any) -> Hashable:
    try:
        return derive(value)
    except RequestError:
        # If the value is used, that is an error and no plan is kept; a plan that skips the field is kept.
        return _REFUSED


def _structure(value: Any, steering: Steering | None) -> Hashable:
    if isinstance(value, dict):
        below = steering.below if steering is not None else {}
        return tuple((key, _shape(item, below.get(key))) for key, item in value.items())
    if isinstance(value, list):
        item_steering = steering.below.get(ANY_ITEM) if steering is not None else None
        if value and item_steering is None and {dict, list}.isdisjoint(map(type, value)):
            kinds = {None if item is None else _scalar(item) for item in value}
            return _LIST if kinds == _PLAIN else (_LIST_OF, frozenset(kinds))
        return (_LIST, *(_shape(item, item_steering) for item in value))
    return _scalar(value)


def _scalar(value: Any) -> Hashable:
    """Numbers that GraphQL's own types may refuse have a shape of their own, so that the document's declarations of its
    variables need to be checked only once for each shape."""
    if isinstance(value, (int, float)) and not -(2**31) <= value < 2**31:
        return _EXTREME
    return _SCALAR


def shape_of(value: Any) -> Hashable:
    """The shape of a value none of whose scalars steer."""
    return _shape(value, None)


def size_of(shape: Hashable) -> int:
    """About how many bytes a shape takes."""
    if isinstance(shape, (tuple, frozenset)):
        return 64 + sum(8 + size_of(part) for part in shape)
    return len(shape) if isinstance(shape, str) else 0


def whole_value(value: Any) -> Hashable:
    """The derive of a value that steers by all of itself; true and 1 stay apart."""
    if isinstance(value, dict):
        return tuple((key, whole_value(item)) for key, item in value.items())
    if isinstance(value, list):
        return (_LIST, *map(whole_value, value))
    return (type(value), value)


def _any_value(value: Any) -> Hashable:
    """The derive of a value that is bound as a whole: nothing within it steers."""
    return _SCALAR


def _any_items(value: Any) -> Hashable:
    """The same of a list, but nulls in it may have to be refused."""
    return isinstance(value, list) and None in value


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables of the request being planned, defaults filled in; records what steers. ``steered`` are the names of
    those that do in this request's plan."""

    values: Mapping[str, Any]
    steering: Steering
    steered: set[str] = field(default_factory=set)

    def get(self, name: str) -> Any:
        """The value of a variable, ABSENT if neither given nor defaulted."""
        return self.values.get(name, ABSENT)

    def steer(self, path: Path, derive: Derive) -> None:
        """Let the value at ``path`` steer by ``derive(value)``."""
        self.steering.add(path, derive)
        self.steered.add(str(path[0]))


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value comes from: ``path`` into the variables, or None for a literal, whose value is ``constant``.

    ``parts`` are the sources of the items of a literal list that holds variables, or, with ``keys``, of the members of
    such an object. ``reading`` makes of the value what several parameters take their own from, once in a request.
    """

    path: Path | None
    constant: Any = None
    parts: tuple[Source, ...] | None = None
    keys: tuple[str, ...] | None = None
    reading: Callable[[Any], Any] | None = None

    def read(self, variables: Mapping[str, Any]) -> Any:
        """The JSON value in a request with these variables; ABSENT if its variable is missing."""
        if self.parts is not None:
            values = [part.read(variables) for part in self.parts]
            if self.keys is None:
                return [None if value is ABSENT else value for value in values]
            return {key: value for key, value in zip(self.keys, values, strict=True) if value is not ABSENT}
        if self.path is None:
            return self.constant
        return _at(variables.get(str(self.path[0]), ABSENT), self.path[1:])

    def names(self) -> Iterator[str]:
        """The variables that it reads."""
        for part in self.parts or ():
            yield from part.names()
        if self.path is not None:
            yield str(self.path[0])


class Readings:
    """What the parameters of one request take their values from."""

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self._variables = variables
        self._made: dict[int, Any] = {}

    def at(self, source: Source) -> Any:
        """The value at a source, or what its reading makes of it. Raises what that raises."""
        if source.reading is None:
            return source.read(self._variables)
        if id(source) not in self._made:
            self._made[id(source)] = source.reading(source.read(self._variables))
        return self._made[id(source)]


def _at(value: Any, path: Path) -> Any:
    for position, step in enumerate(path, start=1):
        if step == ANY_ITEM:
            (key,) = path[position:]
            return [item.get(key) for item in value]
        value = value[step]
    return value


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar, an enum value or a list of them, given and not null. Bind it, or steer by it."""

    source: Source
    variables: Variables
    type_name: str
    is_list: bool = False

    @property
    def raw(self) -> Any:
        """The JSON value in the request being planned: only for checks that hold for every request."""
        return self.source.read(self.variables.values)

    def steer(self, derive: Derive = whole_value) -> Any:
        """The JSON value; what ``derive`` makes of it is part of the plan's key from now on."""
        self._remember(self.source, derive)
        return self.raw

    def steer_as_one(self) -> None:
        """Let nothing within an object, or a list of objects or lists, steer: it is bound as one value."""
        source, raw = self.source, self.raw
        if source.reading is not None or (source.path is not None and ANY_ITEM in source.path):
            # What is read as a whole, such as the list that these are members of, steers as its reader says.
            return
        if self.is_list and isinstance(raw, list) and not {dict, list}.isdisjoint(map(type, raw)):
            self._remember(source, _any_items)
        elif not self.is_list and isinstance(raw, (dict, list)):
            self._remember(source, _any_value)

    def of_each(self, key: str) -> Leaf:
        """In a variable that is a list of objects: what they have under ``key``, null where they lack it."""
        return replace(self, source=Source((*(self.source.path or ()), ANY_ITEM, key)), is_list=True)

    def read_by(self, reading: Callable[[Any], Any]) -> Leaf:
        """The same value for parameters that take theirs from what ``reading`` makes of it."""
        return replace(self, source=replace(self.source, reading=reading))

    def _remember(self, source: Source, derive: Derive) -> None:
        if source.parts is not None:
            for part in source.parts:
                self._remember(part, derive)
        elif source.path is not None:
            self.variables.steer(source.path, derive)
