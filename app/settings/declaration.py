"""How a setting is declared: once, as a record that every face of it is made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from app.settings.kinds import Kind, KindError

T = TypeVar("T")


class SettingError(ValueError):
    """A setting cannot be used; the message is one line that names the variable."""


@dataclass(frozen=True, slots=True, eq=False)
class Setting(Generic[T]):
    """A setting, with its environment variable, its command line option and its line of documentation.

    ``default`` is a value of the kind, or None. ``derive`` makes one of the values of the settings declared before,
    where the default depends on them; ``default_note`` says in words where a default comes from.
    """

    name: str
    kind: Kind[T]
    default: T
    help: str
    env: str = ""
    default_note: str = ""
    derive: Callable[[Mapping[str, Any]], T] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "env", self.env or self.name.upper())

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def is_option(self) -> bool:
        """Whether it may be given on a command line."""
        return not self.kind.is_secret

    def parse(self, text: str) -> T:
        """The value that ``text`` stands for. Raises SettingError."""
        try:
            return self.kind.parse(text)
        except KindError as ex:
            raise SettingError(f"{self.env}: {ex}") from None

    def show(self, value: T) -> str:
        """A value as text that may be printed and logged; nothing for an absent one."""
        return "" if value is None else self.kind.show(value)


def read(declared: Iterable[Setting[Any]], environ: Mapping[str, str], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the declared settings, by name.

    ``overrides`` are values by the settings' names, as text or already of their kind; they win over ``environ``. An
    empty variable and an override that is None count as absent. Raises SettingError.
    """
    declared = tuple(declared)
    _refuse_doubles(declared)
    given = {name: value for name, value in overrides.items() if value is not None}
    unknown = given.keys() - {each.name for each in declared}
    if unknown:
        raise SettingError(f"{min(unknown)} is not a setting")
    values: dict[str, Any] = {}
    for setting in declared:
        value = given.get(setting.name, environ.get(setting.env) or None)
        if isinstance(value, str):
            value = setting.parse(value)
        elif value is None:
            value = setting.derive(values) if setting.derive else setting.default
        values[setting.name] = value
    return values


def _refuse_doubles(declared: Iterable[Setting[Any]]) -> None:
    """Two plugins that declare one name would read each other's values."""
    for names in ((each.name for each in declared), (each.env for each in declared)):
        for name, times in Counter(names).items():
            if times > 1:
                raise SettingError(f"{name} is declared {times} times; only one plugin may declare it")
