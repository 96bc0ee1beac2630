"""The parts of pages that are generated from the code are complete."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from types import ModuleType

import click
import pytest

from app.cli import cli
from tests.docs.blocks import PAGES, REPOSITORY


@pytest.fixture
def generated(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The Sphinx extension that generates them."""
    monkeypatch.syspath_prepend(str(REPOSITORY / "docs" / "_extensions"))
    import generated as extension

    yield extension
    del sys.modules["generated"]


def test_the_page_of_commands_has_each_command_and_option(generated: ModuleType) -> None:
    page = generated.filled((REPOSITORY / "docs" / "commands.md").read_text())
    settings = set(re.findall(r"`(--[\w-]+)`", (REPOSITORY / "docs" / "settings.md").read_text()))

    def listed(path: str, command: click.Command) -> None:
        context = click.Context(command)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                listed(f"{path} {name}", command.get_command(context, name) or click.Command("none"))
            return
        start = page.index(f"## `{path}`\n")
        section = page[start : page.find("\n## ", start + 1) if "\n## " in page[start + 1 :] else len(page)]
        assert command.help
        assert command.help.split()[0] in section
        for option in (each for each in command.params if isinstance(each, click.Option)):
            assert option.help, f"{path} {option.name}"
            assert option.opts[0] in settings or f"`{option.opts[0]}`" in section

    listed("portico", cli)


def test_each_page_is_in_the_table_of_contents() -> None:
    index = (REPOSITORY / "docs" / "index.md").read_text()
    placed = {
        f"docs/{name}.md" for tree in re.findall(r"```\{toctree\}\n(.*?)```", index, re.S) for name in tree.split()
    }
    assert {each for each in PAGES if each.startswith("docs/")} - {"docs/index.md"} <= placed
