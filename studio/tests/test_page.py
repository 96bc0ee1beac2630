"""The page in a browser, as a visitor uses it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from conftest import START
from graphql import GraphQLBoolean, GraphQLInputField
from portico_sign_in.plugin import TABLES as SIGN_IN_TABLES
from portico_sign_in.plugin import SignIn
from portico_studio.page import PAGE
from sqlalchemy import func
from visitor import NEEDED, TABLES, become, serving, use_service_role

from portico import Fields, hookimpl

AXE = Path(__file__).parents[1] / "web" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = NEEDED

VIEWS = (
    "explore", "data/Note", "schema", "schema/public.note", "access", "sql", "storage", "users", "service",
)  # fmt: skip
USERS = """
insert into auth.users (email) values ('ann@example.com'),
  ('someone.with.a.very.long.address@a.subdomain.of.a.subdomain.of.a.long.domain.example.com');
update auth.users set banned_until = now() + interval '1 day' where email = 'ann@example.com';
"""


def test_from_the_first_start_to_the_first_answer(served, visit):
    page = visit(served()[1])
    page.wait_for_url("**/studio/explore")
    page.get_by_text('"authorCollection"').wait_for()
    page.get_by_label("GraphQL document").fill("{ noteCollection { edges { node { body } } } }")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text('"hers"').wait_for()
    page.get_by_role("tab", name="SQL").click()
    page.get_by_text("FROM public.note").wait_for()
    page.get_by_role("tab", name="Plan").click()
    page.get_by_role("button", name="Run and measure").click()
    page.get_by_text("It ran in").wait_for()


def test_a_refused_operation_shows_the_missing_grant(served, visit):
    page = visit(f"{served()[1]}/studio/explore")
    editor = page.get_by_label("GraphQL document")
    editor.fill('mutation { insertIntoNoteCollection(objects: [{body: "x"}]) { affectedCount } }')
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("grant insert on public.note to anon;").wait_for()


def test_a_cell_is_edited_if_the_policy_allows_it_and_the_reason_is_shown_if_not(served, visit):
    service, address = served()
    page = visit(f"{address}/studio/data/Note")
    page.get_by_text("may not insert, update or delete").wait_for()
    become(page, "Ann", "00000000-0000-4000-8000-000000000001")
    page.get_by_role("button", name="Edit body: hers").click()
    page.get_by_label("New value of body").fill("changed")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("body was saved.").wait_for()
    assert service.sql("select body from note where id = 1") == [["changed"]]
    page.get_by_role("button", name="Edit body: <img").click()
    page.get_by_label("New value of body").fill("stolen")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("No row was changed.").wait_for()
    page.get_by_text("owner = auth.uid()").first.wait_for()
    assert service.sql("select count(*) from note where body = 'stolen'") == [["0"]]


def test_rows_are_filtered_followed_inserted_and_deleted(served, visit):
    service, address = served()
    page = visit(f"{address}/studio/data/Author")
    use_service_role(page)
    page.get_by_role("button", name="New row").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("id").fill("3")
    dialog.get_by_label("name").fill("Cid")
    dialog.get_by_role("button", name="Insert", exact=True).click()
    page.get_by_text("A row was inserted.").wait_for()
    page.get_by_role("button", name="Filter").click()
    page.get_by_label("Column", exact=True).select_option("name")
    page.get_by_label("Value", exact=True).fill("Cid")
    page.get_by_role("button", name="Add").click()
    page.get_by_label("Select row 1").check()
    page.get_by_role("button", name="Delete 1").click()
    page.get_by_role("button", name="Delete 1 row").click()
    page.get_by_text("Deleted 1 of 1 row.").wait_for()
    assert service.sql("select count(*) from author") == [["2"]]
    page.get_by_role("button", name="Remove the condition on name").click()
    page.get_by_role("button", name="Open row 1").click()
    page.get_by_role("button", name="noteCollection").click()
    page.get_by_role("button", name="Edit body: hers").wait_for()


class Loudness:
    """A plugin with a filter operator of its own."""

    @hookimpl
    def filter_operators(self, value_type):
        if value_type.filter != "String":
            return None
        loud = GraphQLInputField(GraphQLBoolean, description="Text in capitals", extensions={"operator": _is_loud})
        return Fields(90, {"isLoud": loud})


def _is_loud(planning, compared, operand):
    operand.steer()
    return compared.value == func.upper(compared.value)


def test_a_filter_lists_each_operator_with_its_description_also_those_of_plugins(served, visit):
    _, address = served(f"{TABLES} insert into author values (3, 'CID');", plugins={"loudness": Loudness})
    page = visit(f"{address}/studio/data/Author")
    page.get_by_role("button", name="Filter").click()
    page.get_by_label("Column", exact=True).select_option("name")
    operators = page.get_by_label("Operator", exact=True)
    texts = operators.locator("option").all_inner_texts()
    assert {"eq: Values equal to this one", "isLoud: Text in capitals"} <= set(texts)
    assert all(": " in each for each in texts)
    operators.select_option("isLoud")
    page.get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Edit name: Ann").wait_for(state="detached")
    page.get_by_text("CID").wait_for()
    page.get_by_role("button", name="Remove the condition on name").click()
    page.get_by_role("button", name="Filter").click()
    page.get_by_label("Column", exact=True).select_option("name")
    operators.select_option("is")
    assert page.get_by_label("Value", exact=True).locator("option").all_inner_texts() == ["NULL", "NOT_NULL"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_each_view_is_accessible_and_fits(served, visit, scheme, width):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: cd studio/web && npm install")
    _, address = served(f"{TABLES};{SIGN_IN_TABLES};{USERS}", plugins={"sign_in": SignIn})
    page = visit(f"{address}/studio", viewport={"width": width, "height": 800}, color_scheme=scheme)
    tester = page.context.new_cdp_session(page)
    for view in VIEWS:
        page.goto(f"{address}/studio/{view}")
        page.get_by_role("heading", level=1).wait_for()
        assert f"/studio/{view}" in page.url
        if view == "service":  # This view requests figures as long as it is open.
            page.get_by_text("Since the start", exact=True).wait_for()
        else:
            page.wait_for_load_state("networkidle")
        # The DevTools protocol bypasses the content security policy, which would block this script.
        tester.send("Runtime.evaluate", {"expression": AXE.read_text(encoding="utf-8")})
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then((result) => result.violations)")
        serious = [each for each in found if each["impact"] in ("serious", "critical")]
        assert [(each["id"], each["nodes"][0]["html"]) for each in serious] == [], f"{view} at {width}, {scheme}"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{view} is wider than {width}"


def test_a_table_of_200_columns_with_large_and_foreign_values(served, visit):
    columns = ", ".join(f"c{n} text" for n in range(200))
    sql = f"""create table wide (id int primary key, {columns});
      insert into wide (id, c0, c1) values (1, repeat('x', 1000000), 'שלום ' || chr(8238) || ' עולם');
      grant select on wide to anon; comment on schema public is '@graphql({{"introspection": true}})'"""
    page = visit(f"{served(sql)[1]}/studio/data/wide")
    page.get_by_text("שלום").wait_for()
    page.get_by_role("button", name="24 of 201").click()
    page.get_by_placeholder("Search 201 columns").fill("c199")
    page.get_by_label("c199").check()
    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="c199", exact=True).wait_for()


def test_the_page_shows_that_the_service_does_not_answer(served, visit, browser):
    _, address = served()
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}/studio/data/Author#start={START}")
    page.get_by_text("Ann").wait_for()
    context.set_offline(True)
    page.get_by_role("button", name="Refresh").click()
    page.get_by_text("The service does not answer.").wait_for()
    context.set_offline(False)
    page.get_by_text("The service does not answer.").wait_for(state="detached")
    context.close()


def test_a_view_that_could_not_be_loaded_is_loaded_when_the_service_is_back(served, browser):
    _, address = served()
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}/studio/data/Author#start={START}")
    page.get_by_text("Ann").wait_for()
    context.set_offline(True)
    page.get_by_role("link", name="Storage").click()
    page.get_by_text("This view could not be loaded.").wait_for()
    context.set_offline(False)
    page.get_by_role("button", name="New bucket").wait_for()
    context.close()


def test_without_development_the_page_asks_for_keys_and_keeps_them_in_the_tab(studio, visit, browser):
    service = studio(TABLES)
    with serving(service.application) as address:
        page = visit(f"{address}/studio/access")
        page.get_by_label("Anonymous key").fill(service.anon_key)
        page.get_by_label("Service role key").fill(service.service_role_key)
        page.get_by_role("button", name="Use these keys").click()
        page.get_by_role("link", name="authenticated, update on note: rows that policies allow").click()
        steps = page.get_by_role("list", name="How PostgreSQL decides")
        steps.get_by_text("Has the privilege to update, granted to authenticated.").wait_for()
        steps.get_by_text("(owner = auth.uid())").wait_for()
        assert service.service_role_key not in page.url
        assert page.evaluate("JSON.stringify(localStorage)").find(service.service_role_key) == -1
        page.close()


def test_in_development_the_page_asks_for_the_printed_address_and_remembers_it(served, visit):
    _, address = served()
    page = visit(address, start="")
    page.get_by_text("Open the address that the service printed").wait_for()
    page.goto(f"{address}/studio#start={START}")
    page.get_by_text('"authorCollection"').wait_for()
    assert START not in page.url
    later = page.context.new_page()
    later.goto(f"{address}/studio/service")
    later.get_by_text("Since the start", exact=True).wait_for()


def test_the_editor_completes_what_the_document_touches(served, visit):
    page = visit(f"{served()[1]}/studio/explore")
    editor = page.get_by_label("GraphQL document")
    editor.fill("{ noteCollection { edges { node { } } } }")
    editor.press("End")
    for _ in "} } } }":
        editor.press("ArrowLeft")
    found = page.get_by_role("option", name="body")
    while not found.count():
        editor.press("Control+Space")
        page.wait_for_timeout(200)  # The types are loaded a moment later.


def test_the_tables_with_the_most_relationships_are_drawn(served, visit):
    sql = "".join(f"create table t{n} (id int primary key, hub int references hub);" for n in range(130))
    address = served(f"create table hub (id int primary key); {sql}")[1]
    page = visit(f"{address}/studio/schema")
    page.get_by_text("Showing the 100 tables with the most relationships to each other, of 131.").wait_for()
    page.get_by_label("Search tables and columns").fill("t129")
    page.get_by_text("Showing 1 table whose name or columns match, of 131.").wait_for()
    page.locator(".react-flow__node").get_by_text("t129").click()
    page.get_by_role("heading", name="public.t129").wait_for()


def test_the_drawn_tables_are_related(served, visit):
    sql = "".join(
        f"create table parent{n} (id int primary key); create table child{n} (id int primary key references parent{n});"
        for n in range(60)
    )
    page = visit(f"{served(sql)[1]}/studio/schema")
    page.get_by_text("Showing the 100 tables with the most relationships to each other, of 120.").wait_for()
    page.locator(".react-flow__edge").nth(49).wait_for(state="attached")


def test_slow_operations_are_listed_and_taken_to_explore(served, visit):
    service, address = served(slow_operation_ms=1)
    service.graphql("query Notes { noteCollection { edges { node { body } } } }")
    page = visit(f"{address}/studio/service")
    page.get_by_text("Notes", exact=True).click()
    page.get_by_role("button", name="Open in Explore").click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text('"hers"').wait_for()


def test_the_first_view_is_below_500_kb(served, visit):
    page = visit(f"{served()[1]}/studio/explore")
    page.get_by_role("button", name="Run", exact=True).wait_for()
    loaded = page.evaluate("performance.getEntriesByType('resource').map((each) => each.name)")
    files = [PAGE / "assets" / each.rsplit("/", 1)[1] for each in loaded if "/studio/assets/" in each]
    sizes = {each.name: len(gzip.compress(each.read_bytes(), 9)) for each in (PAGE / "index.html", *files)}
    print(f"The first view, compressed: {sum(sizes.values()) // 1024} KB, {sizes}")
    assert sum(sizes.values()) < 500 * 1024


def test_types_are_requested_without_fields_that_describe_all_types(served, visit):
    sent = []
    page = visit("about:blank")
    page.on("request", lambda each: sent.append(each.post_data or ""))
    page.goto(f"{served()[1]}/studio/data/Note#start={START}")
    page.get_by_text("hers").wait_for()
    assert any("query Type(" in each for each in sent)
    assert not any("possibleTypes" in each for each in sent)


def test_the_diagram_fits_in_every_size(served, visit):
    page = visit(f"{served()[1]}/studio/schema", viewport={"width": 1440, "height": 900})
    page.locator(".react-flow__node").get_by_text("author", exact=True).wait_for()
    page.set_viewport_size({"width": 390, "height": 700})
    page.wait_for_function(
        """() => {
            const frame = document.querySelector(".diagram").getBoundingClientRect();
            const isInside = (each) => each.left >= frame.left && each.right <= frame.right;
            const nodes = [...document.querySelectorAll(".react-flow__node")];
            return nodes.every((each) => isInside(each.getBoundingClientRect()));
        }"""
    )


def test_the_focus_returns_to_the_cell_that_was_edited(served, visit):
    page = visit(f"{served()[1]}/studio/data/Author")
    use_service_role(page)
    cell = page.get_by_role("button", name="Edit name: Ann")
    for leave in ("Escape", "Enter"):
        cell.press("Enter")
        page.get_by_label("New value of name").press(leave)
        page.wait_for_function("() => document.activeElement.ariaLabel === 'Edit name: Ann'")


def test_a_value_of_megabytes_is_shown_in_part_and_saved_completely(served, visit):
    sql = f"{TABLES} update note set body = repeat('x', 1000000), wide = 'y' where id = 1;"
    page = visit(f"{served(sql)[1]}/studio/data/Note")
    use_service_role(page)
    page.get_by_role("button", name="Edit wide: y").wait_for()
    assert page.get_by_role("button", name="Edit body: xxx").count() == 0
    page.get_by_role("button", name="Open row 1").click()
    page.get_by_text("The first 20,000 of 1,000,000 characters.").wait_for()
    with page.expect_download() as saved:
        page.get_by_role("button", name="All of body").click()
    assert saved.value.path().stat().st_size == 1_000_000


def test_refused_requests_are_listed_by_kind(served, visit):
    service, address = served()
    assert service.client.simulate_get("/nowhere").status_code == 404
    page = visit(f"{address}/studio/service")
    page.get_by_role("row", name="Unknown addresses status 404 1").wait_for()


@pytest.mark.parametrize("width", [390, 1024])
def test_a_bucket_with_a_long_name_fits(served, visit, width):
    page = visit(f"{served()[1]}/studio/storage", viewport={"width": width, "height": 800})
    use_service_role(page)
    page.get_by_role("button", name="New bucket").click()
    page.get_by_label("Name").first.fill("n" * 90)
    page.keyboard.press("Enter")
    delete = page.get_by_role("button", name="Delete the bucket")
    delete.wait_for()
    assert delete.evaluate("(each) => each.getBoundingClientRect().right <= innerWidth")


def test_the_keyboard_skips_navigation_and_tables(served, visit):
    page = visit(f"{served()[1]}/studio/data/Note")
    page.get_by_text("hers").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText.trim()").startswith("Columns")


def test_the_form_of_a_caller_fits_a_phone(served, visit):
    page = visit(f"{served()[1]}/studio/service", viewport={"width": 360, "height": 740})
    page.get_by_title("Choose the caller").click()
    name, role = page.get_by_label("Name, shown only here"), page.get_by_label("Role", exact=True)
    assert name.evaluate("(each) => each.getBoundingClientRect().right <= innerWidth - 12")
    assert role.evaluate("(each) => each.getBoundingClientRect().right <= innerWidth - 12")
    assert page.get_by_role("dialog").locator(".inside").evaluate("(each) => each.scrollWidth <= each.clientWidth")
