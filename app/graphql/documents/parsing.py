"""Parses documents with graphql-core's parser, on tokens that one regular expression finds. graphql-core's own lexer
examines each character, which takes half of the time of parsing.

The expression finds the common tokens only: names, punctuation, numbers of up to a thousand digits, comments, and
strings without escapes. A document with another token, or with an error, is parsed by graphql-core alone.
"""

from __future__ import annotations

import re

from graphql import DocumentNode, GraphQLError, Lexer, Source, TokenKind, parse
from graphql.language import Location, Token
from graphql.language.parser import Parser

_TOKEN = re.compile(
    r"""
    [ \t,\n\r\ufeff]*+ (?:
      ([_A-Za-z][_0-9A-Za-z]*+)
    | ([!$&():=@\[\]{|}] | \.\.\.)
    | (-?(?:0|[1-9][0-9]{0,999}+)) (?![_0-9A-Za-z.])
    | (-?(?:0|[1-9][0-9]{0,999}+) (?:\.[0-9]++)? (?:[eE][+-]?[0-9]++)?) (?![_0-9A-Za-z.])
    | "(?!"") ([^"\\\n\r\ud800-\udfff]*+) "
    | (\#[^\n\r\ud800-\udfff]*+)
    | ([\s\S])
    | \Z
    )
    """,
    re.VERBOSE,
)
_NAME, _PUNCTUATOR, _INT, _FLOAT, _STRING, _COMMENT, _OTHER = range(1, 8)
_WITH_VALUE = {_NAME: TokenKind.NAME, _INT: TokenKind.INT, _FLOAT: TokenKind.FLOAT, _STRING: TokenKind.STRING}
_NO_TOKEN = Token(TokenKind.SOF, 0, 0, 0, 0)
_PUNCTUATORS = {each.value: each for each in TokenKind}


def parsed(text: str, *, max_tokens: int) -> DocumentNode:
    """The syntax tree of a document. Raises the same GraphQLError as graphql-core's ``parse``."""
    source = Source(text)
    tokens = _tokens(text, max_tokens)
    if tokens is not None:
        first, count = tokens
        try:
            return _Parser(source, _Lexer(source, first), count).parse_document()
        except (GraphQLError, RecursionError):
            # graphql-core parses it again below, and reports the error with its line and column.
            pass
    return parse(source, max_tokens=max_tokens)


def _tokens(text: str, most: int) -> tuple[Token, int] | None:
    """The tokens of a document, as a linked list that begins with the start-of-file token, and the number of tokens
    after that, comments included. None if there are more than ``most``, or a token that the expression does not find.

    The tokens have no line and column, which only error messages need.
    """
    first = last = Token(TokenKind.SOF, 0, 0, 0, 0)
    count = 0
    # The expression matches at every position, so no character is ever skipped.
    for count, found in enumerate(_TOKEN.finditer(text)):
        kind = found.lastindex
        if kind is None:
            break
        if kind == _OTHER or count == most:
            return None
        if kind == _COMMENT:
            continue
        value, start, end = found[kind], found.start(kind), found.end()
        if kind == _PUNCTUATOR:
            token = Token(_PUNCTUATORS[value], start, end, 0, 0)
        else:
            token = Token(_WITH_VALUE[kind], start - (kind == _STRING), end, 0, 0, value)
        last.next = token
        last = token
    last.next = Token(TokenKind.EOF, len(text), len(text), 0, 0)
    return first, count


class _Lexer(Lexer):
    """Returns tokens that were found before."""

    def __init__(self, source: Source, first: Token) -> None:
        super().__init__(source)
        self.token = self.last_token = first

    def lookahead(self) -> Token:
        return self.token.next or self.token


class _Parser(Parser):
    """A parser that does not count tokens, which ``_tokens`` has done, and removes them from the syntax tree: trees are
    cached, and tokens would be a third of their objects, which the garbage collector would visit again and again."""

    def __init__(self, source: Source, lexer: _Lexer, token_count: int) -> None:
        super().__init__(source, lexer=lexer)
        self._token_counter = token_count

    def loc(self, start_token: Token) -> Location:
        location = Location(start_token, self._lexer.last_token, self._lexer.source)
        location.start_token = location.end_token = _NO_TOKEN
        return location

    def advance_lexer(self) -> None:
        lexer = self._lexer
        token = lexer.last_token = lexer.token
        lexer.token = token.next or token
