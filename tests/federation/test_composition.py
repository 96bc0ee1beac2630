"""Apollo's composition of npm accepts the subgraphs of many databases, alone and together."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.federation.test_schema import HIDDEN, LEFT_OUT, SCHEMA
from tests.graphql.api import Api
from tests.packages import program as node_program
from tests.process.running import PATIENCE_S

Start = Callable[..., Api]

NAMED = """comment on schema public is '@graphql({"type_prefix": "Shop", "inflect_names": true})';
comment on function latest() is '@graphql({"unfederated": true})';"""
EVERYTHING = """
comment on table city is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
create table teacher (id bigint generated always as identity primary key, born date, spoken mood[], seen int4range);
create table course (id uuid primary key, title varchar(20), teacher_id bigint not null unique references teacher);
create table pupil (id smallint primary key, facts jsonb, weight numeric, woken time, seen timestamptz, raw bytea);
create table attendance (
  course_id uuid references course, pupil_id smallint references pupil, primary key (course_id, pupil_id)
);
create view pupil_name as select id, facts ->> 'name' as name from pupil;
comment on view pupil_name is '@graphql({"primary_key_columns": ["id"]})';
create function add_pupil(id smallint) returns pupil language sql as 'insert into pupil (id) values ($1) returning *';
create function courses(teacher) returns setof course language sql stable as
  'select * from course where teacher_id = $1.id';
grant select, insert, update, delete on all tables in schema public to anon;
"""


def composed(tmp_path: Path, *lists: Sequence[str]) -> list[dict[str, Any]]:
    (tmp_path / "schemas.json").write_text(json.dumps(lists))
    program = node_program("composition.mjs")
    done = subprocess.run(
        ["node", str(program), str(tmp_path / "schemas.json")],
        cwd=program.parent, capture_output=True, text=True, timeout=PATIENCE_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def sdl(api: Api) -> str:
    text: str = api.ask("{ _service { sdl } }").data["_service"]["sdl"]
    return text


def test_subgraphs_are_composed(reading: Start, tmp_path: Path) -> None:
    plain, hidden, left_out, named, everything = (
        sdl(reading(SCHEMA + more)) for more in ("", HIDDEN, LEFT_OUT, NAMED, EVERYTHING)
    )
    found = composed(
        tmp_path, [plain], [hidden], [left_out], [named], [everything], [everything, named], [left_out, named]
    )
    assert [each["errors"] for each in found] == [[]] * 7


def test_rows_of_two_subgraphs_need_a_prefix(reading: Start, tmp_path: Path) -> None:
    (found,) = composed(tmp_path, [sdl(reading(SCHEMA)), sdl(reading(SCHEMA))])
    assert any('"Query.cityCollection"' in each for each in found["errors"])
