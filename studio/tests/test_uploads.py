"""Uploads in the page's Storage view."""

from __future__ import annotations

from visitor import NEEDED, use_service_role

pytestmark = NEEDED


def test_200_files_are_uploaded(served, visit):
    service, address = served()
    service.sql("insert into storage.buckets (id, name) values ('many', 'many')")
    page = visit(f"{address}/studio/storage/many")
    use_service_role(page)
    files = [{"name": f"file-{n:03}.txt", "mimeType": "text/plain", "buffer": b"x" * n} for n in range(200)]
    page.get_by_label("Upload files").set_input_files(files)
    page.get_by_text("200 files uploaded").wait_for(timeout=120_000)
    assert service.sql("select count(*) from storage.objects") == [["200"]]
    page.get_by_role("button", name="file-199.txt").click()
    page.get_by_text("text/plain · 199 B").wait_for()
    page.get_by_role("button", name="Create a link").click()
    page.get_by_label("The link", exact=True).wait_for()


def test_a_large_upload_is_paused_and_continues_while_another_folder_is_open(served, visit, tmp_path):
    service, address = served()
    service.sql("insert into storage.buckets (id, name) values ('large', 'large')")
    service.sql("insert into storage.objects (bucket_id, name) values ('large', 'other/one.txt')")
    large = tmp_path / "large.bin"
    large.write_bytes(b"portico " * 2 * 1024 * 1024)
    page = visit(f"{address}/studio/storage/large")
    use_service_role(page)
    slowly = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 4 * 1024 * 1024}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", slowly)
    page.get_by_label("Upload files").set_input_files(large)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("link", name="other/").click()
    page.get_by_role("button", name="one.txt").wait_for()
    page.get_by_text("1 file uploaded").wait_for()
    found = service.sql("select metadata ->> 'size' from storage.objects where name = 'large.bin'")
    assert found == [[str(large.stat().st_size)]]


def test_objects_with_a_prefix_are_found_among_many(served, visit):
    service, address = served()
    service.sql("insert into storage.buckets (id, name) values ('many', 'many')")
    service.sql(
        "insert into storage.objects (bucket_id, name) select 'many', 'object-' || n from generate_series(1, 5000) n"
    )
    page = visit(f"{address}/studio/storage/many")
    use_service_role(page)
    page.get_by_role("button", name="Show more; 200 objects so far").click()
    page.get_by_role("button", name="Show more; 400 objects so far").wait_for()
    page.get_by_label("Names that begin with").fill("object-4999")
    page.get_by_role("button", name="object-4999").wait_for()
    page.get_by_role("button", name="object-1", exact=True).wait_for(state="detached")
