"""What plugins add around the APIs: settings and commands."""

from __future__ import annotations

from tests.plugins.conftest import Distribute
from tests.process.conftest import Portico

PLUGIN = '''
"""Counts colours."""
import click
from portico import Setting, hookimpl, setting_kinds

COLOURS = Setting("colours", setting_kinds.Number(1, 9), 3, "How many colours there are.")

@hookimpl
def settings():
    return [COLOURS]

@hookimpl
def commands():
    return [command]

@click.command("colours")
def command():
    """Say how many colours there are."""
    from portico import configure
    settings, _ = configure()
    click.echo(f"{settings[COLOURS]} colours")
'''


def test_hook_settings(distribute: Distribute, portico: Portico) -> None:
    distribute("colours", PLUGIN)
    shown = portico("settings", COLOURS="5").stdout
    (line,) = (each for each in shown.splitlines() if each.startswith("COLOURS"))
    assert line.split() == ["COLOURS", "5", "environment", "How", "many", "colours", "there", "are."]
    assert "| `COLOURS` | `--colours` | whole number from 1 to 9 | `3` |" in portico("settings", "--markdown").stdout
    refused = portico("serve", "--colours", "10")
    assert (refused.returncode, refused.stderr) == (1, "portico: COLOURS: '10' is not a whole number from 1 to 9\n")
    assert "COLOURS" not in portico("settings", DISABLED_PLUGINS="colours").stdout


def test_hook_commands(distribute: Distribute, portico: Portico) -> None:
    distribute("colours", PLUGIN)
    assert portico("colours", COLOURS="5").stdout == "5 colours\n"
    assert "Say how many colours there are." in portico("--help").stdout
    assert portico("colours", DISABLED_PLUGINS="colours").returncode == 2
    assert "sweep" in portico("storage", "--help").stdout
