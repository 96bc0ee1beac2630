"""An audit log: one line for each mutation, with who called, what, and how many rows each field affected.

Clients need not ask for ``affectedCount``: it is added under an alias before the operation is planned, and
removed from the answer. So the counts come from the database, and from the transaction that was committed.
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
    document = _counting(parsed.document, operation.api.graphql.mutation_type)
    return plan(replace(operation, parsed=replace(parsed, document=document)), *others)


def _counting(document, mutation_type):
    """The document with the count in each field that has one; in the last of those that share a response key."""
    selections = list(document.operation.selection_set.selections)
    last = {_key(each): place for place, each in enumerate(selections) if isinstance(each, FieldNode)}
    for place in last.values():
        field = mutation_type.fields.get(selections[place].name.value)
        if field is not None and "affectedCount" in getattr(get_named_type(field.type), "fields", {}):
            selections[place] = _counted(selections[place])
    operation = _changed(document.operation, selections)
    return replace(document, text=f"{document.text}\n# {print_ast(operation)}", operation=operation)


def _key(field):
    return (field.alias or field.name).value


def _counted(field):
    count = FieldNode(alias=NameNode(value=ALIAS), name=NameNode(value="affectedCount"), arguments=(), directives=())
    return _changed(field, [*field.selection_set.selections, count])


def _changed(node, selections):
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
