"""Documents that were not seen before: ``python -m bench.new_documents [--count N]``.

Each is parsed, validated and planned, and none shares its shape with another. Reports the median and,
since machines are noisy, the least CPU time of these stages, and the number of Python bytecodes that they run.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from statistics import median
from time import thread_time
from types import FrameType
from typing import Any

from app.discovery import configure, plugin_manager
from app.identity.further_credentials import RequestHead
from app.pipeline.authorize import authorize
from app.pipeline.engine import Engine
from app.pipeline.parse import parse
from app.pipeline.plan import plan
from app.pipeline.records import GraphQLRequest
from app.wsgi import create_app
from bench.databases import filled_database
from bench.reading import KEYS, SCHEMA

DOCUMENTS: Mapping[str, str] = {
    "three levels": """{ rows%d: authorCollection(first: 10) { edges { node { id name
        bookCollection(first: 5) { edges { node { id title author { id name } } } } } } } }""",
    "with filters, orders, cursors and pageInfo": """{ rows%d: authorCollection(
        first: 10, orderBy: [{name: AscNullsLast}], filter: {id: {gt: 3}}) {
        pageInfo { hasNextPage endCursor } edges { cursor node { id name email
        bookCollection(first: 5, filter: {title: {like: "%%a%%"}}) { edges { node {
        id title author { id name } } } } } } } }""",
}
HEAD = RequestHead("POST", "/graphql/v1", {"apikey": KEYS["ANON_KEY"]}.get)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=400, help="how many documents of each kind there are")
    number = parser.parse_args().count
    with tempfile.TemporaryDirectory() as place, filled_database(Path(place), SCHEMA) as cluster:
        application = create_app(configure({"DATABASE_URL": cluster.url(), **KEYS}, {})[0], plugin_manager())
        for name, document in DOCUMENTS.items():
            _tell(name, _requests(document), application.services.engine, number)
        application.close()


def _requests(document: str) -> Iterator[GraphQLRequest]:
    return (GraphQLRequest(document % number, head=HEAD) for number in count())


def _tell(name: str, requests: Iterator[GraphQLRequest], engine: Engine, number: int) -> None:
    for _ in range(50):
        _answer(next(requests), engine)
    gc.collect()
    gc.freeze()
    # As in workers.
    gc.set_threshold(5000, *gc.get_threshold()[1:])
    taken = [_taken(next(requests), engine) for _ in range(number)]
    print(
        f"{name}: {median(taken) * 1e3:.2f} ms, at least {min(taken) * 1e3:.2f} ms, "
        f"{_bytecodes(next(requests), engine)} bytecodes"
    )


def _answer(request: GraphQLRequest, engine: Engine) -> None:
    plan(authorize(parse(request, engine), engine), engine)


def _taken(request: GraphQLRequest, engine: Engine) -> float:
    began = thread_time()
    _answer(request, engine)
    return thread_time() - began


def _bytecodes(request: GraphQLRequest, engine: Engine) -> int:
    run = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal run
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        run += event == "opcode"
        return trace

    sys.settrace(trace)
    try:
        _answer(request, engine)
    finally:
        sys.settrace(None)
    return run


if __name__ == "__main__":
    main()
