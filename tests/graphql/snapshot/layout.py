"""Lays out SQL so that a change shows as a changed line. Only the white space between tokens changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

WIDTH = 100
_TOKEN = re.compile(
    r"""E'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | "(?:[^"]|"")*" | \$?\w+ | [-+*/<>=~!@\#%^&|?:]+ | .""",
    re.VERBOSE | re.DOTALL,
)
_CLAUSE = re.compile(
    r"WITH|SELECT|FROM|WHERE|HAVING|(GROUP|ORDER) BY|LIMIT|OFFSET|RETURNING|VALUES|SET|INSERT INTO|DELETE FROM|UPDATE"
    r"|(LEFT OUTER |CROSS )?JOIN|UNION( ALL)?|CASE|WHEN|ELSE|END|AND|OR"
)
_LONGEST_CLAUSE = 3


@dataclass
class Group:
    """The contents of parentheses, or the whole statement: words, each with the spaces before it, and groups."""

    parts: list[str | Group] = field(default_factory=list)
    spaced: bool = False

    def __str__(self) -> str:
        return "".join(f"{' ' * each.spaced}({each})" if isinstance(each, Group) else each for each in self.parts)


def tokens(sql: str) -> list[str]:
    """The tokens of a statement, which are equal for two statements that differ only in white space."""
    return [match[0] for match in _TOKEN.finditer(sql) if not match[0].isspace()]


def laid_out(sql: str) -> str:
    """The statement with a line for each clause; a clause that is too long gets a line for each element."""
    return "\n".join(_lines(_parsed(sql), ""))


def _parsed(sql: str) -> Group:
    open_groups = [Group()]
    spaced = False
    for match in _TOKEN.finditer(sql):
        token = match[0]
        if token.isspace():
            spaced = True
        elif token == "(":
            group = Group(spaced=spaced)
            open_groups[-1].parts.append(group)
            open_groups.append(group)
            spaced = False
        elif token == ")":
            open_groups.pop()
            spaced = False
        else:
            before = spaced and bool(open_groups[-1].parts)
            open_groups[-1].parts.append(" " * before + token)
            spaced = False
    assert len(open_groups) == 1, sql
    return open_groups[0]


def _lines(group: Group, indent: str) -> Iterator[str]:
    """The elements and clauses of a group, each on a line of its own unless all of them fit in one."""
    if not _fits(group.parts, indent):
        in_clause = False
        for parts in _split(group.parts):
            is_clause = _begins_clause(parts, 0)
            yield from _element(parts, indent + "  " * (in_clause and not is_clause))
            in_clause = in_clause or is_clause
    elif group.parts:
        yield indent + str(group).strip()


def _element(parts: Sequence[str | Group], indent: str) -> Iterator[str]:
    """One clause or element; if it is too long, its groups get lines of their own."""
    if _fits(parts, indent):
        yield indent + str(Group(list(parts))).strip()
        return
    line = indent
    for part in parts:
        if isinstance(part, str):
            line += part if line.strip() else part.strip()
            continue
        line += f"{' ' * part.spaced if line.strip() else ''}("
        if _fits([part], " " * len(line)):
            line += f"{part})"
            continue
        yield line
        yield from _lines(part, indent + "  ")
        line = indent + ")"
    yield line


def _fits(parts: Sequence[str | Group], indent: str) -> bool:
    return len(indent) + len(str(Group(list(parts))).strip()) <= WIDTH


def _split(parts: Sequence[str | Group]) -> Iterator[list[str | Group]]:
    """The clauses and elements of a group. A key of an object stays with its value."""
    element: list[str | Group] = []
    for position, part in enumerate(parts):
        if element and _begins_clause(parts, position):
            yield element
            element = []
        element.append(part)
        if part == "," and not (len(element) == 2 and str(element[0]).strip().startswith("'")):
            yield element
            element = []
    if element:
        yield element


def _begins_clause(parts: Sequence[str | Group], position: int) -> bool:
    words = []
    for part in parts[position : position + _LONGEST_CLAUSE]:
        if isinstance(part, Group):
            break
        words.append(part.strip())
        if _CLAUSE.fullmatch(" ".join(words)):
            return not _continues_clause(parts, position)
    return False


def _continues_clause(parts: Sequence[str | Group], position: int) -> bool:
    """Whether the word before is part of the same clause, such as LEFT OUTER before JOIN."""
    before = parts[position - 1] if position else ""
    return isinstance(before, str) and before.strip() in ("LEFT", "OUTER", "CROSS", "DELETE", "FOR", "BETWEEN")
