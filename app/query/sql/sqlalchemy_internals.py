"""All that is used of SQLAlchemy beside its public names. ``tests/house/test_private_names.py`` finds any other use.

A construct that is compiled through ``sqlalchemy.ext.compiler`` costs three times as much as one that writes its own
text, and a plan has hundreds. SQLAlchemy has no public interface for those.
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
    """A class decorator for a construct whose method ``write(compiler, **options)`` gives its SQL.

    Its method ``sources()`` gives the FROM elements that it needs, and ``children``, a tuple of names, the attributes
    that are tuples of other constructs; without them it has what the class has that it extends.
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
    """Compile what follows within a query that reads ``sources``, until ``leave_query``: queries of SQLAlchemy's that
    stand in it look there for what they are correlated to."""
    stack = compiler.stack
    outer = stack[-1] if stack else compiler._default_stack_entry
    froms = set(sources)
    stack.append({**outer, "asfrom_froms": froms, "correlate_froms": froms | outer["correlate_froms"]})


def leave_query(compiler: Any) -> None:
    compiler.stack.pop()


def has_ordinality(call: FunctionElement[Any]) -> bool:
    """Whether the rows of a function are numbered."""
    return call._with_ordinality


class ColumnOf(ColumnClause[Any]):
    """A column of rows, whose copies are columns of SQLAlchemy's own."""

    inherit_cache = True
    _constructor = ColumnClause

    def __init__(self, name: str, type_: TypeEngine[Any], rows: Any) -> None:
        super().__init__(name, type_, _selectable=rows)
