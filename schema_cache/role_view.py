"""The part of the database that one role may see through the API.

A view does not contain the role's name: roles with equal grants have equal views, and ``RoleViews`` returns one object
for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from threading import Lock

from schema_cache.directives import has_directives
from schema_cache.exclusion import NOTHING, Exclusion
from schema_cache.model import Catalog, Function, Relation, Schema
from schema_cache.privileges import Privileges, find_role, settable_roles

OWN_SCHEMA = "$user"
"""In a search path: the schema named like the role."""

_SYSTEM_SCHEMAS = frozenset({"pg_catalog", "information_schema"})
_COLUMN_PRIVILEGES = ("SELECT", "INSERT", "UPDATE")
_RELATION_PRIVILEGES = frozenset({*_COLUMN_PRIVILEGES, "DELETE"})


@dataclass(frozen=True, slots=True)
class VisibleRelation:
    """A relation on which a role has a privilege. ``select``, ``insert`` and ``update`` are names of columns.
    ``select_all``: the role has SELECT on the whole relation, which implies every column. ``grants``: all these, as
    text."""

    relation: Relation
    select: frozenset[str]
    insert: frozenset[str]
    update: frozenset[str]
    delete: bool
    select_all: bool
    grants: str = field(repr=False)


@dataclass(frozen=True, eq=False)
class RoleView:
    """The part of a catalog that a role may see. It is compared, hashed and shared by ``key``, which identifies the
    catalog's version and the contents of the view.

    ``schemas`` are those of the API search path that exist and that the role may use, in the order of the path.
    ``relations`` and ``functions`` are those in these schemas on which it has a privilege, in the order of their oids.
    ``extension_functions`` are functions of extensions that it may execute, in any schema that it may use.
    ``unnamed_types`` are in schemas that the role may not use: it may read their values, but not name the types.
    ``exclusion`` hides objects from all roles: relations and functions are left out here, columns and relationships
    where their fields are made.
    """

    key: str
    catalog: Catalog = field(repr=False)
    schemas: tuple[Schema, ...]
    relations: tuple[VisibleRelation, ...] = field(repr=False)
    functions: tuple[Function, ...] = field(repr=False)
    extension_functions: tuple[Function, ...] = field(repr=False)
    unusable_types: frozenset[int] = field(repr=False)
    unnamed_types: frozenset[int] = field(repr=False)
    exclusion: Exclusion = field(repr=False)

    def same_relations(self, catalog: Catalog, exclusion: Exclusion) -> Mapping[int, VisibleRelation]:
        """The relations of this view by oid. Those that are unchanged in another catalog are part of the role's view
        on it, too. Empty if roles have changed."""
        if self.catalog.roles is not catalog.roles or self.catalog.database_owner != catalog.database_owner:
            return {}
        return {each.relation.oid: each for each in self.relations} if exclusion == self.exclusion else {}

    def usable_type(self, oid: int) -> bool:
        """Whether the role has USAGE on the type and on its schema."""
        return oid in self.catalog.type_by_oid and oid not in self.unusable_types

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, RoleView) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)


class RoleViews:
    """The views on one catalog along one API search path, each made on first use. Threads may share this object.
    ``before``: the views on the catalog before it, whose unchanged parts are used again."""

    def __init__(
        self,
        catalog: Catalog,
        api_schemas: tuple[str, ...],
        exclusion: Exclusion = NOTHING,
        before: RoleViews | None = None,
    ) -> None:
        self.catalog = catalog
        self._api_schemas = api_schemas
        self._exclusion = exclusion
        self._by_role: dict[str, RoleView] = {}
        # Each is dropped once it was used, so that only one previous catalog stays in memory. If catalogs follow each
        # other fast, no view was made on some of them.
        self._before: dict[str, RoleView] = {} if before is None else dict(before._by_role or before._before)
        self._by_key: dict[str, RoleView] = {}
        self._making = Lock()

    @cached_property
    def settable_roles(self) -> frozenset[str]:
        """The names of the roles to which the service may SET ROLE. Cached, because a login may be a member of
        hundreds."""
        return settable_roles(self.catalog)

    def view(self, role_name: str) -> RoleView:
        """The role's view; roles that see the same share one object. Raises ``UnknownRole``."""
        return self._by_role.get(role_name) or self._make(role_name)

    def _make(self, role_name: str) -> RoleView:
        with self._making:
            view = self._by_role.get(role_name)
            if view is None:
                before = self._before.pop(role_name, None)
                built = role_view(self.catalog, role_name, self._api_schemas, self._exclusion, before)
                view = self._by_role[role_name] = self._by_key.setdefault(built.key, built)
            return view


def role_view(
    catalog: Catalog,
    role_name: str,
    api_schemas: tuple[str, ...],
    exclusion: Exclusion = NOTHING,
    before: RoleView | None = None,
) -> RoleView:
    """Compute the view of a role along ``api_schemas``, without what ``exclusion`` hides. ``before``: its view on the
    catalog before. Raises ``UnknownRole``."""
    role = find_role(catalog, role_name)
    privileges = Privileges(catalog, role)
    wanted = dict.fromkeys(role_name if name == OWN_SCHEMA else name for name in api_schemas)
    usable = {schema.name for schema in catalog.schemas if privileges.may_use_schema(schema.acl)}
    schemas = tuple(catalog.schema_by_name[name] for name in wanted if name in usable and name not in _SYSTEM_SCHEMAS)
    exposed = {schema.name for schema in schemas}
    same = {} if before is None else before.same_relations(catalog, exclusion)

    def visible_in_api(relation: Relation) -> VisibleRelation | None:
        known = same.get(relation.oid)
        if known is not None and known.relation is relation:
            return known
        is_hidden = not is_offered(relation) or exclusion.hides_relation(relation)
        return None if is_hidden else _visible(privileges, relation)

    relations = tuple(
        visible
        for relation in catalog.relations
        if relation.schema in exposed and (visible := visible_in_api(relation))
    )
    functions = tuple(
        function
        for function in catalog.functions
        if function.schema in exposed
        and is_offered(function)
        and not exclusion.hides_function(function)
        and "EXECUTE" in privileges.granted(function.acl)
    )
    extension_functions = tuple(
        function
        for function in catalog.functions
        if function.of_extension and function.schema in usable and "EXECUTE" in privileges.granted(function.acl)
    )
    unnamed_types = frozenset(type_.oid for type_ in catalog.types if type_.schema not in usable)
    unusable_types = unnamed_types.union(
        type_.oid for type_ in catalog.types if "USAGE" not in privileges.granted(type_.acl)
    )
    return RoleView(
        key=_key(catalog, schemas, relations, (functions, extension_functions), unusable_types, unnamed_types),
        catalog=catalog,
        schemas=schemas,
        relations=relations,
        functions=functions,
        extension_functions=extension_functions,
        unusable_types=unusable_types,
        unnamed_types=unnamed_types,
        exclusion=exclusion,
    )


def is_offered(made: Relation | Function) -> bool:
    """Whether an object may be part of the API: objects of extensions are not, unless their comment has directives."""
    return not made.of_extension or has_directives(made.comment)


def _visible(privileges: Privileges, relation: Relation) -> VisibleRelation | None:
    held = privileges.on_relation(relation.acl)
    granted = [each for each in relation.columns if each.acl]
    everything = frozenset([each.name for each in relation.columns])
    columns = []
    for privilege in _COLUMN_PRIVILEGES:
        if privilege in held:
            columns.append(everything)
        else:
            columns.append(frozenset(c.name for c in granted if privilege in privileges.granted(c.acl)))
    select, insert, update = columns
    # Privileges on a relation without columns count too.
    if not (select or insert or update or held & _RELATION_PRIVILEGES):
        return None
    # Most grants are on whole relations: their columns need no sorting.
    listed = [True if names == everything else sorted(names) for names in columns]
    grants = repr((relation.oid, "DELETE" in held, "SELECT" in held, *listed))
    return VisibleRelation(relation, select, insert, update, "DELETE" in held, "SELECT" in held, grants)


def _key(
    catalog: Catalog,
    schemas: tuple[Schema, ...],
    relations: tuple[VisibleRelation, ...],
    functions: tuple[tuple[Function, ...], ...],
    unusable_types: frozenset[int],
    unnamed_types: frozenset[int],
) -> str:
    digest = blake2b(digest_size=16)

    def lines() -> Iterator[str]:
        yield catalog.version
        yield repr([schema.oid for schema in schemas])
        yield repr([[function.oid for function in some] for some in functions])
        yield repr((sorted(unusable_types), sorted(unnamed_types)))
        yield from (visible.grants for visible in relations)

    digest.update("\n".join(lines()).encode())
    return digest.hexdigest()
