"""The catalog of one database as frozen records, with PostgreSQL's own terms.

Nothing here depends on GraphQL. Records are plain values: they can be compared, shared between threads
and written to disk. Object identifiers (``oid``) are those of ``pg_catalog``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from schema_cache.distribution import Distribution, Placement
from schema_cache.effects import Effects
from schema_cache.operators import Operators as Operators
from schema_cache.operators import OperatorTables

PUBLIC = 0
"""The grantee of ``GRANT ... TO PUBLIC`` in an access control list."""


@dataclass(frozen=True, slots=True)
class Grant:
    """One entry of an access control list: the privileges of ``grantee`` (a role's oid, or PUBLIC).

    ``privileges`` holds PostgreSQL's names: SELECT, INSERT, UPDATE, DELETE, USAGE, EXECUTE ...
    """

    grantee: int
    privileges: frozenset[str]


Acl = tuple[Grant, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    oid: int
    name: str
    acl: Acl
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Attribute:
    """A member of a composite type. ``dimensions``: the declared number of dimensions of an array, else 0."""

    name: str
    type: int
    dimensions: int = 0
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Type:
    """A row of ``pg_type``.
    ``category`` is ``typcategory``, ``kind`` is ``typtype`` (b base, c composite, d domain, e enum, p pseudo,
    r range, m multirange). ``element`` is the element's oid of a true array, else 0; ``relation`` the oid of
    the relation whose row type this is, else 0; ``base`` the oid of a domain's base type, else 0.
    ``text`` is the type's name for a CAST as ``format_type`` prints it, with its schema outside ``pg_catalog``.
    ``delimiter`` separates two values in the text of an array. ``operators`` are those of the default order (btree),
    None if there is no order, as for composite types. ``equality`` is the operator that compares values for equality.
    ``attributes`` are those of a composite type that is not a relation's row type.
    ``has_json_cast``: PostgreSQL prints the values in JSON with an extension's cast, not as their text.
    An array's ``acl`` is that of its element (a multirange's that of its range from 17 on), which PostgreSQL checks.
    """

    oid: int
    schema: str
    name: str
    category: str
    kind: str
    element: int
    relation: int
    base: int
    delimiter: str
    acl: Acl
    text: str
    labels: tuple[str, ...] = ()
    comment: str | None = None
    operators: Operators | None = None
    equality: str | None = None
    has_json_cast: bool = False
    attributes: tuple[Attribute, ...] = ()

    @property
    def is_vector(self) -> bool:
        """Whether the type is int2vector or oidvector: an array in JSON, whose text has spaces instead of braces."""
        return bool(self.element) and not self.text.endswith("[]")


class Column(NamedTuple):
    """A live attribute. ``type_text`` is ``Type.text`` with the column's modifier, ready for a CAST.

    ``max_length`` is n of char(n) and varchar(n) and of arrays of them, else None. ``generated`` is '' or 's' (stored)
    or 'v' (virtual); ``identity`` is '' or 'a' (always) or 'd' (by default); ``serial``: ``pg_get_serial_sequence``
    returns a sequence. ``insertable`` and ``updatable`` are False for a view's column to which INSERT or UPDATE cannot
    assign a value. ``acl`` has only the column's own grants. ``dimensions``: the declared number of dimensions of an
    array, which PostgreSQL does not enforce; 0 if not declared, as in a view. ``nondeterministic``: its collation is.

    A tuple, because a large database has tens of thousands of columns, and tuples are made in a fifth of the time.
    """

    name: str
    number: int
    type: int
    type_text: str
    max_length: int | None
    not_null: bool
    has_default: bool
    generated: str
    identity: str
    serial: bool = False
    insertable: bool = True
    updatable: bool = True
    acl: Acl = ()
    comment: str | None = None
    dimensions: int = 0
    nondeterministic: bool = False


@dataclass(frozen=True, slots=True)
class UniqueIndex:
    """A valid unique index. ``columns`` are its plain key columns (no INCLUDE). With ``has_expressions`` or
    ``partial``, the columns alone do not make a row unique.

    ``constraint``: it belongs to a constraint, which has the same name. ``arbiter``: ON CONFLICT accepts it, because it
    is neither deferrable nor an exclusion constraint. ``nulls_distinct``: it permits several nulls. ``elements``: the
    SQL of a key with expressions; ``predicate``: the SQL of a partial index's condition; ``needs``: the columns that
    both read, None for the whole row. ``comment`` is that of the constraint, else of the index. ``oid``: the index's.
    """

    name: str
    columns: tuple[str, ...]
    primary: bool
    partial: bool
    has_expressions: bool
    constraint: bool
    arbiter: bool
    nulls_distinct: bool
    elements: tuple[str, ...]
    predicate: str | None
    needs: frozenset[str] | None
    comment: str | None
    oid: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether its columns alone identify each row, except for nulls."""
        return bool(self.columns) and not self.partial and not self.has_expressions

    @property
    def is_immediate(self) -> bool:
        """Whether it always holds. A deferrable constraint may be violated until the transaction ends."""
        return self.arbiter or not self.constraint


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A foreign key of a relation. ``foreign`` is the referenced relation's oid. ``inferred``: no constraint declares
    it; it follows from the query of a view."""

    oid: int
    name: str
    columns: tuple[str, ...]
    foreign: int
    foreign_columns: tuple[str, ...]
    comment: str | None = None
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """A row of ``pg_class`` that can be read: kind r table, p partitioned table, v view, m materialized view,
    f foreign table. ``row_security`` is ``relrowsecurity``; ``row_type`` the oid of its row type;
    ``insertable``, ``updatable``, ``deletable`` are the result of ``pg_relation_is_updatable`` (triggers included),
    without the changes that PostgreSQL refuses in a statement that returns rows, because of a rule.
    ``of_extension``: an extension made it. ``filled_on_insert``: a trigger or a rule may give values to a row before it
    is inserted. ``distribution``: how Citus spreads the rows, None if it does not. ``placement``: the servers that have
    rows, None if only the coordinator does, and without Citus.
    """

    oid: int
    schema: str
    name: str
    kind: str
    row_type: int
    row_security: bool
    insertable: bool
    updatable: bool
    deletable: bool
    acl: Acl
    columns: tuple[Column, ...]
    unique_indexes: tuple[UniqueIndex, ...]
    foreign_keys: tuple[ForeignKey, ...]
    comment: str | None = None
    of_extension: bool = False
    filled_on_insert: bool = False
    distribution: Distribution | None = None
    placement: Placement | None = None

    def column(self, name: str) -> Column | None:
        """The column with this name, or None."""
        return next((column for column in self.columns if column.name == name), None)

    @property
    def primary_key(self) -> tuple[str, ...]:
        """The columns of the primary key in its order; empty without one."""
        return next((index.columns for index in self.unique_indexes if index.primary), ())


@dataclass(frozen=True, slots=True)
class Argument:
    """An input argument of a function. ``default`` is the SQL of its default, None without one."""

    name: str
    type: int
    type_text: str
    default: str | None = None
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a function's result, by its name in FROM."""

    name: str
    type: int


@dataclass(frozen=True, slots=True)
class Function:
    """A row of ``pg_proc`` of kind function. ``arguments`` are the input ones (in, inout, variadic); ``columns`` those
    of a result that is a table or has several output arguments; ``volatility`` is i, s or v; ``rows`` is ``prorows``
    (0 unless ``returns_set``); ``of_extension``: an extension made it."""

    oid: int
    schema: str
    name: str
    acl: Acl
    arguments: tuple[Argument, ...]
    returns: int
    returns_set: bool
    rows: float
    volatility: str
    comment: str | None = None
    of_extension: bool = False
    columns: tuple[ResultColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class Membership:
    """Membership in ``role``. ``inherit``: the member inherits its privileges. ``can_set``: it may SET ROLE to it."""

    role: int
    inherit: bool
    can_set: bool


@dataclass(frozen=True, slots=True)
class Role:
    """A role. ``settings`` are the values of ``ALTER ROLE ... SET`` that an ordinary user may set, such as
    ``statement_timeout``; those for this database win. They apply after SET ROLE to it. ``comment`` is the comment on
    the role, if that has directives. ``bypasses``: no policies apply to it."""

    oid: int
    name: str
    superuser: bool
    bypasses: bool
    memberships: tuple[Membership, ...]
    settings: tuple[tuple[str, str], ...] = ()
    comment: str | None = None


@dataclass(frozen=True, eq=False)
class Catalog:
    """The schema of one database at one moment.

    ``version`` names that state: equal versions mean an equal schema. It is made of three values, ordered by the cost
    of reading them again. ``change_count`` is the database's own counter of schema changes, 0 unless ``counted``: the
    support objects are installed. ``shared_fingerprint`` covers roles, memberships, role settings and comments on
    roles, which the counter does not cover; ``contents_fingerprint`` covers all the rest. ``login`` is the oid of the
    role as which the service connects. ``distributed``: the database has Citus; ``server_version``: PostgreSQL's, as a
    number; ``effects``: the code that may do more than read; ``operators``: those of all types;
    ``writes_run_code``: writing to some table may run code of users that does more than read, such as a trigger.
    ``snapshot``: the database's snapshot in which it was read, '' if the database does not list changed objects.

    Catalogs are compared by identity; compare contents by ``version``.
    """

    version: str
    database: str
    login: int
    database_owner: int
    counted: bool
    change_count: int
    shared_fingerprint: str
    contents_fingerprint: str
    schemas: tuple[Schema, ...]
    types: tuple[Type, ...]
    relations: tuple[Relation, ...]
    functions: tuple[Function, ...]
    roles: tuple[Role, ...]
    distributed: bool = False
    effects: Effects = field(default_factory=Effects)
    server_version: int = 0
    writes_run_code: bool = True
    operators: OperatorTables = field(default_factory=OperatorTables)
    snapshot: str = ""

    @property
    def usual_operators(self) -> Operators:
        return self.operators.usual

    @cached_property
    def schema_by_name(self) -> Mapping[str, Schema]:
        return {schema.name: schema for schema in self.schemas}

    @cached_property
    def type_by_oid(self) -> Mapping[int, Type]:
        return {type_.oid: type_ for type_ in self.types}

    @cached_property
    def relation_by_oid(self) -> Mapping[int, Relation]:
        return {relation.oid: relation for relation in self.relations}

    @cached_property
    def role_by_name(self) -> Mapping[str, Role]:
        return {role.name: role for role in self.roles}

    @cached_property
    def role_by_oid(self) -> Mapping[int, Role]:
        return {role.oid: role for role in self.roles}

    @cached_property
    def has_foreign_tables(self) -> bool:
        return any(relation.kind == "f" for relation in self.relations)
