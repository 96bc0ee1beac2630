"""The values of one request, and which of them its SQL depends on.

One plan serves many requests that differ only in scalar values. While it is made, every value is read in one of two
ways: it is *bound*, so that it becomes a parameter and may differ in the next request, or it *steers*, so that the SQL
depends on it. The paths of steering values are recorded. The shape of the variables keeps presence, nulls, lists, keys
and the values at those paths, and drops every other scalar. Requests of equal shape share a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.errors import RequestError

Path = tuple[str | int, ...]
"""The path of a value in the variables: a variable's name, then keys and list positions."""

ANY_ITEM = -1
"""In a path: every item of a list. In the path of a Source one key follows, which an item may lack."""


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Any = _Absent()
"""Stands for a value that is missing from the request, as opposed to null."""

KeyFunction = Callable[[Any], Hashable]
"""Returns the part of a JSON value on which the SQL depends, as something hashable. Raises RequestError for a value
that is not valid."""


BYTES_OF_PATH = 400
"""The memory that a steering path takes; measured."""


@dataclass(slots=True)
class Steering:
    """The paths of the values that steer a document's plans, as a tree. It only grows, and adding the same path twice
    is harmless, so threads share it without a lock. A value that is used in several places may steer in several
    ways."""

    key_functions: dict[KeyFunction, None] = field(default_factory=dict)
    below: dict[str | int, Steering] = field(default_factory=dict)

    def add(self, path: Path, key_function: KeyFunction) -> None:
        """Let the value at ``path`` steer by ``derive(value)``."""
        node = self
        for step in path:
            node = node.below.setdefault(ANY_ITEM if isinstance(step, int) else step, Steering())
        node.key_functions[key_function] = None

    @property
    def size(self) -> int:
        """The memory that it takes, in bytes, roughly."""
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
    if steering is not None and steering.key_functions:
        # Iterates over a copy, made in one step, since another thread may be adding to it.
        derived = tuple([_derived(key_function, value) for key_function in tuple(steering.key_functions)])
        return (derived, _structure(value, steering)) if steering.below else derived
    return _structure(value, steering)


def _derived(key_function: KeyFunction, value: Any) -> Hashable:
    try:
        return key_function(value)
    except RequestError:
        # If the plan uses the value, planning fails and no plan is kept. A plan that skips the field is kept.
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
    """The shape of a scalar. Numbers that GraphQL's Int may refuse have another one, so that the declared types of the
    variables need to be checked only once for each shape."""
    if isinstance(value, (int, float)) and not -(2**31) <= value < 2**31:
        return _EXTREME
    return _SCALAR


def shape_of(value: Any) -> Hashable:
    """The shape of a value none of whose scalars steer."""
    return _shape(value, None)


def size_of(shape: Hashable) -> int:
    """The memory that a shape takes, in bytes, roughly."""
    if isinstance(shape, (tuple, frozenset)):
        return 64 + sum(8 + size_of(part) for part in shape)
    return len(shape) if isinstance(shape, str) else 0


def whole_value(value: Any) -> Hashable:
    """The key function of a value that steers as a whole. It distinguishes true from 1."""
    if isinstance(value, dict):
        return tuple((key, whole_value(item)) for key, item in value.items())
    if isinstance(value, list):
        return (_LIST, *map(whole_value, value))
    return (type(value), value)


def _any_value(value: Any) -> Hashable:
    """The key function of a value that is bound as a whole: nothing within it steers."""
    return _SCALAR


def _any_items(value: Any) -> Hashable:
    """The same for a list, except that the SQL may depend on whether it contains null, which may have to be refused."""
    return isinstance(value, list) and None in value


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables of the request being planned, including defaults; records which of them steer. ``steered``: the
    names of the variables that steer this request's plan."""

    values: Mapping[str, Any]
    steering: Steering
    steered: set[str] = field(default_factory=set)

    def get(self, name: str) -> Any:
        """The value of a variable, ABSENT if neither given nor defaulted."""
        return self.values.get(name, ABSENT)

    def steer(self, path: Path, key_function: KeyFunction) -> None:
        """Let the value at ``path`` steer by ``derive(value)``."""
        self.steering.add(path, key_function)
        self.steered.add(str(path[0]))


@dataclass(frozen=True, slots=True)
class Source:
    """The origin of a value: ``path`` in the variables, or None for a literal, whose value is ``constant``.

    ``parts``: the sources of the items of a literal list that contains variables, or, with ``keys``, of the members of
    such an object. ``reading`` converts the value once for each request; several parameters take their values from the
    result.
    """

    path: Path | None
    constant: Any = None
    parts: tuple[Source, ...] | None = None
    keys: tuple[str, ...] | None = None
    reading: Callable[[Any], Any] | None = None

    def read(self, variables: Mapping[str, Any]) -> Any:
        """The JSON value in a request with these variables; ABSENT if the variable is missing."""
        if self.parts is not None:
            values = [part.read(variables) for part in self.parts]
            if self.keys is None:
                return [None if value is ABSENT else value for value in values]
            return {key: value for key, value in zip(self.keys, values, strict=True) if value is not ABSENT}
        if self.path is None:
            return self.constant
        return _at(variables.get(str(self.path[0]), ABSENT), self.path[1:])

    def names(self) -> Iterator[str]:
        """The names of the variables that the value comes from."""
        for part in self.parts or ():
            yield from part.names()
        if self.path is not None:
            yield str(self.path[0])


class Readings:
    """Reads the values of one request for its parameters; the result of each ``reading`` is cached."""

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self._variables = variables
        self._made: dict[int, Any] = {}

    def at(self, source: Source) -> Any:
        """The value of a source, converted by its ``reading`` if it has one. Raises what the reading raises."""
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
    """A scalar, an enum value or a list of them; present and not null. A resolver binds it or steers by it."""

    source: Source
    variables: Variables
    type_name: str
    is_list: bool = False

    @property
    def raw(self) -> Any:
        """The JSON value in the request being planned: only for checks that hold for every request."""
        return self.source.read(self.variables.values)

    def steer(self, key_function: KeyFunction = whole_value) -> Any:
        """The JSON value. From now on the result of ``key_function`` for it is part of the plan's key."""
        self._remember(self.source, key_function)
        return self.raw

    def steer_as_one(self) -> None:
        """Mark an object, or a list of objects or lists, as bound as one value: nothing inside it steers."""
        source, raw = self.source, self.raw
        if source.reading is not None or (source.path is not None and ANY_ITEM in source.path):
            # The code that reads the surrounding value as a whole, such as the list of objects, decides how it steers.
            return
        if self.is_list and isinstance(raw, list) and not {dict, list}.isdisjoint(map(type, raw)):
            self._remember(source, _any_items)
        elif not self.is_list and isinstance(raw, (dict, list)):
            self._remember(source, _any_value)

    def of_each(self, key: str) -> Leaf:
        """For a variable that is a list of objects: their values under ``key``, null for an object without it."""
        return replace(self, source=Source((*(self.source.path or ()), ANY_ITEM, key)), is_list=True)

    def read_by(self, reading: Callable[[Any], Any]) -> Leaf:
        """The same value, for parameters that take their values from the result of ``reading``."""
        return replace(self, source=replace(self.source, reading=reading))

    def _remember(self, source: Source, key_function: KeyFunction) -> None:
        if source.parts is not None:
            for part in source.parts:
                self._remember(part, key_function)
        elif source.path is not None:
            self.variables.steer(source.path, key_function)
