"""Libraries that keep tables in objects: pyarrow and Polars, unmodified; they are in the extra `clients`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.storage.s3.clients import KEY, SECRET_KEY
from tests.storage.service import Service

MIB = 1024**2


@pytest.fixture
def files(s3_service: Service) -> Any:
    """pyarrow's file system."""
    fs = pytest.importorskip("pyarrow.fs", reason="pyarrow is in the extra clients")
    return fs.S3FileSystem(
        access_key=KEY,
        secret_key=SECRET_KEY,
        region="us-east-1",
        scheme="http",
        endpoint_override=s3_service.url.removeprefix("http://") + "/storage/v1/s3",
        allow_bucket_creation=True,
        allow_bucket_deletion=True,
    )


def test_files_of_pyarrow_work(files: Any, s3_service: Service) -> None:
    from pyarrow import fs

    bucket = s3_service.bucket()
    data = b"x" * (11 * MIB)
    with files.open_output_stream(f"{bucket}/folder/large", metadata={"Content-Type": "text/x"}) as file:
        file.write(data)
    with files.open_input_file(f"{bucket}/folder/large") as file:
        assert (file.size(), file.read_at(3, 5 * MIB)) == (len(data), b"xxx")
    with files.open_input_stream(f"{bucket}/folder/large") as file:
        assert file.metadata()["Content-Type"] == b"text/x"
    files.copy_file(f"{bucket}/folder/large", f"{bucket}/copy")
    files.move(f"{bucket}/copy", f"{bucket}/moved")
    found = files.get_file_info(fs.FileSelector(bucket, recursive=True))
    assert sorted((each.path, each.size) for each in found if each.is_file) == [
        (f"{bucket}/folder/large", len(data)), (f"{bucket}/moved", len(data))
    ]  # fmt: skip
    files.delete_dir_contents(bucket)
    assert files.get_file_info(fs.FileSelector(bucket, recursive=True)) == []
    files.delete_dir(bucket)


def test_empty_folders_of_pyarrow_work(files: Any, s3_service: Service) -> None:
    from pyarrow import fs

    bucket = s3_service.bucket()
    files.create_dir(f"{bucket}/x/empty")
    assert files.get_file_info(fs.FileSelector(f"{bucket}/x/empty")) == []
    with files.open_output_stream(f"{bucket}/x/empty/file") as file:
        file.write(b"data")
    files.delete_file(f"{bucket}/x/empty/file")
    assert files.get_file_info(f"{bucket}/x/empty").type == fs.FileType.Directory
    files.delete_dir(f"{bucket}/x")
    assert files.get_file_info(fs.FileSelector(bucket, recursive=True)) == []
    assert s3_service.sql(f"select name from storage.objects where bucket_id = '{bucket}'") == []


def test_a_data_set_of_pyarrow_works(files: Any, s3_service: Service) -> None:
    import pyarrow as pa
    from pyarrow import dataset, parquet

    bucket = s3_service.bucket()
    table = pa.table({"country": ["IT", "FR", "IT"], "people": [1, 2, 3]})
    parquet.write_to_dataset(table, f"{bucket}/cities", partition_cols=["country"], filesystem=files)
    read = dataset.dataset(f"{bucket}/cities", filesystem=files, partitioning="hive")
    italian = read.to_table(filter=dataset.field("country") == "IT")
    assert sorted(italian["people"].to_pylist()) == [1, 3]


def test_polars_reads_and_writes(s3_service: Service) -> None:
    polars = pytest.importorskip("polars", reason="Polars is in the extra clients")
    bucket = s3_service.bucket()
    options = {
        "aws_access_key_id": KEY,
        "aws_secret_access_key": SECRET_KEY,
        "aws_region": "us-east-1",
        "aws_endpoint_url": f"{s3_service.url}/storage/v1/s3",
        "aws_allow_http": "true",
    }
    rows = polars.DataFrame({"id": range(1000), "name": [f"name {number}" for number in range(1000)]})
    for part in range(2):
        rows.write_parquet(f"s3://{bucket}/rows/{part}.parquet", storage_options=options)
    found = polars.scan_parquet(f"s3://{bucket}/rows/*.parquet", storage_options=options)
    assert (
        found.filter(polars.col("id") >= 998).select("name").collect()["name"].to_list() == ["name 998", "name 999"] * 2
    )
    found.sink_parquet(f"s3://{bucket}/copy.parquet", storage_options=options)
    assert polars.read_parquet(f"s3://{bucket}/copy.parquet", storage_options=options).height == 2000
