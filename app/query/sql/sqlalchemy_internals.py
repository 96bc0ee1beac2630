"""The only file that uses private names of SQLAlchemy; ``tests/house/test_private_names.py`` finds any other use.

A construct that is compiled through the public ``sqlalchemy.ext.compiler`` takes three times as long as one that writes
its own text, and a plan has hundreds. SQLAlchemy has no public interface for constructs that write their own text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from sqlalchemy import ColumnClause, FromClause
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.visitors import InternalTraversal
from sqlalchemy.types import TypeEngine

Construct = TypeVar("Construct", bound=type)


def self_compiling(construct: Construct) -> Construct:
    """A class decorator for a construct whose method ``write(compiler, **options)`` returns its SQL.

    The method ``sources()`` returns the FROM elements that the construct needs. ``children`` is a tuple with the names
    of the attributes that are tuples of other constructs. Without these two the base class decides.
    """
    construct._compiler_dispatch = construct.write  # type: ignore[attr-defined]
    if "sources" in vars(construct):
        construct._from_objects = property(construct.sources)  # type: ignore[attr-defined]
    if "children" in vars(construct):
        internals = [(name, InternalTraversal.dp_clauseelement_tuple) for name in construct.children]  # type: ignore[attr-defined]
        construct._traverse_internals = tuple(internals)  # type: ignore[attr-defined]
    return construct


def sources_of(clause: Any) -> Sequence[FromClause]:
    """The FROM elements that a clause needs."""
    found: Sequence[FromClause] = clause._from_objects
    return found


def text_of(clause: Any, compiler: Any, **options: Any) -> str:
    """The SQL of a clause."""
    text: str = clause._compiler_dispatch(compiler, **options)
    return text


def enter_query(compiler: Any, sources: Sequence[FromClause]) -> None:
    """Compile the following constructs as parts of a query on ``sources``, until ``leave_query``. SQLAlchemy's queries
    inside it need that to find the FROM elements that they are correlated to."""
    stack = compiler.stack
    outer = stack[-1] if stack else compiler._default_stack_entry
    froms = set(sources)
    stack.append({**outer, "asfrom_froms": froms, "correlate_froms": froms | outer["correlate_froms"]})


def leave_query(compiler: Any) -> None:
    compiler.stack.pop()


def has_ordinality(call: FunctionElement[Any]) -> bool:
    """Whether the function call has WITH ORDINALITY."""
    return call._with_ordinality


class ColumnOf(ColumnClause[Any]):
    """A column of rows. Copies that SQLAlchemy makes are its own ColumnClause."""

    inherit_cache = True
    _constructor = ColumnClause

    def __init__(self, name: str, type_: TypeEngine[Any], rows: Any) -> None:
        super().__init__(name, type_, _selectable=rows)
