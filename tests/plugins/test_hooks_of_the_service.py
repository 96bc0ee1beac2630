"""Additions by plugins around the APIs: settings, commands, identifications, and wrappers of stages."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests

from portico import (
    AccessError,
    Caller,
    Directive,
    DocumentSource,
    DocumentsUnusable,
    Entrance,
    Identification,
    ObservedRequest,
    PluginUnusable,
    RequestError,
    RequestHead,
    SlowOperation,
    configure,
    hookimpl,
)
from schema_cache.directive_values import Flag
from tests.graphql.api import SERVICE_KEY, Api
from tests.plugins.conftest import Distribute
from tests.process.conftest import Portico
from tests.process.running import PATIENCE_S, REPOSITORY, started
from tests.storage.conftest import own_service as own_service
from tests.storage.conftest import storage_database as storage_database
from tests.storage.service import Service, error

PLUGIN = '''
"""Counts colours."""
import click
from portico import Setting, hookimpl, setting_kinds

COLOURS = Setting("colours", setting_kinds.Number(1, 9), 3, "How many colours there are.")

@hookimpl
def settings():
    return [COLOURS]

@hookimpl
def commands():
    return [command]

@click.command("colours")
def command():
    """Say how many colours there are."""
    from portico import configure
    settings, _ = configure()
    click.echo(f"{settings[COLOURS]} colours")
'''


def test_hook_settings(distribute: Distribute, portico: Portico) -> None:
    distribute("colours", PLUGIN)
    shown = portico("settings", COLOURS="5").stdout
    (line,) = (each for each in shown.splitlines() if each.startswith("COLOURS"))
    assert line.split() == ["COLOURS", "5", "environment", "How", "many", "colours", "there", "are."]
    assert "| `COLOURS` | `--colours` | whole number from 1 to 9 | `3` |" in portico("settings", "--markdown").stdout
    refused = portico("serve", "--colours", "10")
    assert refused.returncode == 2
    assert "'--colours': '10' is not a whole number from 1 to 9\n" in refused.stderr
    assert "COLOURS" not in portico("settings", DISABLED_PLUGINS="colours").stdout


def test_hook_commands(distribute: Distribute, portico: Portico) -> None:
    distribute("colours", PLUGIN)
    assert portico("colours", COLOURS="5").stdout == "5 colours\n"
    assert "Say how many colours there are." in portico("--help").stdout
    assert portico("colours", DISABLED_PLUGINS="colours").returncode == 2
    assert "sweep" in portico("storage", "--help").stdout


BEFORE_FORK = """
import json
import os
from portico import RequestError, hookimpl

@hookimpl
def before_fork(settings, owner_url):
    print(f"{os.getpid()} will fork {settings.workers} at {owner_url}")
    raise RequestError("It ends here")
"""


def test_hook_before_fork(distribute: Distribute, portico: Portico) -> None:
    distribute("forking", BEFORE_FORK)
    # Metrics would leave their directory in the environment of this process.
    url = "postgresql://nobody@127.0.0.1:1/none"
    variables = {"JWT_SECRET": "s" * 40, "DATABASE_URL": url, "WEB_CONCURRENCY": "3"}
    ended = portico("serve", PORT="0", DISABLED_PLUGINS="metrics", **variables)
    assert ended.stdout == f"{os.getpid()} will fork 3 at {url}\n"
    assert ended.returncode == 1
    assert "It ends here" in ended.stderr


class Stamp:
    def process_response(self, req: Any, resp: Any, resource: object, succeeded: bool) -> None:
        resp.set_header("X-House", req.path)


class House:
    def on_get(self, req: Any, resp: Any) -> None:
        resp.media = {"rooms": 5}


def test_hook_middleware(start_api: Callable[..., Api]) -> None:
    class Stamping:
        @hookimpl
        def middleware(self) -> Any:
            return [Stamp()]

    api = start_api(TABLE, plugins={"stamping": Stamping})
    assert api.ask("{ __typename }").headers["x-house"] == "/graphql/v1"
    assert api.client.simulate_get("/health").headers["x-house"] == "/health"


def test_hook_routes(start_api: Callable[..., Api]) -> None:
    class Routes:
        @hookimpl
        def routes(self, app: Any) -> None:
            app.add_route("/house", House())

    api = start_api(TABLE, plugins={"house": Routes})
    assert api.client.simulate_get("/house").json == {"rooms": 5}


TABLE = "create table thing (id int primary key); insert into thing values (1); grant select on thing to authenticated"
QUERY = "{ thingCollection { edges { node { id } } } }"


class Cookies:
    """Identifies the cookie ``session=ann`` as a user."""

    @hookimpl
    def identifications(self) -> Any:
        return [Identification("cookie", self.identify)]

    def identify(self, head: Any) -> Caller | None:
        session = head.cookie("session")
        if session == "broken":
            raise KeyError(session)
        if session == "old":
            raise AccessError("The session is over.", code="SESSION_OVER")
        return Caller.of({"sub": "ann"}, default_role="authenticated") if session == "ann" else None


def test_hook_identifications(start_api: Callable[..., Api], caplog: pytest.LogCaptureFixture) -> None:
    api = start_api(TABLE, plugins={"cookies": Cookies})
    answer = api.ask(QUERY, key=None, headers={"Cookie": "theme=dark; session=ann"})
    assert answer.data["thingCollection"]["edges"] == [{"node": {"id": 1}}]
    assert api.ask(QUERY, role="authenticated", headers={"Cookie": "session=eve"}).data
    assert api.ask(QUERY, key=None, headers={"Cookie": "session=eve"}).code == "MISSING_API_KEY"
    refused = api.ask(QUERY, headers={"Cookie": "session=old"})
    assert (refused.status, refused.code) == (401, "SESSION_OVER")
    assert api.ask(QUERY, role="authenticated", headers={"Cookie": "session=broken"}).code == "INTERNAL_ERROR"
    assert "the plugin cookies failed in identifications" in caplog.messages
    assert api.client.simulate_get("/health").json["plugins"] == {"cookies": "failed in identifications"}


def test_other_identifications_work_without_api_keys(start_api: Callable[..., Api]) -> None:
    api = start_api(TABLE, plugins={"cookies": Cookies}, disabled_plugins=("api_keys",))
    assert api.ask(QUERY, role="service_role").code == "MISSING_API_KEY"
    assert api.ask(QUERY, key=None, headers={"Cookie": "session=ann"}).data


def test_hook_observers(start_api: Callable[..., Api]) -> None:
    seen: list[ObservedRequest] = []

    class Watching:
        @hookimpl
        def observers(self) -> Any:
            return [seen.append]

    api = start_api(TABLE, plugins={"watching": Watching})
    assert api.ask(QUERY, role="authenticated").data
    assert [(each.face, each.status, each.role) for each in seen] == [("graphql", 200, "authenticated")]


def test_hook_closing(start_api: Callable[..., Api]) -> None:
    closed: list[bool] = []

    class Closing:
        @hookimpl
        def closing(self) -> None:
            closed.append(True)

    api = start_api(TABLE, plugins={"closing": Closing})
    assert api.ask("{ __typename }").data
    assert closed == []
    api.application.close()
    assert closed == [True]


def test_hook_slow_operations(start_api: Callable[..., Api]) -> None:
    known = SlowOperation("key", "Find", "query", "anon", (), 5.0, {}, "{ a }", 0.0)

    class Elsewhere:
        @hookimpl(tryfirst=True)
        def slow_operations(self) -> Any:
            return [known]

    api = start_api(TABLE, plugins={"elsewhere": Elsewhere})
    assert api.application.services.slow_operations() == [known]


def test_hook_identifications_at_the_storage(own_service: Callable[..., Service]) -> None:
    service = own_service(plugins={"cookies": Cookies})
    service.sql("insert into storage.buckets (id, name) values ('b', 'b')")
    service.sql("create policy all_of_it on storage.objects to authenticated using (true)")
    own, other = {"Cookie": "session=ann"}, {"Cookie": "session=eve"}
    assert service.post("/object/b/a.txt", None, data=b"hello", headers=own).status_code == 200
    assert service.get("/object/b/a.txt", None, headers=own).content == b"hello"
    assert service.sql("select owner_id from storage.objects") == [["ann"]]
    assert service.post("/object/b/b.txt", None, data=b"hello", headers=other).status_code == 400
    refused = service.delete("/object/b/a.txt", None, headers={"Cookie": "session=old"})
    assert error(refused)[2:] == ("AccessDenied", "The session is over.")


class Around:
    """Records the stages, and refuses an operation called Never."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    @hookimpl
    def around_stages(self) -> Any:
        return {stage: self.around(stage) for stage in ("parse", "authorize", "plan", "execute", "shape")}

    def around(self, stage: str) -> Any:
        def look(run: Any, *arguments: Any) -> Any:
            self.seen.append(f"before {stage}")
            if stage == "authorize" and arguments[0].request.operation_name == "Never":
                raise RequestError("Not this one", code="NEVER")
            if stage == "plan" and arguments[0].parsed.request.operation_name == "Broken":
                raise KeyError("lost")
            result = run(*arguments)
            self.seen.append(f"after {stage}")
            return result

        return look


def test_hook_around_stages(start_api: Callable[..., Api], caplog: pytest.LogCaptureFixture) -> None:
    around = Around()
    api = start_api(TABLE, plugins={"around": around})
    assert api.ask(QUERY, role="authenticated").data
    stages = ("parse", "authorize", "plan", "execute", "shape")
    assert around.seen == [f"{when} {stage}" for stage in stages for when in ("before", "after")]
    assert api.ask(f"query Never {QUERY}", operation="Never").code == "NEVER"
    assert api.ask("{ nothing }").code == "GRAPHQL_VALIDATION_FAILED"
    assert api.client.simulate_get("/health").json["process"] == "ok"
    assert api.ask(f"query Broken {QUERY}", role="authenticated", operation="Broken").code == "INTERNAL_ERROR"
    assert "the plugin around failed in around_stages, at plan" in caplog.messages
    assert api.client.simulate_get("/health").json["plugins"] == {"around": "failed in around_stages, at plan"}


def test_an_internal_error_is_not_blamed_on_a_plugin(
    start_api: Callable[..., Api], monkeypatch: pytest.MonkeyPatch
) -> None:
    api = start_api(TABLE, plugins={"around": Around()})
    # Stands for an error in the product, of which none is known.
    monkeypatch.setattr(type(api.application.services.engine.plans), "get", lambda *_: 1 / 0)
    assert api.ask(QUERY, role="authenticated").code == "INTERNAL_ERROR"
    assert api.client.simulate_get("/health").json["process"] == "ok"


class Documents:
    """Registers its own document."""

    texts = {"Things": QUERY}  # noqa: RUF012

    @hookimpl
    def documents(self) -> list[DocumentSource]:
        return [DocumentSource(lambda: self.texts, lambda: 1)]


def test_hook_documents(start_api: Callable[..., Api], tmp_path: Path) -> None:
    (tmp_path / "Type.graphql").write_text("{ __typename }")
    api = start_api(TABLE, plugins={"documents_of_the_house": Documents}, documents=str(tmp_path))
    answer = api.post('{"documentId": "Things"}', role="authenticated")
    assert answer.data["thingCollection"]["edges"] == [{"node": {"id": 1}}]
    assert api.post('{"documentId": "Type"}').data == {"__typename": "Query"}
    # Two sources may have the same document, but not two with one name.
    (tmp_path / "Things.graphql").write_text("{ __typename }")
    with pytest.raises(DocumentsUnusable, match="two documents are registered as 'Things'"):
        start_api(TABLE, plugins={"documents_of_the_house": Documents}, documents=str(tmp_path))


class Extensions:
    """Understands ``extensions.again``: a name under which the answer tells how often the operation was executed."""

    @hookimpl
    def request_extensions(self) -> Any:
        return {"again": self.again}

    def again(self, execute: Any, name: Any, *arguments: Any) -> Any:
        if name == "broken":
            raise KeyError(name)
        execute(*arguments)
        return execute(*arguments).with_extension(name, 2)


def test_hook_request_extensions(start_api: Callable[..., Api]) -> None:
    api = start_api(TABLE, plugins={"extensions": Extensions})

    def asked(extensions: Any) -> Any:
        return api.post(json.dumps({"query": QUERY, "extensions": extensions}), role="authenticated")

    answer = asked({"again": "times", "other": [1]})
    assert answer.body["extensions"] == {"times": 2}
    assert answer.body["data"] == asked({"again": None}).body["data"] == asked(None).data
    assert "extensions" not in asked({"again": None}).body
    assert asked({"again": "broken"}).code == "INTERNAL_ERROR"
    with pytest.raises(PluginUnusable, match=r"handles extensions\.again, which another plugin handles"):
        start_api(TABLE, plugins={"extensions": Extensions, "others": Extensions})


class Checks:
    """Lets a role run operations of one name only, which is in the comment on the role."""

    @hookimpl
    def comment_directives(self) -> Any:
        return [Directive("role", "only", Flag())]

    @hookimpl
    def operation_checks(self, directives: Any) -> Any:
        return [] if directives.get("only") is False else [self.check]

    def check(self, operation: Any, bound: Any, engine: Any) -> None:
        if operation.parsed.request.operation_name != "Only":
            raise RequestError("Not this one", code="NEVER")


def test_hook_operation_checks(start_api: Callable[..., Api]) -> None:
    api = start_api(TABLE, plugins={"checks": Checks})
    assert api.ask(QUERY, role="authenticated").code == "NEVER"
    assert api.ask(f"query Only {QUERY}", role="authenticated", operation="Only").data


class Rooms:
    """Offers a page for browsers and an endpoint for programs."""

    @hookimpl
    def entrances(self) -> list[Entrance]:
        return [Entrance("/rooms", "the rooms <of> the house", is_start=True), Entrance("/rooms.json", "the same")]


def test_hook_entrances(start_api: Callable[..., Api]) -> None:
    api = start_api(TABLE, plugins={"rooms": Rooms})
    browser = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
    for path in ("/", "/graphql/v1"):
        led = api.client.simulate_get(path, headers=browser)
        assert (led.status_code, led.headers["location"]) == (303, "/rooms")


START = """
from portico import Entrance, hookimpl

@hookimpl
def entrances(settings):
    return [Entrance("/rooms", "The rooms", is_start=True, fragment="#secret")]
"""


def test_serve_prints_the_start_address_last_and_keeps_its_fragment_secret(
    distribute: Distribute, tmp_path: Path
) -> None:
    folders = f"{distribute('start', START)}:{REPOSITORY}"
    variables = {"JWT_SECRET": "s" * 40, "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}
    serve = [sys.executable, "-m", "app", "serve", "--port", "0", "--workers", "1"]
    with started(serve, tmp_path, PYTHONPATH=folders, **variables) as process:
        assert process.stdout
        said = next(line for line in process.stdout if line.startswith("The rooms"))
        address, path = re.fullmatch(r"The rooms, in a browser: (http://[^/]+)(.*)\n", said).groups()  # type: ignore[union-attr]
        assert path == "/rooms#secret"
        led = requests.get(address, headers={"Accept": "text/html"}, allow_redirects=False, timeout=PATIENCE_S)
        assert led.headers["location"] == "/rooms"
        process.terminate()
        assert process.wait(PATIENCE_S) == 0


def test_services_answer_plugins(start_api: Callable[..., Api]) -> None:
    services = start_api(TABLE).application.services
    caller = services.caller(RequestHead("GET", "/", {"apikey": SERVICE_KEY}.get))
    assert caller is not None
    assert caller.role == "service_role"
    assert services.caller(RequestHead("GET", "/", {}.get)) is None
    assert [each.type_name for each in services.schema("authenticated").relations] == ["thing"]
    assert services.read("select count(*)::text from thing") == b"1"


def test_development_allows_explain_and_dry_run() -> None:
    def open_to(**given: Any) -> tuple[Any, Any]:
        settings, _ = configure({}, given)
        declared = {each.name: value for each, value in settings.of_plugins.items()}
        return declared["explain_roles"], declared["dry_run"]

    assert open_to() == (("service_role",), False)
    assert open_to(development=True) == (("anon", "authenticated", "service_role"), True)
    assert open_to(development=True, dry_run=False)[1] is False
