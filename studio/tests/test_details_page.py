"""Details of the views: the order of completions, lines of the diagram, the first bucket, numbers and colours."""

from __future__ import annotations

import re

from visitor import NEEDED, TABLES, use_service_role

pytestmark = NEEDED


def test_collections_come_first_among_completions(served, visit):
    page = visit(f"{served()[1]}/studio/explore")
    page.wait_for_load_state("networkidle")
    editor = page.get_by_label("GraphQL document")
    editor.fill("{ no }")
    editor.press("End")
    for _ in " }":
        editor.press("ArrowLeft")
    options = page.get_by_role("option")
    while not options.count():
        editor.press("Control+Space")
        page.wait_for_timeout(200)  # The types are loaded a moment later.
    texts = options.all_inner_texts()
    assert len(texts) > 1
    assert "noteCollection" in texts[0]


LINES_THROUGH_TABLES = """() => {
  const boxes = [...document.querySelectorAll(".react-flow__node")].map((node) => node.getBoundingClientRect());
  return [...document.querySelectorAll(".react-flow__edge-path")].filter((path) => {
    const matrix = path.getScreenCTM();
    const length = path.getTotalLength();
    return Array.from({ length: 200 }, (_, n) => path.getPointAtLength((n / 199) * length)).some((each) => {
      const { x, y } = each.matrixTransform(matrix);
      return boxes.some((box) => x > box.left + 2 && x < box.right - 2 && y > box.top + 2 && y < box.bottom - 2);
    });
  }).length;
}"""


def test_lines_of_the_diagram_lead_around_the_tables(served, visit):
    sql = """
      create table country (id int primary key);
      create table city (id int primary key, country_id int references country, a text, b text, c text, d text);
      create table street (id int primary key, city_id int references city, country_id int references country, e text);
      create table house (id int primary key, street_id int references street, city_id int references city,
        country_id int references country, house_id int references house);
    """
    page = visit(f"{served(sql)[1]}/studio/schema")
    page.locator(".react-flow__edge-path").nth(6).wait_for(state="attached")
    assert page.evaluate(LINES_THROUGH_TABLES) == 0


def test_the_first_bucket_is_opened(served, visit):
    service, address = served()
    for name in ("zebras", "antelopes"):
        headers = {"Authorization": f"Bearer {service.service_role_key}"}
        service.request("POST", "/storage/v1/bucket", json={"name": name}, headers=headers)
    page = visit(f"{address}/studio/storage")
    use_service_role(page)
    page.wait_for_url("**/studio/storage/*")
    page.get_by_role("button", name="Delete the bucket").wait_for()
    first = page.get_by_label("Buckets").get_by_role("link").first
    assert first.get_attribute("aria-current") == "page"


def test_one_row_is_not_plural(served, visit):
    sql = f"{TABLES} delete from note; delete from author where id = 2; analyze author;"
    page = visit(f"{served(sql)[1]}/studio/schema/public.author")
    page.get_by_text("about 1 row", exact=True).wait_for()


def test_notes_of_the_doctor_do_not_look_like_warnings(served, visit):
    page = visit(f"{served()[1]}/studio/access")
    findings = page.locator(".findings")
    findings.get_by_text("note").first.wait_for(state="attached")
    found = findings.locator(".badge").evaluate_all("(all) => all.map((each) => [each.textContent, each.className])")
    assert {name for text, name in found if text == "note"} == {"badge info"}
    wrong = any(text == "wrong" for text, _ in found)
    assert re.search("tone-bad" if wrong else "tone-info", findings.get_attribute("class"))


def test_columns_are_as_wide_as_their_values(served, visit):
    page = visit(f"{served()[1]}/studio/data/Note", viewport={"width": 1600, "height": 800})
    owner = page.get_by_text("00000000-0000-4000-8000-000000000001")
    assert owner.evaluate("(each) => each.scrollWidth <= each.clientWidth")
    page.get_by_role("columnheader", name="id", exact=True).wait_for()
    widths = page.get_by_role("columnheader").evaluate_all("(all) => all.map((each) => each.offsetWidth)")
    assert widths[1] < widths[3]
