"""docs/past-one-machine.md shows what ``python -m bench.simulation`` prints, and what follows from it."""

from __future__ import annotations

from bench.simulation import DATABASE_US, DEPLOYMENTS, REPLAY_US, Deployment, demands, simulate, sustained, table
from tests.docs.blocks import REPOSITORY

PAGE = (REPOSITORY / "docs" / "past-one-machine.md").read_text()


def test_the_table_equals_the_output_of_the_simulation() -> None:
    assert "\n".join(table()) in PAGE


def test_the_figures_of_the_text_follow_from_the_measurements() -> None:
    web, primary = demands(Deployment("", web_cores=1, cores=1)).values()
    replicas = demands(Deployment("", cores=1, replicas=1))["replicas"]
    assert [round(0.7e6 / each, -1) for each in (web, primary, replicas)] == [1330, 3250, 3350]
    assert f"{0.7e6 / REPLAY_US:,.0f}".startswith("129,6")
    assert f"{0.7e6 * 64 / DATABASE_US['insert']:,.0f}".startswith("734,4")


def test_a_deployment_falls_behind_beyond_its_rate() -> None:
    first = DEPLOYMENTS[0]
    rate, _ = sustained(first)
    assert simulate(first, rate).slow < 5 < 50 < simulate(first, 2 * rate).slow
