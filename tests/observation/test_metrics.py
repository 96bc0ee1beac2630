"""The metrics of ``/metrics``, and that the dashboard and the alerts use no others."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from app.metrics.bounded_labels import OTHER
from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.conftest import reading_api as reading_api
from tests.graphql.conftest import start_api as start_api
from tests.process.running import REPOSITORY
from tests.storage.conftest import own_service as own_service
from tests.storage.conftest import storage_database as storage_database
from tests.storage.service import Service

SCHEMA = "create table thing (id int primary key); insert into thing values (1); grant select on thing to anon"
DASHBOARD = REPOSITORY / "docs" / "grafana-dashboard.json"
ALERTS = REPOSITORY / "docs" / "prometheus-alerts.yml"

Series = tuple[str, frozenset[tuple[str, str]]]


def read(text: str) -> dict[Series, float]:
    families = text_string_to_metric_families(text)
    return {(each.name, frozenset(each.labels.items())): each.value for one in families for each in one.samples}


def metric_value(found: dict[Series, float], name: str, **labels: str) -> float:
    return found.get((name, frozenset(labels.items())), 0.0)


def metrics(api: Api) -> dict[Series, float]:
    return read(api.client.simulate_get("/metrics").text)


def test_operations_and_errors_are_counted(start_api: StartApi) -> None:
    api = start_api(SCHEMA, metrics_operations=2)
    for text in ("query A { __typename }", "query A { __typename }", "{ __typename }", "{ __typename }"):
        api.ask(text)
    api.ask("query A { nope }")
    found = metrics(api)
    assert metric_value(found, "portico_operation_seconds_count", operation="A", role="anon") == 3
    assert metric_value(found, "portico_operation_errors_total", operation="A", role="anon") == 1
    assert metric_value(found, "portico_operation_seconds_count", operation="(anonymous)", role="anon") == 1
    assert metric_value(found, "portico_operation_seconds_count", operation=OTHER, role=OTHER) == 1
    assert metric_value(found, "portico_errors_total", face="graphql", code="GRAPHQL_VALIDATION_FAILED") == 1
    assert metric_value(found, "portico_request_seconds_count", face="graphql", status="200") == 5
    assert metric_value(found, "portico_stage_seconds_total", stage="parse") > 0


def test_rare_names_take_no_places_of_others(start_api: StartApi) -> None:
    api = start_api(SCHEMA, metrics_operations=3)
    for number in range(20):
        api.ask(f"query Stranger{number} {{ __typename }}")
        api.ask("query Failing { nope }")
    for name in ("Mine", "Mine", "Yours", "Yours", "Yours", "Late", "Late", "Late", "Late"):
        api.ask(f"query {name} {{ __typename }}")
    found = metrics(api)
    named = {dict(labels)["operation"] for name, labels in found if name == "portico_operation_seconds_count"}
    assert named == {"Stranger0", "Mine", "Yours", OTHER}
    assert metric_value(found, "portico_operation_errors_total", operation=OTHER, role=OTHER) == 20


def test_pools_of_replicas_have_metrics(start_api: StartApi) -> None:
    # It is not a standby, so that the pool stays empty; its password must not be shown.
    api = start_api(SCHEMA, database_read_urls=("postgresql://u:hidden@127.0.0.1:1/d",))
    text = api.client.simulate_get("/metrics").text
    found = read(text)
    for name in ("connections_in_use", "connections_open", "pool_waits_total", "pool_wait_seconds_total",
                 "pool_timeouts_total"):  # fmt: skip
        assert found[(f"portico_replica_{name}", frozenset({("replica", "127.0.0.1:1")}))] == 0
    assert "hidden" not in text


def test_caches_connections_and_the_schema_have_metrics(start_api: StartApi) -> None:
    api = start_api(SCHEMA, metrics_operations=0, pool_size=3)
    # It uses a connection now and then.
    api.application.services.poller.close()
    for _ in range(3):
        assert api.ask("query A { thingCollection { edges { node { id } } } }").data
    found = metrics(api)
    assert metric_value(found, "portico_operation_seconds_count", operation="", role="anon") == 3
    assert metric_value(found, "portico_plans") == 1
    assert (metric_value(found, "portico_plan_hits_total"), metric_value(found, "portico_plan_misses_total")) == (2, 1)
    assert (metric_value(found, "portico_connections_limit"), metric_value(found, "portico_connections_in_use")) == (
        3,
        0,
    )
    assert metric_value(found, "portico_connections_open") >= 1
    assert metric_value(found, "portico_pool_waits_total") >= 1
    assert metric_value(found, "portico_pool_timeouts_total") == 0
    assert metric_value(found, "portico_schema_read_timestamp_seconds") > 1e9
    # This database has no storage, whose numbers are left out.
    assert metric_value(found, "portico_work_entries", kind="post_event") == 0


@pytest.fixture
def storage(own_service: Callable[..., Service]) -> Service:
    service = own_service()
    service.application.services.storage.background.close()
    return service


def test_the_storage_has_metrics(storage: Service) -> None:
    bucket = storage.bucket()
    for _ in range(2):
        storage.put(f"/object/{bucket}/a.txt", data=b"12345", headers={"content-type": "text/plain"})
    assert storage.get(f"/object/{bucket}/a.txt").content == b"12345"
    storage.get(f"/object/{bucket}/b.txt")
    upload = {"tus-resumable": "1.0.0", "upload-length": "10", "upload-metadata": _names(bucket, "big")}
    assert storage.post("/upload/resumable", headers=upload).status_code == 201
    found = read(storage.get("/metrics").text)
    assert metric_value(found, "portico_storage_bytes_total", face="rest", direction="received") >= 10
    assert metric_value(found, "portico_storage_bytes_total", face="rest", direction="sent") >= 5
    operations = {dict(labels)["operation"] for name, labels in found if name == "portico_storage_operations_total"}
    assert {"PUT /storage/v1/object/{bucket}/*", "GET /storage/v1/object/{bucket}/*"} <= operations
    assert metric_value(found, "portico_errors_total", face="rest", code="NoSuchKey") == 1
    assert metric_value(found, "portico_work_entries", kind="delete_blob") == 1
    assert metric_value(found, "portico_unfinished_uploads", form="appended") == 1


def test_deletions_by_lifecycle_rules_are_counted(storage: Service) -> None:
    bucket = storage.bucket()
    for name in ("tmp/a", "tmp/b", "kept"):
        storage.put(f"/object/{bucket}/{name}", data=b"1").raise_for_status()
    rule = {"ID": "tmp", "Status": "Enabled", "Filter": {"Prefix": "tmp/"}, "Expiration": {"Days": 1}}
    storage.sql(f"update storage.buckets set lifecycle = '{json.dumps([rule])}' where id = '{bucket}'")
    storage.sql("update storage.objects set updated_at = now() - interval '2 days'")
    # Long enough ago that no other service has just done it.
    storage.sql("update storage.lifecycle_clock set seen_at = now() - interval '10 minutes', believed_at = 'epoch'")
    storage.application.services.lifecycle.run()
    found = read(storage.get("/metrics").text)
    assert metric_value(found, "portico_lifecycle_deleted_total", kind="objects") == 2
    assert metric_value(found, "portico_lifecycle_deleted_total", kind="uploads") == 0


def test_changes_of_versions_are_counted(storage: Service) -> None:
    bucket = storage.bucket(versioning_status="ENABLED")
    for name in ("a", "b"):
        storage.put(f"/object/{bucket}/{name}", data=b"1").raise_for_status()
    storage.delete(f"/object/{bucket}", json={"prefixes": ["a", "b"]}).raise_for_status()
    found = read(storage.get("/metrics").text)
    assert metric_value(found, "portico_version_changes_total", kind="marked") == 2
    assert metric_value(found, "portico_version_changes_total", kind="restored") == 0


def test_unknown_methods_take_no_places(storage: Service) -> None:
    for number in range(5):
        storage.request(f"MADE{number}", "/bucket", None)
    found = read(storage.get("/metrics").text)
    operations = {dict(labels)["operation"] for name, labels in found if name == "portico_storage_operations_total"}
    assert {each.split()[0] for each in operations} == {OTHER}


def _names(bucket: str, name: str) -> str:
    from base64 import b64encode

    return ",".join(f"{key} {b64encode(value.encode()).decode()}" for key, value in
                    (("bucketName", bucket), ("objectName", name)))  # fmt: skip


def _asked(expressions: list[str]) -> set[str]:
    return {name for each in expressions for name in re.findall(r"portico_\w+", each)}


def _expressions(value: Any) -> list[str]:
    """The texts of all members ``expr`` and ``query``."""
    if isinstance(value, list):
        return [each for one in value for each in _expressions(one)]
    if isinstance(value, dict):
        own = [text for key, text in value.items() if key in ("expr", "query") and isinstance(text, str)]
        return own + _expressions(list(value.values()))
    return []


@pytest.mark.parametrize("path", [DASHBOARD, ALERTS], ids=lambda path: path.name)
def test_each_metric_of_dashboard_and_alerts_exists(path: Path, storage: Service) -> None:
    for _ in range(2):
        storage.post("/graphql/v1", json={"query": "query A { __typename }"}, headers={"apikey": "wrong"})
        storage.get("/bucket")
    text = storage.get("/metrics").text
    reported = set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))
    reported |= {f"{name}{suffix}" for name in reported for suffix in ("_count", "_sum", "_bucket", "_total")}
    # Reported only if there are replicas.
    reported |= set(
        re.findall(r'"(portico_replica_\w+)"', (REPOSITORY / "app" / "metrics" / "replicas.py").read_text())
    )
    content = yaml.safe_load(path.read_text())
    expressions = _expressions(content)
    asked = _asked(expressions)
    assert asked
    assert asked - reported == set()
    # These are of Prometheus, and of replicas.
    labels = {"job", "instance", "replica", *re.findall(r'[{,](\w+)="', text)}
    joined = "".join(expressions)
    grouped = {each.strip() for some in re.findall(r"by \(([^)]*)\)", joined) for each in some.split(",")}
    assert (grouped | set(re.findall(r"[{,]\s*(\w+)[!=]", joined))) - labels == set()


@pytest.mark.parametrize("path", [DASHBOARD, ALERTS], ids=lambda path: path.name)
def test_metrics_of_the_database_are_not_added_up(path: Path) -> None:
    found = [each for each in _expressions(yaml.safe_load(path.read_text())) if re.search("portico_(work|unf)", each)]
    assert found
    assert all(re.search(r"max by \([^)]*\) \(portico_(work|unf)", each) for each in found)


def test_the_dashboard_is_complete() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    charts = [each for each in panels if each["type"] != "row"]
    assert charts
    assert all(each["title"] and each["targets"] and each["fieldConfig"]["defaults"].get("unit") for each in charts)
    assert len({each["id"] for each in panels}) == len(panels)


def test_each_alert_says_what_to_do() -> None:
    rules = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
    assert len({each["alert"] for each in rules}) == len(rules) > 5
    for each in rules:
        assert each["labels"]["severity"] in ("page", "ticket")
        assert {"summary", "description"} <= set(each["annotations"])


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_promtool_accepts_the_alerts() -> None:
    subprocess.run(["promtool", "check", "rules", str(ALERTS)], check=True)
