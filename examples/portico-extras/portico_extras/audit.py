"""An audit log: one line for each mutation, with its caller, its fields, and the number of rows that each affected.

Clients need not request ``affectedCount``: it is added under an alias before the operation is planned, and removed from
the response. So the counts come from the database, from the committed transaction.
"""

from __future__ import annotations

import json
import logging
import re
from dataclasses import replace

from graphql import FieldNode, NameNode, get_named_type, print_ast

from portico import hookimpl

log = logging.getLogger("portico_extras.audit")

ALIAS = "auditedCount_"
_COUNTED = re.compile(rb', "' + ALIAS.encode() + rb'" : (\d+)\}$')


@hookimpl
def around_stages():
    return {"plan": _with_counts, "execute": _logged}


def _with_counts(plan, operation, *others):
    parsed = operation.parsed
    if not parsed.document.is_mutation:
        return plan(operation, *others)
    document = _document_with_counts(parsed.document, operation.api.graphql.mutation_type)
    return plan(replace(operation, parsed=replace(parsed, document=document)), *others)


def _document_with_counts(document, mutation_type):
    """The document with the count added to each field that has one. If fields share a response key, only to the
    last."""
    selections = list(document.operation.selection_set.selections)
    last = {_key(each): place for place, each in enumerate(selections) if isinstance(each, FieldNode)}
    for place in last.values():
        field = mutation_type.fields.get(selections[place].name.value)
        if field is not None and "affectedCount" in getattr(get_named_type(field.type), "fields", {}):
            selections[place] = _with_count(selections[place])
    operation = _with_selections(document.operation, selections)
    return replace(document, text=f"{document.text}\n# {print_ast(operation)}", operation=operation)


def _key(field):
    return (field.alias or field.name).value


def _with_count(field):
    count = FieldNode(alias=NameNode(value=ALIAS), name=NameNode(value="affectedCount"), arguments=(), directives=())
    return _with_selections(field, [*field.selection_set.selections, count])


def _with_selections(node, selections):
    return replace(node, selection_set=replace(node.selection_set, selections=tuple(selections)))


def _logged(execute, operation, bound, *others):
    results = execute(operation, bound, *others)
    if not bound.plan.is_mutation:
        return results
    texts, counts = dict(results.texts), {}
    for key, text in results.texts.items():
        found = _COUNTED.search(text or b"")
        counts[key] = int(found[1]) if found else None
        if found:
            texts[key] = text[: found.start()] + b"}"
    name = operation.parsed.document.operation.name
    line = {
        "role": operation.caller.role,
        "sub": operation.caller.claims.get("sub"),
        "operation": name.value if name else None,
        "affected": counts,
    }
    log.info("%s", json.dumps(line))
    return replace(results, texts=texts)
