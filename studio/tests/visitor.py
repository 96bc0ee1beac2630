"""A visitor's browser, the tables that it sees, and common actions of visitors."""

from __future__ import annotations

import json
import shutil
import threading
from contextlib import contextmanager

import pytest
from portico_studio.page import PAGE
from waitress.server import create_server
from waitress.wasyncore import close_all

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NEEDED = [
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


def become(page, name, sub):
    """Add a test user and make it the caller."""
    page.get_by_title("Choose the caller").click()
    page.get_by_label("Name, shown only here").fill(name)
    page.get_by_label("Claims").fill(json.dumps({"sub": sub}))
    page.get_by_role("button", name="Use this user").click()
    page.get_by_text(f"Caller: {name}").wait_for(state="attached")


def use_service_role(page):
    page.get_by_title("Choose the caller").click()
    page.get_by_role("button", name="Service").first.click()


@contextmanager
def serving(application):
    """Serve the application on its own port. Yields the address."""
    # Responses stay in memory: a file of one that the browser did not receive would be left open.
    server = create_server(application, host="127.0.0.1", port=0, threads=8, outbuf_overflow=1 << 28)
    thread = threading.Thread(target=server.run)
    thread.start()
    yield f"http://127.0.0.1:{server.effective_port}"
    server.task_dispatcher.shutdown()
    # The files must be closed in the thread of the server's loop, which would fail otherwise.
    server.trigger.pull_trigger(lambda: close_all(server._map))
    thread.join()
