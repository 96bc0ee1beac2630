"""The benchmarks that the pages on performance name run to their end; a short run says nothing about speed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.process.running import PATIENCE_S, REPOSITORY

PAGES = [(Path(REPOSITORY) / "docs" / name).read_text() for name in ("performance.md", "performance-details.md")]
SHORT = {
    "reading": (["--seconds", "1"], ["the nested query", "pgbench, the same SQL", "the pipeline alone"]),
    "mutations": (
        ["--seconds", "0.2", "--rounds", "1"],
        ["a single insert", "100 rows in one insert", "an update by key"],
    ),
    "features": (
        ["--seconds", "0.2", "--rounds", "1", "--rows", "1000", "--tables", "10"],
        [
            "upsert of 100 rows",
            "nested insert of 1 + 10 rows",
            "filter by some related rows",
            "order by a related count",
            "10 tables, features none",
        ],
    ),
    "storage": (
        ["--seconds", "0.2"],
        ["upload 64 MiB", "download 64 MiB", "sign", "info", "list-v2 1,000", "image, cold", "image, kept"],
    ),
    "s3": (["--seconds", "0.2"], ["S3 PUT 1 KiB", "S3 GET 1 MiB", "S3 multipart 64 MiB", "PUT 64 MiB"]),
    "growth": (["--short", "--only", "rows"], ["10 rows", "100 rows"]),
    "schema_changes": (
        ["--tables", "10", "--rounds", "1", "--changes", "2"],
        ["one change", "20 changes in two seconds", "memory of a worker"],
    ),
    "pages": (
        ["--rows", "2000", "--rounds", "1"],
        ["timestamptz, descending", "text with a collation", "first 10 of 1,000, 100 times"],
    ),
    "overload": (["--seconds", "0.5"], ["capacity", "0.7 x the capacity", "10 x the capacity"]),
    "new_documents": (["--count", "5"], ["three levels", "with filters, orders, cursors and pageInfo"]),
    "storage_listing": (["--objects", "2000"], ["list, folder of 100 by name", "list-v2, 100 of all keys, flat"]),
}


def test_the_pages_name_every_benchmark() -> None:
    assert set(re.findall(r"python -m bench\.(\w+)", "".join(PAGES))) == set(SHORT)


@pytest.mark.long
@pytest.mark.parametrize("name", SHORT)
def test_a_short_run_prints_its_figures(name: str) -> None:
    arguments, listed = SHORT[name]
    command = [sys.executable, "-m", f"bench.{name}", *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=4 * PATIENCE_S)
    assert done.returncode == 0, done.stderr
    for label in listed:
        assert re.search(rf"^{re.escape(label)}\W.*\d", done.stdout, re.M), done.stdout
