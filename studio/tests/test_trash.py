"""Versions of objects in the page's Storage view: the trash, and the history of an object."""

from __future__ import annotations

import pytest
from visitor import NEEDED, become, use_service_role

expect = pytest.importorskip("playwright.sync_api", reason="the Python package playwright is not installed").expect
pytestmark = NEEDED

ANN = "00000000-0000-4000-8000-000000000001"


def _request(service, method, path, **options):
    headers = {"Authorization": f"Bearer {service.service_role_key}", **options.pop("headers", {})}
    done = service.client.simulate_request(method, f"/storage/v1/{path}", headers=headers, **options)
    assert done.status_code == 200, done.text
    return done


def _write(service, path, content):
    _request(
        service, "POST", f"object/{path}", body=content, headers={"x-upsert": "true", "Content-Type": "text/plain"}
    )


@pytest.fixture
def bucket(served):
    """Serves Studio with the bucket "letters", which keeps versions; returns the service and the bucket's address."""
    service, address = served()
    _request(service, "POST", "bucket", json={"name": "letters", "versioning_status": "ENABLED"})
    return service, f"{address}/studio/storage/letters"


def _visit_as_service(visit, address, **options):
    page = visit(address, **options)
    use_service_role(page)
    return page


def _versions(service, key):
    """The number of older versions and delete markers of a key."""
    return int(service.sql(f"select count(*) from storage.versions where name = '{key}'")[0][0])


def test_deleted_objects_come_back_from_the_trash(bucket, visit):
    service, address = bucket
    for name in ("a.txt", "b.txt", "in/c.txt"):
        _write(service, f"letters/{name}", "1")
    page = _visit_as_service(visit, address)
    for name in ("a.txt", "b.txt"):
        page.get_by_label(f"Select {name}").check()
    page.get_by_role("button", name="Delete 2").click()
    expect(page.get_by_role("dialog")).to_contain_text("moves them to the trash")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("Deleted 2 of 2 objects.").wait_for()
    page.get_by_role("link", name="Trash").click()
    page.get_by_label("Select all deleted objects").check()
    page.get_by_role("button", name="Undelete 2").click()
    page.get_by_text("Undeleted 2 objects.").wait_for()
    page.get_by_text("The trash is empty").wait_for()
    page.get_by_role("navigation", name="Folders").get_by_role("link", name="letters").click()
    for name in ("a.txt", "b.txt"):
        page.get_by_role("button", name=name).wait_for()
    assert _request(service, "GET", "object/letters/a.txt").text == "1"


def test_the_trash_of_a_folder_has_its_own_objects(bucket, visit):
    service, address = bucket
    for name in ("a.txt", "in/b.txt", "in/deep/c.txt"):
        _write(service, f"letters/{name}", "1")
        _request(service, "DELETE", f"object/letters/{name}")
    _write(service, "letters/in/b.txt", "2")
    page = _visit_as_service(visit, f"{address}?folder=in%2F&show=trash")
    page.get_by_role("button", name="deep/c.txt").wait_for()
    expect(page.get_by_label("Select", exact=False)).to_have_count(2)
    page.get_by_label("Names that begin with").fill("x")
    page.get_by_text("No matches").wait_for()
    page.get_by_role("navigation", name="Folders").get_by_role("link", name="letters").click()
    page.get_by_label("Upload files").wait_for(state="attached")


def test_objects_are_deleted_for_good_after_a_confirmation(bucket, visit):
    service, address = bucket
    for content in ("1", "2"):
        _write(service, "letters/a.txt", content)
    _request(service, "DELETE", "object/letters/a.txt")
    page = _visit_as_service(visit, f"{address}?show=trash")
    page.get_by_label("Select a.txt").check()
    delete = page.get_by_role("button", name="Delete 1 for good")
    delete.click()
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Enter")
    assert _versions(service, "a.txt") == 3
    delete.click()
    page.get_by_role("dialog").get_by_role("button", name="Delete for good").click()
    page.get_by_text("Deleted 1 object.").wait_for()
    page.get_by_text("The trash is empty").wait_for()
    assert _versions(service, "a.txt") == 0
    assert service.sql("select from storage.objects") == []


def test_an_object_that_is_there_again_keeps_its_versions(bucket, visit):
    service, address = bucket
    _write(service, "letters/a.txt", "1")
    _request(service, "DELETE", "object/letters/a.txt")
    page = _visit_as_service(visit, f"{address}?show=trash")
    page.get_by_label("Select a.txt").check()
    _write(service, "letters/a.txt", "2")
    page.get_by_role("button", name="Delete 1 for good").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete for good").click()
    page.get_by_text("a.txt exists again.").wait_for()
    assert _versions(service, "a.txt") == 2


def test_a_version_is_downloaded_restored_and_deleted(bucket, visit):
    service, address = bucket
    for content in ("first", "second", "third!"):
        _write(service, "letters/a.txt", content)
    page = _visit_as_service(visit, address)
    page.get_by_role("button", name="a.txt").click()
    versions = page.get_by_role("group", name="Versions").get_by_role("listitem")
    expect(versions).to_have_count(3)
    expect(versions.nth(0)).to_contain_text("current")
    expect(versions.nth(1)).to_contain_text("6 B")
    with page.expect_download() as download:
        versions.nth(2).get_by_role("button", name="Download").click()
    assert download.value.path().read_text() == "first"
    assert download.value.suggested_filename == "a.txt"
    versions.nth(1).get_by_role("button", name="for good").click()
    page.get_by_role("button", name="Delete for good", exact=True).click()
    expect(versions).to_have_count(2)
    page.get_by_text("Deleted the version of").wait_for()
    versions.nth(1).get_by_role("button", name="Restore").click()
    page.get_by_text("Restored the version of").wait_for()
    assert _request(service, "GET", "object/letters/a.txt").text == "first"
    assert _versions(service, "a.txt") == 2


def test_the_versions_of_a_deleted_object_are_shown(bucket, visit):
    service, address = bucket
    for content in ("first", "second"):
        _write(service, "letters/a.txt", content)
    _request(service, "DELETE", "object/letters/a.txt")
    page = _visit_as_service(visit, f"{address}?show=trash")
    page.get_by_role("button", name="a.txt").click()
    versions = page.get_by_role("group", name="Versions").get_by_role("listitem")
    expect(versions).to_have_count(3)
    versions.nth(0).get_by_role("button", name="Undelete").click()
    page.get_by_text("Undeleted a.txt.").wait_for()
    assert _request(service, "GET", "object/letters/a.txt").text == "second"


def test_refusals_show_the_message_of_the_service(bucket, visit):
    service, address = bucket
    service.sql(
        "create policy see on storage.versions for select to authenticated using (true);"
        " create policy undelete on storage.versions for delete to authenticated using (name = 'a.txt')"
    )
    for name in ("a.txt", "b.txt"):
        _write(service, f"letters/{name}", "1")
        _request(service, "DELETE", f"object/letters/{name}")
    page = visit(f"{address}?show=trash", faults_expected=True)
    become(page, "Ann", ANN)
    page.get_by_label("Select all deleted objects").check()
    page.get_by_role("button", name="Undelete 2").click()
    page.get_by_text("Undeleted 1 of 2 objects.").wait_for()
    page.get_by_role("alert").get_by_text("AccessDenied").wait_for()
    expect(page.get_by_label("Select b.txt")).to_be_visible()
    assert service.sql("select name from storage.objects") == [["a.txt"]]


def test_a_bucket_keeps_versions_if_the_visitor_wants_it(served, visit):
    service, address = served()
    page = _visit_as_service(visit, f"{address}/studio/storage")
    page.get_by_role("button", name="New bucket").click()
    page.get_by_label("Name", exact=True).fill("kept")
    page.get_by_label("Keep versions").check()
    page.get_by_role("button", name="Create").click()
    page.get_by_text("keeps versions", exact=True).wait_for()
    page.get_by_role("link", name="Trash").wait_for()
    for action, label in (("Suspend", "versions suspended"), ("Keep versions again", "keeps versions")):
        page.get_by_role("button", name="Versions").click()
        page.get_by_role("dialog").get_by_role("button", name=action).click()
        page.get_by_text(label, exact=True).wait_for()
    assert service.sql("select versioning_status from storage.buckets") == [["ENABLED"]]


def test_a_bucket_without_versions_has_no_trash(served, visit):
    service, address = served()
    _request(service, "POST", "bucket", json={"name": "plain"})
    _write(service, "plain/a.txt", "1")
    page = _visit_as_service(visit, f"{address}/studio/storage/plain?show=trash")
    page.get_by_label("Select a.txt").check()
    page.get_by_role("button", name="Delete 1").click()
    expect(page.get_by_role("dialog")).to_contain_text("deletes them permanently")
    page.keyboard.press("Escape")
    assert page.get_by_role("link", name="Trash").count() == 0
    page.get_by_role("button", name="a.txt").click()
    page.get_by_role("button", name="Download").wait_for()
    assert page.get_by_role("group", name="Versions").count() == 0
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Versions").click()
    page.get_by_role("dialog").get_by_role("button", name="Keep versions").click()
    page.get_by_text("The trash is empty").wait_for()
    assert service.sql("select versioning_status from storage.buckets") == [["ENABLED"]]


def test_the_rights_on_versions_are_shown_with_those_on_objects(bucket, visit):
    _, address = bucket
    page = visit(address)
    become(page, "Ann", ANN)
    page.get_by_role("button", name="Policies").click()
    page.get_by_role("heading", name="undelete, and delete older versions for good").wait_for()
    page.get_by_role("heading", name="replace, move and rename").wait_for()
