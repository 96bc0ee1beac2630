"""The kinds of settings: how values of each are parsed, shown and described."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Protocol, TypeVar

from schema_cache.exclusion import PATTERN

MASK = "********"
_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}

LONGEST_S = 1_000_000_000
"""The longest time in seconds, more than 31 years: the system calls that wait accept no longer ones."""

Value_co = TypeVar("Value_co", covariant=True)


class KindError(ValueError):
    """The text is not a value of the kind. The message says what was expected, and never repeats a secret."""


class Kind(Protocol[Value_co]):
    """How the text of a setting is parsed and shown. Plugins may define further kinds."""

    @property
    def description(self) -> str:
        """The expected value, in a few words."""

    @property
    def is_secret(self) -> bool:
        """Whether the value must not be on the command line, which other users of the machine can read."""

    def parse(self, text: str) -> Value_co:
        """The value. Raises KindError."""

    def show(self, value: Any) -> str:
        """The value as text that may be printed and logged."""


@dataclass(frozen=True, slots=True)
class _Plain:
    """A kind whose values may be shown as they are."""

    is_secret: bool = field(default=False, kw_only=True)

    def show(self, value: Any) -> str:
        return str(value)


@dataclass(frozen=True, slots=True)
class Text(_Plain):
    description: str = "text"

    def parse(self, text: str) -> str:
        return text


@dataclass(frozen=True, slots=True)
class Url(_Plain):
    """A URL, a path or a keyword/value string. It may hold a password, which is not shown."""

    description: str = "URL"

    def parse(self, text: str) -> str:
        return text.strip()

    def show(self, value: Any) -> str:
        # An "@" in a password that is not escaped as %40 must not end the masked part early, and a "/" must not begin
        # the path. Such a URL is refused, but may be shown before.
        without_user = re.sub(r"(?<=://)([^/?#:@]*):(?:[^?#]*@|.*@)", rf"\1:{MASK}@", str(value))
        # A parameter of a URL ends at "&". In a keyword/value string a quoted password may contain any character.
        rest = "[^&]*" if "://" in without_user.partition("=")[0] else ".*"
        return re.sub(rf"(?is)((?:password|secret|key|token|sig)[^=&]*=){rest}", rf"\1{MASK}", without_user)


@dataclass(frozen=True, slots=True)
class WebUrl(Url):
    description: str = "http:// or https:// URL"

    def parse(self, text: str) -> str:
        if not re.match(r"https?://[^/?#]", text.strip(), re.IGNORECASE):
            raise KindError(f"{text!r} is not an {self.description}")
        return text.strip()


@dataclass(frozen=True, slots=True)
class ReceiverUrl(WebUrl):
    """The URL of a receiver of POST requests. Its path is not shown: it may be the only secret that protects the
    receiver."""

    def parse(self, text: str) -> str:
        try:
            return WebUrl.parse(self, text)
        except KindError:
            raise KindError(f"it is not an {self.description}") from None

    def show(self, value: Any) -> str:
        scheme, host, rest = re.findall(r"(.+?://)(?:[^/?#]*@)?([^/?#]*)/?(.*)", str(value))[0]
        return f"{scheme}{host}/{MASK}" if rest else f"{scheme}{host}"


@dataclass(frozen=True, slots=True)
class Proxy(_Plain):
    """The IP address of a peer, as the socket reports it."""

    description: str = "IP address, or *"

    def parse(self, text: str) -> str:
        try:
            if text.strip() != "*":
                ip_address(text.strip())
        except ValueError:
            raise KindError(f"{text!r} is not an {self.description}") from None
        return text.strip()


@dataclass(frozen=True, slots=True)
class UrlList:
    """URLs of servers. They may hold passwords, which are not shown."""

    description: str = "URLs, separated by spaces"
    is_secret: bool = True

    def parse(self, text: str) -> tuple[str, ...]:
        urls = tuple(text.split())
        if not all("://" in url for url in urls):
            raise KindError("each of the URLs must look like postgresql://user:password@host:port/name")
        return urls

    def show(self, value: Any) -> str:
        return " ".join(map(URL.show, value))


@dataclass(frozen=True, slots=True)
class Secret:
    description: str = "secret"
    is_secret: bool = True

    def parse(self, text: str) -> str:
        return text.strip()

    def show(self, value: Any) -> str:
        return MASK


@dataclass(frozen=True, slots=True)
class Number(_Plain):
    least: int = 0
    most: int | None = None

    @property
    def description(self) -> str:
        return f"whole number from {self.least}" + (f" to {self.most}" if self.most is not None else "")

    def parse(self, text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise KindError(f"{text!r} is not a {self.description}") from None
        if value < self.least or (self.most is not None and value > self.most):
            raise KindError(f"{text!r} is not a {self.description}")
        return value


@dataclass(frozen=True, slots=True)
class Seconds(_Plain):
    description: str = "number of seconds"

    def parse(self, text: str) -> float:
        if not re.fullmatch(r"\d+(\.\d+)?", text.strip()) or float(text) > LONGEST_S:
            raise KindError(f"{text!r} is not a {self.description} from 0 to {LONGEST_S}")
        return float(text)

    def show(self, value: Any) -> str:
        return f"{value:g}"


@dataclass(frozen=True, slots=True)
class Bytes(_Plain):
    description: str = "number of bytes, with K, M, G or T for powers of 1024"

    def parse(self, text: str) -> int:
        # Python converts at most 4,300 digits; 18 are enough for any number of bytes.
        found = re.fullmatch(r"(\d{1,18})\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
        if not found:
            raise KindError(f"{text!r} is not a {self.description}")
        return int(found[1]) * _UNITS[found[2].upper()]

    def show(self, value: Any) -> str:
        for unit in ("T", "G", "M", "K"):
            if value and value % _UNITS[unit] == 0:
                return f"{value // _UNITS[unit]}{unit}"
        return str(value)


@dataclass(frozen=True, slots=True)
class Switch(_Plain):
    description: str = "on or off"

    def parse(self, text: str) -> bool:
        word = text.strip().lower()
        if word in ("on", "true", "yes", "1"):
            return True
        if word in ("off", "false", "no", "0"):
            return False
        raise KindError(f"{text!r} is neither on nor off")

    def show(self, value: Any) -> str:
        return "on" if value else "off"


class Choice:
    """One of several words."""

    is_secret = False

    def __init__(self, *words: str) -> None:
        self.words = words

    @property
    def description(self) -> str:
        return f"{', '.join(self.words[:-1])} or {self.words[-1]}"

    def parse(self, text: str) -> str:
        if text.strip().lower() not in self.words:
            raise KindError(f"{text!r} is not one of {', '.join(self.words)}")
        return text.strip().lower()

    def show(self, value: Any) -> str:
        return str(value)


@dataclass(frozen=True, slots=True)
class Names(_Plain):
    description: str = "names, comma-separated"

    def parse(self, text: str) -> tuple[str, ...]:
        names = tuple(name for name in (part.strip() for part in text.split(",")) if name)
        if not names:
            raise KindError("at least one name is expected")
        return names

    def show(self, value: Any) -> str:
        return ",".join(value)


@dataclass(frozen=True, slots=True)
class Origins(Names):
    description: str = "origins, comma-separated"

    def parse(self, text: str) -> tuple[str, ...]:
        origins = Names.parse(self, text)
        for each in origins:
            if each not in ("*", "null") and not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]+/?", each):
                raise KindError(f"{each!r} is not an origin, such as https://app.example.com")
        return origins


@dataclass(frozen=True, slots=True)
class ObjectPatterns(Names):
    """Patterns of names of database objects (schema_cache.exclusion)."""

    description: str = "patterns, comma-separated"

    def parse(self, text: str) -> tuple[str, ...]:
        patterns = Names.parse(self, text)
        for each in patterns:
            if not PATTERN.fullmatch(each):
                raise KindError(
                    f"{each!r} is not a pattern, such as public.audit_*, public.person.password or public.cleanup()"
                )
        return patterns


@dataclass(frozen=True, slots=True)
class ProjectRef(_Plain):
    description: str = "20 lower case letters or digits"

    def parse(self, text: str) -> str:
        if not re.fullmatch(r"[a-z0-9]{20}", text.strip()):
            raise KindError(f"{text!r} is not {self.description}")
        return text.strip()


TEXT = Text()
URL = Url()
WEB_URL = WebUrl()
RECEIVER_URL = ReceiverUrl()
SECRET_URL = Url(is_secret=True)
URLS = UrlList()
SECRET = Secret()
BYTES = Bytes()
SWITCH = Switch()
