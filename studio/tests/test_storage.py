"""Buckets, folders and objects in the page's Storage view."""

from __future__ import annotations

from urllib.parse import quote
from urllib.request import urlopen

import jwt
import pytest
from visitor import NEEDED, use_service_role

expect = pytest.importorskip("playwright.sync_api", reason="the Python package playwright is not installed").expect
pytestmark = NEEDED


def _as_service(visit, address, path=""):
    page = visit(f"{address}/studio/storage{path}")
    use_service_role(page)
    return page


def _store(service, bucket, key, content="Hello", *, public=False):
    service.sql(f"insert into storage.buckets (id, name, public) values ('{bucket}', '{bucket}', {public})")
    headers = {"Authorization": f"Bearer {service.service_role_key}", "Content-Type": "text/plain"}
    path = f"/storage/v1/object/{quote(bucket)}/{quote(key)}"
    done = service.client.simulate_post(path, body=content, headers=headers)
    assert done.status_code == 200, done.text


def test_a_bucket_is_made_with_the_keyboard_alone(served, visit):
    page = _as_service(visit, served()[1])
    page.get_by_text("No buckets yet").wait_for()
    page.get_by_role("button", name="New bucket").press("Enter")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="New bucket")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("letters")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="letters").wait_for()


def test_the_dialog_of_a_deletion_begins_at_cancel(served, visit):
    service, address = served()
    _store(service, "letters", "one.txt")
    page = _as_service(visit, address, "/letters")
    page.get_by_label("Select one.txt").check()
    page.get_by_role("button", name="Delete 1").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()


def test_a_missing_bucket_is_reported(served, visit):
    _as_service(visit, served()[1], "/nowhere").get_by_text("There is no bucket nowhere").wait_for()


def test_an_expired_token_is_reported_with_instructions(served, visit):
    token = jwt.encode({"role": "authenticated", "exp": 1}, "a secret of 32 bytes, or of more than that", "HS256")
    page = visit(f"{served()[1]}/studio/storage", faults_expected=True)
    page.get_by_title("Choose the caller").click()
    page.get_by_role("tab", name="Paste a token").click()
    page.get_by_label("User token").fill(token)
    page.get_by_role("button", name="Use this token").click()
    page.get_by_text("The token has expired.").wait_for()
    page.get_by_text("paste a new token").wait_for()


def test_folders_without_a_name_are_opened(served, visit):
    service, address = served()
    _store(service, "odd", "/a//b.txt")
    page = _as_service(visit, address, "/odd")
    for folder in ("/", "a/", "/"):
        page.get_by_role("table").get_by_role("link", name=folder, exact=True).click()
    page.get_by_role("button", name="b.txt").wait_for()
    page.get_by_role("navigation", name="Folders").get_by_role("link", name="a", exact=True).click()
    page.get_by_role("table").get_by_role("link", name="/", exact=True).wait_for()


def test_an_invalid_name_is_refused_with_the_rules_for_names(served, visit):
    service, address = served()
    service.sql("insert into storage.buckets (id, name) values ('letters', 'letters')")
    page = visit(f"{address}/studio/storage/letters", faults_expected=True)
    use_service_role(page)
    page.get_by_label("Upload files").set_input_files({"name": "Grüße.txt", "mimeType": "text/plain", "buffer": b"x"})
    page.get_by_text("Invalid key: Grüße.txt").wait_for()
    page.get_by_text("letters A to Z without accents").wait_for()


def test_links_work_as_they_are_shown(served, visit):
    service, address = served()
    _store(service, "to all", "a b?.txt", public=True)
    page = _as_service(visit, address, "/to%20all")
    page.get_by_role("button", name="a b?.txt").click()
    page.get_by_role("button", name="Create a link").click()
    for label in ("The link", "The public URL"):
        link = page.get_by_label(label, exact=True).input_value()
        with urlopen(link) as answer:
            assert answer.read() == b"Hello"
