"""Live queries in Explore."""

from __future__ import annotations

from own_process import serving_as_a_process
from visitor import NEEDED, TABLES

pytestmark = NEEDED
LIVE = {"LIVE": "on", "LIVE_POLL_S": "0.5"}

NOTES = "noteCollection { edges { node { body } } }"


def write(page, document):
    page.wait_for_load_state("networkidle")
    page.get_by_label("GraphQL document").fill(document)


def test_a_subscription_shows_each_answer_until_it_is_stopped(studio, visit, tmp_path):
    service = studio(TABLES)
    with serving_as_a_process(service, tmp_path, **LIVE) as address:
        page = visit(f"{address}/studio/explore")
        write(page, f"subscription {{ {NOTES} }}")
        page.get_by_role("button", name="Run", exact=True).click()
        page.get_by_text("1 answer, ").wait_for()
        assert page.locator(".cm-lintRange-error").count() == 0
        service.sql("insert into note (owner, body) values ('00000000-0000-4000-8000-000000000001', 'fresh')")
        page.get_by_text("2 answers, ").wait_for()
        page.get_by_text('"fresh"').wait_for()
        page.get_by_text("Answer 1, ").click()
        page.get_by_label("Answer 1").get_by_text('"hers"').wait_for()
        page.get_by_role("button", name="Stop").click()
        page.get_by_text("ended", exact=True).wait_for()
        page.close()


def test_a_query_runs_live_as_the_caller_and_a_refusal_is_explained(studio, visit, tmp_path):
    service = studio(TABLES)
    with serving_as_a_process(service, tmp_path, **LIVE) as address:
        page = visit(f"{address}/studio/explore", faults_expected=True)
        write(page, f"{{ {NOTES} }}")
        page.get_by_role("button", name="Live", exact=True).click()
        page.get_by_text("1 answer, ").wait_for()
        write(page, "{ nothing }")
        page.get_by_role("button", name="Live", exact=True).click()
        page.get_by_text("Cannot query field 'nothing' on type 'Query'").first.wait_for()
        page.close()


def test_a_service_without_live_queries_says_how_to_get_them(served, visit):
    page = visit(f"{served()[1]}/studio/explore", faults_expected=True)
    write(page, f"{{ {NOTES} }}")
    page.get_by_role("button", name="Live", exact=True).click()
    page.get_by_text("This service has no live queries.").wait_for()
    page.get_by_text("--live").wait_for()
