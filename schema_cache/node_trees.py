"""Parses the text of PostgreSQL's ``pg_node_tree``, in which the catalog stores the query of a view.

A node is written ``{NAME :field value :field value}``, a list ``(value value)``, and null ``<>``. Other values are
single tokens, with a backslash before each character that would end a token.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_LEXEME = re.compile(r"[(){}]|(?:\\.|[^\s(){}\\])+", re.DOTALL)

Node = Mapping[str, Any]
"""The fields of a node by name: texts, nodes, lists of them, or None."""


def read_node_tree(text: str) -> Any:
    """The value of the text. If a field has several values, such as a constant's, only the first is kept.

    Raises ValueError if the text is not such a tree.
    """
    # Without recursion, because an expression may be nested deeper than Python's limit on calls.
    open_: list[list[Any]] = [[]]
    for lexeme in _LEXEME.findall(text):
        if lexeme in "({":
            open_.append([])
        elif lexeme in ")}":
            done = open_.pop()
            if not open_:
                break
            open_[-1].append(_node(done) if lexeme == "}" else done)
        else:
            open_[-1].append(None if lexeme == "<>" else lexeme)
    if len(open_) != 1 or len(open_[0]) != 1:
        raise ValueError("the text is not a pg_node_tree")
    return open_[0][0]


def _node(items: list[Any]) -> Node:
    fields: dict[str, Any] = {}
    place = 1
    while place + 1 < len(items):
        fields[items[place][1:]] = items[place + 1]
        place += 2
        while place < len(items) and not (isinstance(items[place], str) and items[place].startswith(":")):
            place += 1
    return fields
