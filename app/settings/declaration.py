"""The declaration of a setting. Its variable, option, validation and documentation are derived from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from app.settings.kinds import Kind, KindError

T = TypeVar("T")


class SettingError(ValueError):
    """The value of a setting is not valid. The message is one line that names the variable."""


@dataclass(frozen=True, slots=True, eq=False)
class Setting(Generic[T]):
    """A setting, with its environment variable, its command line option and its line of documentation.

    ``default`` is a value of the kind, or None. If the default depends on settings that are declared earlier,
    ``derive`` computes it from their values, and ``default_note`` describes it in words. ``section``: the heading under
    which ``portico serve --help`` has it.
    """

    name: str
    kind: Kind[T]
    default: T
    help: str
    env: str = ""
    default_note: str = ""
    derive: Callable[[Mapping[str, Any]], T] | None = None
    section: str = "Plugins"

    def __post_init__(self) -> None:
        object.__setattr__(self, "env", self.env or self.name.upper())

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def is_option(self) -> bool:
        """Whether the setting may be given on the command line."""
        return not self.kind.is_secret

    def text_in(self, environ: Mapping[str, str]) -> str | None:
        """The text of the setting's variable; None if it is absent or blank."""
        text = environ.get(self.env, "")
        return text if text.strip() else None

    def parse(self, text: str) -> T:
        """The value of ``text``. Raises SettingError."""
        try:
            # Python reads bytes of the environment that are not UTF-8 as surrogates.
            text.encode()
            return self.kind.parse(text)
        except UnicodeEncodeError:
            raise SettingError(f"{self.env}: the value is not UTF-8") from None
        except KindError as ex:
            raise SettingError(f"{self.env}: {ex}") from None

    def show(self, value: T) -> str:
        """The value as text that may be printed and logged; '' for None."""
        return "" if value is None else self.kind.show(value)


def read(declared: Iterable[Setting[Any]], environ: Mapping[str, str], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the declared settings, by name.

    ``overrides`` are values by setting name, as text or already parsed; they take precedence over ``environ``. Empty
    variables and overrides that are None count as absent. Raises SettingError.
    """
    declared = tuple(declared)
    _refuse_duplicates(declared)
    given = {name: value for name, value in overrides.items() if value is not None}
    unknown = given.keys() - {each.name for each in declared}
    if unknown:
        raise SettingError(f"{min(unknown)} is not a setting; `portico settings` lists them")
    values: dict[str, Any] = {}
    for setting in declared:
        value = given.get(setting.name, setting.text_in(environ))
        if isinstance(value, str):
            value = setting.parse(value)
        elif value is None:
            value = setting.derive(values) if setting.derive else setting.default
        values[setting.name] = value
    return values


def _refuse_duplicates(declared: Iterable[Setting[Any]]) -> None:
    """Raise SettingError for two settings with one name: plugins would read each other's values."""
    for names in ((each.name for each in declared), (each.env for each in declared)):
        for name, times in Counter(names).items():
            if times > 1:
                raise SettingError(f"{name} is declared {times} times; only one plugin may declare it")
