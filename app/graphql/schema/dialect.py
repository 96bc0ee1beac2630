"""The two GraphQL dialects: every difference between them is one member of one frozen record."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the API behaves where the GraphQL specification and pg_graphql disagree. The defaults are those of STANDARD.

    ``validates``: documents must pass all rules of the GraphQL specification; otherwise the declared types of variables
    are not checked, unknown fields are found while planning, and errors have only pg_graphql's messages.
    ``partial_answers``: if one root field of a query is not valid, the others are still answered.
    ``introspection``: whether a schema is introspectable unless its comment says otherwise.
    ``to_one_by_table``: a field for one related row is named after the related table, not after the column.
    ``to_one_nullable``: such a field is nullable even where the key's columns are NOT NULL.
    ``partitioned_tables``: the parents of partitions are exposed.
    ``one_order_key_per_element``: an element of orderBy names exactly one column.
    ``direction_aliases``: AscNullFirst is understood for AscNullsFirst.
    ``node_fragments``: a fragment on the interface Node applies to the types that implement it.
    ``introspection_oddities``: introspection has pg_graphql's peculiarities.
    ``all_enum_labels``: an enum label that is not a valid GraphQL name is given one, so that no value is left out.
    ``nested_arrays``: an array column of several dimensions is a list of lists.
    ``finite_floats``: NaN and the infinities, which JSON does not have, are null.
    ``nullable_json``: a JSON column is nullable even where it is NOT NULL: the null of JSON is null.
    ``lists_all_enums``: the enums of exposed schemas are types of the schema even where no field uses them.
    ``reads_after_functions``: if a volatile function returns rows, related rows are read after it has run, so they
    include its changes.
    ``fields_that_write``: a volatile function of a row is a field of the row's type, although a query that selects it
    may change data.
    ``required_inserts``: a column that is NOT NULL and has no default must be given a value by an insert.
    ``native_json``: JSON values are JSON in requests and responses, not strings with JSON inside; enabled by a setting.
    ``described_by_comments``: the text of a comment is a description; enabled by a setting.
    ``keyless_rows``: rows of relations without a key have a type, for functions that return them.
    ``only_possible``: operations that PostgreSQL does not have, such as ordering points, are not offered.
    ``extended``: the features that go beyond pg_graphql are offered (app.graphql.schema.features).
    """

    name: str
    validates: bool = True
    partial_answers: bool = False
    introspection: bool = True
    to_one_by_table: bool = True
    to_one_nullable: bool = True
    partitioned_tables: bool = True
    one_order_key_per_element: bool = True
    direction_aliases: bool = True
    node_fragments: bool = True
    introspection_oddities: bool = False
    all_enum_labels: bool = True
    nested_arrays: bool = True
    finite_floats: bool = True
    nullable_json: bool = True
    lists_all_enums: bool = False
    reads_after_functions: bool = True
    fields_that_write: bool = False
    required_inserts: bool = True
    native_json: bool = False
    described_by_comments: bool = False
    keyless_rows: bool = True
    only_possible: bool = True
    extended: bool = True


STANDARD = Dialect(name="standard")

PG_GRAPHQL = Dialect(
    name="pg_graphql",
    validates=False,
    partial_answers=True,
    introspection=False,
    to_one_by_table=False,
    to_one_nullable=False,
    partitioned_tables=False,
    one_order_key_per_element=False,
    direction_aliases=False,
    node_fragments=False,
    introspection_oddities=True,
    all_enum_labels=False,
    nested_arrays=False,
    finite_floats=False,
    nullable_json=False,
    lists_all_enums=True,
    reads_after_functions=False,
    fields_that_write=True,
    required_inserts=False,
    keyless_rows=False,
    only_possible=False,
    extended=False,
)

DIALECTS = {dialect.name: dialect for dialect in (STANDARD, PG_GRAPHQL)}


def dialect_of(name: str, *, native_json: bool = False, described_by_comments: bool = False) -> Dialect:
    """The dialect of that name. The keyword arguments come from settings and apply only to a dialect that goes beyond
    pg_graphql."""
    dialect = DIALECTS[name]
    if not dialect.extended:
        return dialect
    return replace(dialect, native_json=native_json, described_by_comments=described_by_comments)
