"""The page in a browser, as a visitor uses it."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import pytest
from portico_studio.page import PAGE
from waitress.server import create_server

api = pytest.importorskip("playwright.sync_api", reason="the Python package playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = Path(__file__).parents[1] / "web" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium"),
    pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="the page is not built: studio/web, npm run build"),
]

TABLES = """
create table author (id int primary key, name text not null);
create table note (id int generated always as identity primary key, author_id int references author,
  owner uuid not null default auth.uid(), body text, wide text);
insert into author values (1, 'Ann'), (2, 'مريم');
insert into note (author_id, owner, body) values (1, '00000000-0000-4000-8000-000000000001', 'hers'),
  (2, '00000000-0000-4000-8000-000000000002', '<img src=x onerror=alert(1)>');
alter table note enable row level security;
create policy read on note for select to anon, authenticated using (true);
create policy own on note for update to authenticated using (owner = auth.uid());
revoke all on note, author from anon, authenticated;
grant select on note, author to anon, authenticated;
grant update on note to authenticated;
grant all on note, author to service_role;
comment on schema public is '@graphql({"introspection": true, "inflect_names": true})';
"""
VIEWS = ("explore", "data/Note", "schema", "schema/public.note", "access", "storage", "service")


@pytest.fixture(scope="module")
def browser():
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def served(studio):
    """Serves Studio for development on a database made by SQL; gives the service and its address."""
    servers = []

    def serve(sql=TABLES, **settings):
        service = studio(sql, development=True, **settings)
        server = create_server(service.application, host="127.0.0.1", port=0, threads=8)
        threading.Thread(target=server.run, daemon=True).start()
        servers.append(server)
        return service, f"http://127.0.0.1:{server.effective_port}"

    yield serve
    for each in servers:
        each.task_dispatcher.shutdown()
        each.close()


@pytest.fixture
def visit(browser):
    """Opens an address; in the end the page's console must have no error."""
    contexts, faults = [], []

    def open_(address, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(address)
        return page

    yield open_
    for each in contexts:
        each.close()
    assert faults == []


def become(page, name, sub):
    """Make up a user and ask as it."""
    page.get_by_title("Choose who asks").click()
    page.get_by_label("Name, for you only").fill(name)
    page.get_by_label("Claims").fill(json.dumps({"sub": sub}))
    page.get_by_role("button", name="Ask as this user").click()
    page.get_by_text(f"Asking as {name}").wait_for(state="attached")


def test_from_the_first_start_to_the_first_answer(served, visit):
    page = visit(served()[1])
    page.wait_for_url("**/studio/explore")
    page.get_by_role("button", name="Run").click()
    page.get_by_text('"authorCollection"').wait_for()
    page.get_by_role("tab", name="SQL").click()
    page.get_by_text("FROM public.author").wait_for()
    page.get_by_role("tab", name="Plan").click()
    page.get_by_role("button", name="Run for times").click()
    page.get_by_text("It ran in").wait_for()


def test_a_refused_question_says_what_is_missing(served, visit):
    page = visit(f"{served()[1]}/studio/explore")
    editor = page.get_by_label("GraphQL document")
    editor.fill('mutation { insertIntoNoteCollection(objects: [{body: "x"}]) { affectedCount } }')
    page.get_by_role("button", name="Run").click()
    page.get_by_text("grant insert on public.note to anon;").wait_for()


def test_a_cell_is_edited_where_the_policy_allows_it_and_told_why_where_not(served, visit):
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
    page.get_by_title("Choose who asks").click()
    page.get_by_role("button", name="Service").first.click()
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
    page.get_by_label("Choose row 1").check()
    page.get_by_role("button", name="Delete 1").click()
    page.get_by_role("button", name="Delete 1 row").click()
    page.get_by_text("1 of 1 rows were deleted.").wait_for()
    assert service.sql("select count(*) from author") == [["2"]]
    page.get_by_role("button", name="Remove the condition on name").click()
    page.get_by_role("button", name="Open row 1").click()
    page.get_by_role("button", name="noteCollection").click()
    page.get_by_role("button", name="Edit body: hers").wait_for()


def test_200_files_are_uploaded(served, visit):
    service, address = served()
    service.sql("insert into storage.buckets (id, name) values ('many', 'many')")
    page = visit(f"{address}/studio/storage/many")
    page.get_by_title("Choose who asks").click()
    page.get_by_role("button", name="Service").first.click()
    files = [{"name": f"file-{n:03}.txt", "mimeType": "text/plain", "buffer": b"x" * n} for n in range(200)]
    page.get_by_label("Upload files").set_input_files(files)
    page.get_by_text("200 files uploaded").wait_for(timeout=120_000)
    assert service.sql("select count(*) from storage.objects") == [["200"]]
    page.get_by_role("button", name="file-199.txt").click()
    page.get_by_text("text/plain · 199 B").wait_for()
    page.get_by_role("button", name="Make a link").click()
    page.get_by_label("The link", exact=True).wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_each_view_is_accessible_and_fits(served, visit, scheme, width):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: cd studio/web && npm install")
    _, address = served()
    page = visit(f"{address}/studio", viewport={"width": width, "height": 800}, color_scheme=scheme)
    tester = page.context.new_cdp_session(page)
    for view in VIEWS:
        page.goto(f"{address}/studio/{view}")
        page.get_by_role("heading", level=1).wait_for()
        if view == "service":  # It asks for figures as long as it is shown.
            page.get_by_text("Since the start", exact=True).wait_for()
        else:
            page.wait_for_load_state("networkidle")
        # Past the content security policy, which keeps a page from running what is not its own.
        tester.send("Runtime.evaluate", {"expression": AXE.read_text(encoding="utf-8")})
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then((told) => told.violations)")
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


def test_the_service_goes_and_the_page_says_so(served, visit, browser):
    _, address = served()
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}/studio/data/Author")
    page.get_by_text("Ann").wait_for()
    context.set_offline(True)
    page.get_by_role("button", name="Read again").click()
    page.get_by_text("The service does not answer.").wait_for()
    context.set_offline(False)
    page.get_by_text("The service does not answer.").wait_for(state="detached")
    context.close()


def test_without_development_the_page_asks_for_keys_and_keeps_them_in_the_tab(studio, visit, browser):
    service = studio(TABLES)
    server = create_server(service.application, host="127.0.0.1", port=0)
    threading.Thread(target=server.run, daemon=True).start()
    try:
        page = visit(f"http://127.0.0.1:{server.effective_port}/studio/access")
        page.get_by_label("Anonymous key").fill(service.anon_key)
        page.get_by_label("Service role key").fill(service.service_role_key)
        page.get_by_role("button", name="Use these keys").click()
        page.get_by_role("link", name="anon may select all in note").wait_for()
        assert service.service_role_key not in page.url
        assert page.evaluate("JSON.stringify(localStorage)").find(service.service_role_key) == -1
    finally:
        server.task_dispatcher.shutdown()
        server.close()
