"""Comments at the end of SQL statements that name the operation, for logs and monitoring of the database."""

from __future__ import annotations

from dataclasses import replace

from app.database import Statement
from app.pipeline.records import ParsedDocument, SQLPlan

_LONGEST_COMMENTED = 100


def commented(plan: SQLPlan, document: ParsedDocument) -> SQLPlan:
    """The plan with a comment at the end of each statement that names the operation
    (https://google.github.io/sqlcommenter/).

    The comment is the same for all requests that use the plan, so that a connection prepares no further statements.
    """
    name = document.operation.name.value[:_LONGEST_COMMENTED] if document.operation.name else ""
    # The grammar of GraphQL allows nothing in a name that could end the comment.
    tags = "application='portico'" + (f",operation='{name}'" if name else "")
    statements = [
        replace(each, statement=Statement(f"{each.statement.sql} /*{tags}*/", each.statement.name_hint))
        for each in plan.statements
    ]
    return replace(plan, statements=tuple(statements))
