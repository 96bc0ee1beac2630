"""Finds the tests of a module that need nothing but the fixture ``service``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Set
from types import ModuleType
from typing import Any

PARAMETERS = {"service"}


def with_shared_service(module: ModuleType, left_out: Set[str]) -> Mapping[str, Callable[..., Any]]:
    """Tests whose only fixture is ``service``, by name; their other arguments are parameters.
    ``left_out`` are names of tests in the module."""
    name = module.__name__.rpartition(".")[2]
    return {
        each.replace("test_", f"{name}_", 1): test
        for each, test in vars(module).items()
        if each.startswith("test_") and each not in left_out and PARAMETERS <= _fixtures(test) <= PARAMETERS
    }


def _fixtures(test: Callable[..., Any]) -> set[str]:
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    given = {name.strip() for mark in marks for names in [mark.args[0]] for name in _names(names)}
    return set(inspect.signature(test).parameters) - given


def _names(names: Any) -> list[str]:
    return names.split(",") if isinstance(names, str) else list(names)
