"""The words of docs/style.md: those that it rules out are in no name, comment, message or page."""

from __future__ import annotations

import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.running import REPOSITORY

REFUSED = re.compile(
    r"\b(told|tells? of|so many|nobody|whoever|whatever|alike|(?:is|are) asked for|ha(?:s|ve) to do with|of ours"
    r"|in vain|by itself)\b",
    re.IGNORECASE,
)
OPENER = re.compile(r"(?:# )?\s*(What|Who|Whose|Of)\b[^?]*\Z")
"""A comment or docstring that begins with one of these words and is not a question."""
RULES = "docs/style.md"
"""The page that lists the words."""
ACCOUNT = '"nobody"'
"""The string constant for the Unix account of that name."""
QUOTED = re.compile(r"\"[^\"\n]*\"|`[^`\n]*`|'[^'\n]*'")
CHECKED = re.compile(r"\.(py|md|sh|toml|cfg)$|^\.ci/")
WITH_DATA = ("bench/", "tests/")
"""The folders whose string constants are data."""


def checked_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    own = str(Path(__file__).relative_to(REPOSITORY))
    return [REPOSITORY / each for each in listed.splitlines() if CHECKED.search(each) and each not in (RULES, own)]


def english_of(file: Path) -> Iterator[str]:
    """The English of a file: of Python its comments, names and strings, of others all of it but code and quotations.
    Of the strings in ``WITH_DATA`` only those in three quotes, unless they are values."""
    text = file.read_text()
    has_data = file.is_relative_to(REPOSITORY) and str(file.relative_to(REPOSITORY)).startswith(WITH_DATA)
    before = ""
    if file.suffix != ".py":
        yield QUOTED.sub("", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            yield token.string.replace("_", " ")
        elif token.type in (tokenize.COMMENT, tokenize.STRING) and token.string != ACCOUNT:
            is_prose = token.string.startswith("#") or (token.string.startswith('"""') and not before)
            if is_prose:
                yield QUOTED.sub("", token.string.strip('"'))
            elif not has_data:
                yield token.string
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            is_start = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
            before = "" if is_start else token.string


@pytest.mark.parametrize("file", checked_files(), ids=lambda file: str(file.relative_to(REPOSITORY)))
def test_no_file_has_a_refused_word(file: Path) -> None:
    assert [found[0] for text in english_of(file) for found in REFUSED.finditer(text)] == []


@pytest.mark.parametrize("file", checked_files(), ids=lambda file: str(file.relative_to(REPOSITORY)))
def test_comments_and_docstrings_begin_with_their_subject(file: Path) -> None:
    assert [text[:80] for text in english_of(file) if OPENER.match(text)] == []


@pytest.mark.parametrize("text", ["# What the server sends", "# Of two, one", '"""Who sends it needs no key."""'])
def test_the_rule_finds_openers_without_a_subject(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.py"
    file.write_text(text)
    assert any(OPENER.match(each) for each in english_of(file))


def test_a_question_may_begin_with_what(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("# What does the server send?")
    assert not any(OPENER.match(each) for each in english_of(file))


@pytest.mark.parametrize("text", ["# Whoever asks", "told = 1", '"""It has to do with rows."""', "x = 'tells of rows'"])
def test_the_rule_finds_refused_words(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.py"
    file.write_text(text)
    assert any(REFUSED.search(each) for each in english_of(file))
