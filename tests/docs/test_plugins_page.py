"""The page about plugins tells every hook as it is, and its example works."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from app import hooks
from app.hooks import plugin_manager
from app.wsgi import create_app
from tests.graphql.conftest import open_door as open_door
from tests.graphql.door import Door

PAGE = (Path(__file__).parents[2] / "docs" / "plugins.md").read_text()


def _specifications() -> list[tuple[str, Callable[..., object]]]:
    classes = [each for name, each in vars(hooks).items() if inspect.isclass(each) and name.endswith("Hooks")]
    return [(name, each) for cls in classes for name, each in vars(cls).items() if not name.startswith("_")]


@pytest.mark.parametrize("name", [name for name, _ in _specifications()])
def test_the_page_tells_each_hook(name: str) -> None:
    specification = dict(_specifications())[name]
    arguments = ", ".join(each for each in inspect.signature(specification).parameters if each != "self")
    assert f"### `{name}({arguments})`\n\n{inspect.getdoc(specification)}\n" in PAGE


def test_each_hook_is_used_by_a_built_in_plugin() -> None:
    manager = plugin_manager()
    unused = [name for name, _ in _specifications() if not getattr(manager.hook, name).get_hookimpls()]
    assert unused == []


def test_the_example_works(open_door: Callable[..., Door]) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert code is not None
    plugin = ModuleType("shouting")
    exec(compile(code[1], "docs/plugins.md", "exec"), plugin.__dict__)
    door = open_door("create table thing (id int primary key, name text); insert into thing values (1, 'quiet'); "
                     "grant select on thing to anon")  # fmt: skip
    settings = door.application.services.settings
    door.client.app = create_app(settings, plugin_manager({"shouting": plugin}))
    answer = door.ask("{ thingCollection { edges { node { name shoutedName } } } }")
    door.client.app.close()
    assert answer.data["thingCollection"]["edges"] == [{"node": {"name": "quiet", "shoutedName": "QUIET"}}]
