"""The access of a role to the rows of a relation, derived from the catalog: all rows, rows that policies allow, or
none.

The rules are PostgreSQL's: a privilege on the relation or on some of its columns, usage of the schema, and, if row
level security is on, the permissive policies for the command, narrowed by the restrictive ones.
"""

from __future__ import annotations

from portico import identifier, qualified

COMMANDS = ("select", "insert", "update", "delete")
# Kinds of relations that cannot be written to: materialized views.
_READ_ONLY_KINDS = {"m"}


def access_of(relation, role):
    """A verdict for each command: whether ``role`` may run it on ``relation``. Both are records of the catalog."""
    return {command: _verdict(relation, role, command) for command in COMMANDS}


def _verdict(relation, role, command):
    if relation["kind"] in _READ_ONLY_KINDS and command != "select":
        return _verdict_for("none", "A materialized view can only be read.")
    table, name = qualified(relation["schema"], relation["name"]), role["name"]
    if relation["schema"] not in role["schemas"]:
        fix = f"grant usage on schema {identifier(relation['schema'])} to {identifier(name)};"
        return _verdict_for("none", f"{name} may not use the schema {relation['schema']}.", fix=fix)
    grants = _grants(relation, role, command)
    if not grants:
        fix = f"grant {command} on {table} to {identifier(name)};"
        return _verdict_for("none", f"{name} has no privilege to {command}.", fix=fix)
    columns = sorted({each["column"] for each in grants if each["column"]})
    partly = columns if all(each["column"] for each in grants) else []
    verdict = _by_rows(relation, role, command)
    return {**verdict, "grants": grants, "columns": partly}


def _by_rows(relation, role, command):
    """The rows that row level security leaves to a role that has the privilege."""
    table, name = qualified(relation["schema"], relation["name"]), role["name"]
    if relation["kind"] == "v" and not relation["invoker"]:
        return _verdict_for("all", f"The view reads with the rights of its owner, {relation['owner']}.")
    if not relation["rowSecurity"]:
        fix = f"alter table {table} enable row level security;" if relation["kind"] in ("r", "p") else ""
        return _verdict_for("all", "Row level security is off, so the privilege applies to all rows.", fix=fix)
    if role["bypasses"]:
        return _verdict_for("all", f"{name} bypasses row level security.")
    policies = [each for each in relation["policies"] if _applies(each, role, command)]
    permissive = [each for each in policies if each["permissive"]]
    if not permissive:
        using = "with check (true)" if command == "insert" else "using (true)"
        policy = identifier(f"{name}_{command}")
        fix = f"create policy {policy} on {table} for {command} to {identifier(name)} {using};"
        return _verdict_for("none", "Row level security is on, and no policy allows a row.", fix=fix)
    if len(permissive) == len(policies) and any(_lets_all(each, command) for each in permissive):
        return _verdict_for("all", "A policy allows all rows.", policies=policies)
    return _verdict_for("policy", "Policies decide on each row.", policies=policies)


def _verdict_for(rows, why, *, fix="", policies=()):
    return {"rows": rows, "why": why, "fix": fix, "policies": [each["name"] for each in policies],
            "grants": [], "columns": []}  # fmt: skip


def _grants(relation, role, command):
    """The grants that give the role the privilege: its own, those of roles that it is a member of, and those to
    public."""
    names = {*role["has"], "public"}
    given = [*relation["grants"], *relation["columnGrants"]]
    return [each for each in given if each["privilege"] == command and each["to"] in names]


def _applies(policy, role, command):
    return policy["command"] in (command, "all") and bool({*role["has"], "public"} & set(policy["roles"]))


def _lets_all(policy, command):
    using, check = policy["using"], policy["check"]
    if command == "insert":
        return (check or using) == "true"
    return using == "true" and (command != "update" or check in (None, "true"))
