"""Names of buckets and keys of objects: the rules for them, and their order in PostgreSQL's collation "C"."""

from __future__ import annotations

import re
from itertools import takewhile

from app.storage.errors import InvalidBucketName, InvalidKey

# The limit of S3: objects with longer keys could not be copied there.
MAX_KEY_BYTES = 1024

_KEY = re.compile(r"[A-Za-z0-9_/!.*'()&$@=;:+,? -]+", re.ASCII)
_BUCKET = re.compile(r"[A-Za-z0-9_!.*'()&$@=;:+,? -]{1,100}", re.ASCII)
# PostgreSQL's text cannot contain NUL, UTF-8 cannot contain surrogates, and BEYOND must be greater than every key.
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff\U0010ffff]")
# S3 reserves this suffix for S3 Tables.
_RESERVED_SUFFIX = "--table-s3"

BEYOND = "\U0010ffff\U0010ffff"
"""A text that is greater than every key: keys cannot contain this character."""

# Letters outside ASCII that have an ASCII letter as their lower case.
_NON_ASCII_UPPER_CASE = {"i": "\u0130", "k": "\u212a"}
_MAX_RANGES = 64


def check_bucket_name(name: str) -> str:
    """Return the name if it is valid. Raises InvalidBucketName."""
    # Clients resolve "." and ".." in a URL, and would request a different path.
    if not _BUCKET.fullmatch(name) or name != name.strip() or name.endswith(_RESERVED_SUFFIX) or name in (".", ".."):
        raise InvalidBucketName
    return name


def check_key(key: str, *, any_script: bool = False) -> str:
    """Return the key if it is valid. Raises InvalidKey. ``any_script`` allows all of Unicode but U+0000 and
    U+10FFFF."""
    rule = _broken_rule(key, any_script=any_script)
    if rule:
        raise InvalidKey(key, hint=rule)
    return key


def _broken_rule(key: str, *, any_script: bool) -> str | None:
    if not key:
        return "A key has at least one character"
    if any_script:
        if _UNSTORABLE.search(key):
            return "A key is UTF-8 without U+0000 and U+10FFFF"
    elif not _KEY.fullmatch(key):
        return (
            "A key has letters A to Z without accents, digits, spaces and /!_.*'()&$@=;:+,?- only; "
            "OBJECT_KEYS=unicode allows other characters"
        )
    if len(key.encode()) > MAX_KEY_BYTES:
        return f"A key has at most {MAX_KEY_BYTES:,} bytes"
    # Backends never use an object's key as a path, but a client, a proxy or a mirror may resolve these segments.
    if {".", ".."}.intersection(key.split("/")):
        return "A key has no part . or .. between its slashes"
    return None


def successor(prefix: str) -> str | None:
    """The smallest text, by code points, that is greater than every text with this prefix; None if there is none."""
    while prefix:
        last = ord(prefix[-1])
        if last < 0x10FFFF:
            # UTF-8 cannot encode surrogates.
            return prefix[:-1] + chr(0xE000 if last == 0xD7FF else last + 1)
        prefix = prefix[:-1]
    return None


def ranges_in_any_case(prefix: str) -> list[tuple[str, str]]:
    """Ranges of names that contain all names that begin with ``prefix`` in any mixture of upper and lower case, as
    pairs (first text, text after the last).

    ``prefix`` is in lower case. The ranges do not overlap. They may contain other names too, which share at least the
    first letters of the prefix.
    """
    letters = [_cases(letter) for letter in takewhile(str.isascii, prefix)]
    starts = [""]
    while letters and len(starts) * len(letters[0]) <= _MAX_RANGES:
        starts = [start + case for start in starts for case in letters[0]]
        del letters[0]
    first, last = ("".join(choose(cases) for cases in letters) for choose in (min, max))
    return [(start + first, successor(start + last) or BEYOND) for start in starts]


def _cases(letter: str) -> list[str]:
    return sorted({letter, letter.upper(), _NON_ASCII_UPPER_CASE.get(letter, letter)})
