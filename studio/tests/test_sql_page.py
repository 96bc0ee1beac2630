"""The view SQL, statements that the page proposes, and the forms that make statements."""

from __future__ import annotations

import pytest
from visitor import NEEDED, TABLES, serving

pytestmark = NEEDED


def write(page, sql):
    # When the catalog arrives, the editor sets its selection again.
    page.wait_for_load_state("networkidle")
    page.get_by_role("textbox", name="SQL").fill(sql)
    page.get_by_role("button", name="Run", exact=True).click()


def test_sql_runs_as_the_login_and_as_a_role(served, visit):
    page = visit(f"{served()[1]}/studio/sql")
    write(page, "select name, null as nothing from author order by id")
    page.get_by_role("columnheader", name="nothing").wait_for()
    page.get_by_role("cell", name="Ann").wait_for()
    page.get_by_label("Run as").select_option("anon")
    write(page, "insert into note (body) values ('x')")
    page.get_by_text("permission denied for table note").wait_for()
    page.get_by_role("button", name="select name").click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("cell", name="Ann").wait_for()


def test_an_error_is_marked_at_its_position(served, visit):
    page = visit(f"{served()[1]}/studio/sql")
    write(page, "select 1;\nselect wrong from author")
    page.get_by_text("Line 2, column 8").wait_for()
    page.locator(".cm-lintRange-error").get_by_text("wrong").wait_for()
    page.locator(".cm-content").press("End")
    page.keyboard.type(";")
    page.locator(".cm-lintRange-error").wait_for(state="detached")


def test_a_proposed_statement_runs_in_place(served, visit):
    service, address = served()
    page = visit(f"{address}/studio/access?table=public.note&role=anon&command=insert")
    page.get_by_text("No rows. anon has no privilege to insert.").wait_for()
    page.get_by_role("button", name="Run this statement").click()
    page.get_by_text("No rows. Row level security is on, and no policy allows a row.").wait_for()
    page.get_by_role("button", name="Run this statement").click()
    page.get_by_text("All rows. A policy allows all rows.").wait_for()
    assert service.sql("select polname from pg_policy where polcmd = 'a'") == [["anon_insert"]]


def test_a_refused_operation_is_allowed_by_the_proposed_statement(served, visit):
    page = visit(f"{served()[1]}/studio/explore")
    page.get_by_label("GraphQL document").fill(
        'mutation { insertIntoAuthorCollection(objects: [{id: 9, name: "x"}]) { affectedCount } }'
    )
    run = page.get_by_role("button", name="Run", exact=True)
    run.click()
    page.get_by_role("button", name="Run this statement").click()
    page.get_by_text("The statement ran.").wait_for()
    run.click()
    page.get_by_text('"affectedCount": 1').wait_for()


def test_a_table_is_created_and_its_rows_are_shown(served, visit):
    service, address = served()
    page = visit(f"{address}/studio/schema")
    page.get_by_role("button", name="New table").click()
    page.get_by_label("Table", exact=True).last.fill("order")
    column = page.get_by_role("group", name="Column 1")
    column.get_by_label("Column").fill("Title")
    page.get_by_text('create table public."order" (').wait_for()
    page.get_by_text('"Title" text not null').wait_for()
    page.get_by_role("button", name="Run this statement").click()
    page.get_by_text("The table order exists.").wait_for()
    page.get_by_role("button", name="Done").click()
    page.locator(".react-flow__node").get_by_text("order", exact=True).wait_for()
    assert service.sql("select relrowsecurity from pg_class where relname = 'order'") == [["t"]]
    page.get_by_role("link", name="Data").click()
    page.get_by_role("link", name="Order").click()
    page.get_by_text("may not").or_(page.get_by_text("No rows")).first.wait_for()


def test_a_column_is_added_with_its_relationship(served, visit):
    service, address = served()
    page = visit(f"{address}/studio/schema/public.author")
    page.get_by_role("button", name="New column").click()
    page.get_by_label("Refers to").select_option("note")
    page.get_by_text("alter table public.author add column note_id integer references public.note;").wait_for()
    page.get_by_role("button", name="Run this statement").click()
    page.get_by_text("The table has the column note_id.").wait_for()
    page.get_by_role("button", name="Done").click()
    page.get_by_role("rowheader", name="note_id").wait_for()
    assert service.sql("select count(*) from pg_index where indrelid = 'author'::regclass") == [["2"]]


TEAMS = (
    TABLES
    + """
create table team (id int primary key);
create table member (team_id int references team, user_id uuid, primary key (team_id, user_id));
create table task (id int primary key, team_id int references team, owner_id uuid, body text);
insert into team values (1), (2);
insert into member values (1, '00000000-0000-4000-8000-000000000001');
insert into task values (1, 1, '00000000-0000-4000-8000-000000000001', 'a'), (2, 2, null, 'b');
revoke all on task from anon, authenticated;
grant select on member to authenticated;
"""
)


@pytest.mark.parametrize(
    ("template", "role", "rows"), [("own", "authenticated", "1"), ("team", "authenticated", "1"), ("read", "anon", "2")]
)
def test_a_policy_of_each_template_lets_through_the_rows_that_it_names(served, visit, template, role, rows):
    service, address = served(TEAMS)
    page = visit(f"{address}/studio/schema/public.task")
    page.get_by_text("no row level security").wait_for()
    page.get_by_role("button", name="New policy").click()
    page.get_by_label("Template").select_option(template)
    page.get_by_role("button", name="Run this statement").click()
    page.get_by_text("applies.").wait_for()
    page.get_by_role("button", name="Done").click()
    page.get_by_text("row level security", exact=True).wait_for()
    claims = '{"sub": "00000000-0000-4000-8000-000000000001"}'
    found = service.sql(
        f"begin; set local role {role}; set local request.jwt.claims = '{claims}'; select count(*) from task"
    )
    assert found == [[rows]]


def test_outside_development_there_is_no_sql(studio, visit):
    service = studio(TABLES)
    with serving(service.application) as address:
        page = visit(f"{address}/studio/access")
        page.get_by_label("Anonymous key").fill(service.anon_key)
        page.get_by_label("Service role key").fill(service.service_role_key)
        page.get_by_role("button", name="Use these keys").click()
        page.get_by_role("link", name="anon, insert on note").click()
        page.get_by_text("grant insert on public.note to anon;").wait_for()
        assert page.get_by_role("button", name="Run this statement").count() == 0
        assert page.get_by_role("link", name="SQL").count() == 0
        page.goto(f"{address}/studio/sql")
        page.wait_for_url("**/studio/explore")
        page.close()
