"""Sends questions to the API. A question is a root field; one document has many of them, and each has its own
result."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.identity import Caller
from app.identity.further_credentials import Identification, Identifications
from app.pipeline import run
from app.pipeline.engine import Engine
from app.pipeline.records import NO_HEAD, GraphQLRequest
from app.verification.result import Failure, ResultOrFailure, Value

DOCUMENT = 20
"""The number of root fields in a document."""

_HEADER = "apikey"


@dataclass(frozen=True, slots=True)
class Question:
    """A root field. ``$0``, ``$1`` ... in its ``text`` stand for ``variables``: pairs of a GraphQL type and a value."""

    text: str
    variables: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return re.sub(r"\$(\d+)", lambda found: json.dumps(self.variables[int(found[1])][1]), self.text)


class Api:
    """The GraphQL API of an engine as ``role`` sees it, called in this process."""

    def __init__(self, engine: Engine, role: str) -> None:
        caller = Caller.of({"role": role}, default_role=role)
        known = Identification(_HEADER, lambda head: caller)
        self._engine = replace(engine, identifications=Identifications((known,)))
        self._head = NO_HEAD._replace(header=lambda name: "of the verification" if name == _HEADER else None)
        self.requests = 0

    def ask(self, questions: Sequence[Question]) -> list[ResultOrFailure]:
        """The result of each question. A document that fails is split and sent in halves, down to single questions."""
        found: list[ResultOrFailure] = []
        for start in range(0, len(questions), DOCUMENT):
            found += self._together(questions[start : start + DOCUMENT])
        return found

    def ask_one(self, question: Question) -> ResultOrFailure:
        return self.ask([question])[0]

    def try_mutation(self, question: Question) -> ResultOrFailure:
        """The result of a mutation that is rolled back."""
        return self._send([question], "mutation", {"dryRun": True})[0]

    def _together(self, questions: Sequence[Question]) -> list[ResultOrFailure]:
        results = self._send(questions, "query", None)
        if len(questions) > 1 and any(isinstance(each, Failure) for each in results):
            middle = len(questions) // 2
            return self._together(questions[:middle]) + self._together(questions[middle:])
        return results

    def _send(self, questions: Sequence[Question], operation: str, extensions: Any) -> list[ResultOrFailure]:
        document, variables = _document(questions, operation)
        self.requests += 1
        response = run(
            GraphQLRequest(document, variables, extensions=extensions, head=self._head), self._engine
        ).response
        body = json.loads(response.body)
        if body.get("errors"):
            about = body["errors"][0].get("extensions", {})
            failure = Failure(body["errors"][0]["message"], about.get("code", ""), about.get("sqlstate", ""))
            return [failure] * len(questions)
        return [Value(body["data"][f"q{place}"]) for place in range(len(questions))]


def _document(questions: Sequence[Question], operation: str) -> tuple[str, dict[str, Any]]:
    fields, values = [], dict[str, Any]()
    declared = []
    for place, question in enumerate(questions):
        text = re.sub(r"\$(\d+)", rf"$v{place}_\1", question.text)
        fields.append(f"q{place}: {text}")
        for number, (type_, value) in enumerate(question.variables):
            declared.append(f"$v{place}_{number}: {type_}")
            values[f"v{place}_{number}"] = value
    header = f"{operation} ({', '.join(declared)})" if declared else operation
    return f"{header} {{ {' '.join(fields)} }}", values


def edges(selection: str) -> str:
    """The selection of a connection with this ``selection`` of its nodes."""
    return f"{{ edges {{ node {{ {selection} }} }} }}"


def nodes(data: Any) -> list[Any]:
    """The nodes in the data of a connection."""
    return [each["node"] for each in data["edges"]]


def arguments(**given: str | None) -> str:
    """The arguments in parentheses, without those that are None."""
    listed = ", ".join(f"{name.rstrip('_')}: {value}" for name, value in given.items() if value is not None)
    return f"({listed})" if listed else ""
