"""Rows in the view Data: the form of a row, the search for related rows, and the opened row."""

from __future__ import annotations

from visitor import NEEDED, use_service_role

pytestmark = NEEDED

BOOKS = """
create table shelf (id int primary key, name text not null);
create table book (id int generated always as identity primary key, shelf_id int not null references shelf,
  title text not null, pages int not null check (pages > 0), made_on date not null default current_date, note text);
insert into shelf values (1, 'History'), (2, 'Poetry'), (3, '100% wool');
insert into book (shelf_id, title, pages) values (2, 'Odes', 90), (2, 'Songs', 80);
comment on schema public is '@graphql({"introspection": true, "inflect_names": true})';
"""


def new_book(page, address):
    page.goto(f"{address}/studio/data/Book")
    use_service_role(page)
    page.get_by_role("button", name="New row").click()
    return page.get_by_role("dialog")


def test_the_form_shows_requirements_and_defaults_and_all_problems_at_once(served, visit):
    service, address = served(BOOKS)
    page = visit(f"{address}/studio")
    form = new_book(page, address)
    assert form.get_by_text("required", exact=True).count() == 3
    form.get_by_text("default: CURRENT_DATE").wait_for()
    form.get_by_label("pages").fill("many")
    form.get_by_role("button", name="Insert").click()
    for problem in ("shelfId is required.", "title is required.", "pages must be a whole number", "3 fields need"):
        form.get_by_text(problem).wait_for()
    page.wait_for_function("document.activeElement.ariaLabel === 'shelfId'")
    form.get_by_label("title").fill("Atlas")
    form.get_by_label("pages").fill("-1")
    form.get_by_label("shelfId").fill("77")
    form.get_by_role("button", name="Insert").click()
    page.locator(".field", has=page.get_by_label("pages")).get_by_text("book_pages_check").wait_for()
    form.get_by_label("pages").fill("5")
    form.get_by_role("button", name="Insert").click()
    page.locator(".field", has=page.get_by_label("shelfId")).get_by_text("book_shelf_id_fkey").wait_for()
    assert service.sql("select count(*) from book") == [["2"]]


def test_a_row_is_inserted_in_one_go_with_a_related_row_found_by_its_name(served, visit):
    service, address = served(BOOKS)
    page = visit(f"{address}/studio")
    form = new_book(page, address)
    shelf = form.get_by_role("combobox", name="shelfId")
    shelf.fill("0%")
    form.get_by_role("option", name="100% wool").wait_for()
    assert form.get_by_role("option").count() == 1
    shelf.fill("poe")
    form.get_by_role("option", name="Poetry").wait_for()
    shelf.press("ArrowDown")
    shelf.press("Enter")
    assert shelf.input_value() == "2"
    form.get_by_label("title").fill("Hymns")
    form.get_by_label("pages").fill("70")
    form.get_by_role("button", name="Insert").click()
    page.get_by_text("A row was inserted.").wait_for()
    assert service.sql("select shelf_id, title, pages, note from book where id = 3") == [["2", "Hymns", "70", None]]


def test_the_cell_of_a_key_links_to_the_related_row(served, visit):
    page = visit(f"{served(BOOKS)[1]}/studio/data/Book")
    row = page.get_by_role("row", name="Odes")
    row.get_by_role("button", name="Edit shelfId: 2").wait_for()
    assert page.get_by_role("columnheader", name="shelf", exact=True).count() == 0
    row.get_by_role("button", name="Poetry").click()
    page.wait_for_url("**/data/Shelf?*")
    page.get_by_role("button", name="Edit name: Poetry").wait_for()


def test_an_opened_row_is_edited_and_shows_its_related_rows(served, visit):
    service, address = served(BOOKS)
    page = visit(f"{address}/studio/data/Shelf")
    use_service_role(page)
    page.get_by_role("button", name="Open row 2").click()
    page.get_by_label("Related rows").get_by_role("button", name="Songs").wait_for()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("dialog").get_by_label("name").fill("Verse")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The row was saved.").wait_for()
    assert service.sql("select name from shelf where id = 2") == [["Verse"]]
    page.get_by_role("button", name="Open row 2").click()
    page.get_by_label("Related rows").get_by_role("button", name="Odes").click()
    page.get_by_role("button", name="Open row 1").click()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_label("note", exact=True).fill("x")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The row was saved.").wait_for()
    assert service.sql("select note, pages from book where title = 'Odes'") == [["x", "90"]]


def test_without_the_key_of_the_service_the_schema_says_what_is_required(served, visit):
    _, address = served(BOOKS)
    page = visit(f"{address}/studio/explore", faults_expected=True)
    page.route("**/studio/api/form*", lambda route: route.fulfill(status=403, body="{}"))
    page.goto(f"{address}/studio/data/Book")
    page.get_by_role("button", name="New row").click()
    page.get_by_role("dialog").get_by_text("required", exact=True).first.wait_for()
    page.get_by_role("dialog").get_by_label("shelfId").fill("1")
