"""The depth of nested fields; in separate processes, since the recursion limit is the interpreter's."""

from __future__ import annotations

import subprocess
import sys

from tests.postgres_server import PostgresServer
from tests.process.running import REPOSITORY

SCHEMA = """
create role nesting nologin;
create table part (id int primary key, whole_id int references part);
insert into part values (1, 1);
grant select on part to nesting;
"""

ASK = """
import sys, threading
from tests.graphql.api import Api

api = Api(sys.argv[1], depth_limit=200, token_limit=100_000)
paged = 'partCollection(last: 1, filter: {id: {eq: 1}}) { pageInfo { hasNextPage } edges { cursor node { '
deepest = {
    "a row": "part { " * 198 + "id" + " }" * 198,
    "a collection": paged * 66 + "id" + " } } }" * 66,
}
def ask():
    for name, selection in deepest.items():
        answer = api.ask("{ partByPk(id: 1) { %s } }" % selection, role="nesting")
        assert '"id":1' in str(answer.data).replace("'", '"').replace(" ", ""), name
    beyond = api.ask("{ partByPk(id: 1) { %s id %s } }" % ("part { " * 199, "}" * 199), role="nesting")
    assert "deep" in beyond.message, beyond.body
    print("answered")
# As in the threads that serve requests, whose stack size matters.
thread = threading.Thread(target=ask)
thread.start()
thread.join()
api.close()
"""

DEEP_WHILE_A_SCHEMA_IS_BUILT = """
import threading
from app.graphql.schema.recursion import long_chains
from tests.graphql.api import Api

api = Api("postgresql://nobody@127.0.0.1:1/nothing")
def ask():
    for body in ("[" * 200_000, '{"not":' * 140_000):
        with long_chains():
            answer = api.post('{"query": "{ __typename }", "variables": ' + body)
        assert answer.code == "BAD_REQUEST", answer.body
    print("answered")
thread = threading.Thread(target=ask)
thread.start()
thread.join()
api.close()
"""


def in_a_process(program: str, *arguments: str) -> str:
    ran = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, cwd=REPOSITORY)
    # The poller for schema changes may have reported on stderr that there is no database.
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    return ran.stdout


def test_the_deepest_allowed_document_is_answered(postgres: PostgresServer) -> None:
    url = postgres.create_database()
    try:
        postgres.execute(SCHEMA, url)
        assert in_a_process(ASK, url) == "answered\n"
    finally:
        postgres.execute("drop owned by nesting; drop role nesting", url)
        postgres.drop_database(url)


def test_no_body_is_too_deep_for_the_stack_while_a_schema_is_built() -> None:
    assert in_a_process(DEEP_WHILE_A_SCHEMA_IS_BUILT) == "answered\n"
