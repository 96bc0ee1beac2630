"""Computes the privileges of a role from access control lists, by PostgreSQL's rules.

Source of the rules: ``roles_is_member_of``, ``aclmask`` and the ``pg_*_aclmask`` functions in PostgreSQL's
src/backend/utils/adt/acl.c and src/backend/catalog/aclchk.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from schema_cache.model import PUBLIC, Acl, Catalog, Membership, Role

_DATABASE_OWNER = "pg_database_owner"
_READ_ALL = "pg_read_all_data"
_WRITE_ALL = "pg_write_all_data"

_NOTHING: frozenset[str] = frozenset()
_EVERYTHING = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE", "USAGE", "EXECUTE"})


class UnknownRole(LookupError):
    """The database has no role with this name."""

    def __init__(self, role: str) -> None:
        super().__init__(f'role "{role}" does not exist')


class Privileges:
    """The privileges of one role, looked up by access control list."""

    def __init__(self, catalog: Catalog, role: Role) -> None:
        held = _roles_behind(catalog, role, lambda membership: membership.inherit)
        names = {catalog.role_by_oid[oid].name for oid in held if oid in catalog.role_by_oid}
        self._superuser = role.superuser
        self._grantees = held | {PUBLIC}
        self._on_every_relation = _NOTHING
        if _READ_ALL in names:
            self._on_every_relation |= {"SELECT"}
        if _WRITE_ALL in names:
            self._on_every_relation |= {"INSERT", "UPDATE", "DELETE"}
        # Equal lists are one object (see decode.py), so their identity is a sufficient key, and the cheapest.
        self._granted: dict[int, frozenset[str]] = {}

    def granted(self, acl: Acl) -> frozenset[str]:
        """The privileges that the list gives to the role, directly or through PUBLIC and memberships."""
        if self._superuser:
            return _EVERYTHING
        granted = self._granted.get(id(acl))
        if granted is None:
            granted = _NOTHING.union(*(grant.privileges for grant in acl if grant.grantee in self._grantees))
            self._granted[id(acl)] = granted
        return granted

    def on_relation(self, acl: Acl) -> frozenset[str]:
        """Like ``granted``, for the list of a relation. It includes those of pg_read_all_data and
        pg_write_all_data."""
        granted = self.granted(acl)
        return granted | self._on_every_relation if self._on_every_relation else granted

    def may_use_schema(self, acl: Acl) -> bool:
        """Whether the role has USAGE on the schema with this list."""
        return bool(self._on_every_relation) or "USAGE" in self.granted(acl)


def find_role(catalog: Catalog, name: str) -> Role:
    """The role with this name. Raises ``UnknownRole``."""
    role = catalog.role_by_name.get(name)
    if role is None:
        raise UnknownRole(name)
    return role


def settable_roles(catalog: Catalog) -> frozenset[str]:
    """The names of the roles to which the login role may ``SET ROLE``."""
    login = catalog.role_by_oid[catalog.login]
    if login.superuser:
        return frozenset(catalog.role_by_name)
    reached = _roles_behind(catalog, login, lambda membership: membership.can_set)
    return frozenset(catalog.role_by_oid[oid].name for oid in reached)


def api_roles(catalog: Catalog, named: Iterable[str]) -> frozenset[str]:
    """The names of the roles that a token may have: those in ``named``, and those granted to them.

    Superusers, the login and PostgreSQL's own roles are left out.
    """
    starts = (catalog.role_by_name.get(name) for name in named)
    reached = {oid for role in starts if role is not None for oid in _roles_behind(catalog, role, lambda _: True)}
    roles = (catalog.role_by_oid[oid] for oid in reached)
    return frozenset(
        role.name
        for role in roles
        if not role.superuser and role.oid != catalog.login and not role.name.startswith("pg_")
    )


def role_settings(catalog: Catalog, role_name: str) -> tuple[tuple[str, str], ...]:
    """Name and value of each setting that applies after SET ROLE to the role. Raises ``UnknownRole``."""
    return find_role(catalog, role_name).settings


def _roles_behind(catalog: Catalog, role: Role, follow: Callable[[Membership], bool]) -> frozenset[int]:
    """The role and all roles of which it is a member, through the memberships that ``follow`` accepts."""
    found = {role.oid}
    waiting = [role]
    while waiting:
        member = waiting.pop()
        reached = [membership.role for membership in member.memberships if follow(membership)]
        if member.oid == catalog.database_owner and (owner_role := catalog.role_by_name.get(_DATABASE_OWNER)):
            reached.append(owner_role.oid)
        for oid in reached:
            if oid not in found and oid in catalog.role_by_oid:
                found.add(oid)
                waiting.append(catalog.role_by_oid[oid])
    return frozenset(found)
