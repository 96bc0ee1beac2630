"""One SQL statement under construction: its parameters, its names, and the counts that are limited."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, cast

from sqlalchemy import ColumnElement, Select, TableClause, func, null
from sqlalchemy.sql.selectable import Alias

from app.errors import OverLimit, RequestError
from app.graphql.schema.relations import ApiRelation
from app.graphql.values.types import ToText
from app.graphql.values.values import ABSENT, Leaf, Readings, Source, Variables, shape_of
from app.query.plan.claims import Cluster
from app.query.plan.distribution import CLAIM, Shard, claim_text
from app.query.plan.handing_on import HANDED_ON, ComputedBy, HandedOn, Refuse, keep, keep_on_coordinator
from app.query.plan.node_count import Cap, Nodes
from app.query.plan.rows import NamedRows, TableRows
from app.query.sql.compiled_constructs import Bound
from app.query.sql.constructs import alias_stem, cast_to, unmodified

MAX_PARAMETERS = 65535
"""PostgreSQL counts the parameters of a statement in two bytes."""

MAX_CONDITIONS = 2_000
"""The service takes 0.1 s of CPU time to compile this number of conditions, and PostgreSQL takes as long to plan
them."""

OF_A_PATTERN, OF_A_SEARCH, OF_A_REGEX = 4, 50, 100
"""Some conditions cost more for each row and count as this number of conditions: for a search PostgreSQL parses the
text of the row, and it caches only 32 compiled regular expressions."""

TOO_MANY_CONDITIONS = f"The filters have more than {MAX_CONDITIONS} conditions"

MAX_RELATION_STEPS = 50
"""How many steps to related rows the filters of a statement may have: each step is a subquery to plan and run."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A bind parameter of a plan: the source of its value in a request, and the conversion of the value to text."""

    name: str
    source: Source
    to_text: ToText

    def value(self, readings: Readings) -> bytes | None:
        """The value in PostgreSQL's text format. Raises RequestError if it does not fit."""
        text = self.to_text(readings.at(self.source))
        try:
            return None if text is None else text.encode()
        except UnicodeEncodeError:
            raise RequestError("A string of the request is not valid Unicode", code="BAD_USER_INPUT") from None


@dataclass(frozen=True, slots=True)
class ItemErrors:
    """Finds the items of a list in a request that have an error of their own: they are null in the response, and the
    other items are answered. ``path``: the response keys from the root to the list. ``errors_of`` takes the value of
    ``source`` and returns the errors by index."""

    path: tuple[str, ...]
    source: Source
    errors_of: Callable[[Any], Mapping[int, RequestError]]


@dataclass(frozen=True, slots=True)
class _Portions:
    """The key function of a list: the number of portions of ``to_one`` values in it, rounded up to a power of two, so
    that lists of similar lengths share a plan. The kinds of the values are part of the result too."""

    to_one: int

    def __call__(self, value: Any) -> Hashable:
        return self.number(value), shape_of(value)

    def number(self, value: Any) -> int:
        whole = len(value) // self.to_one if isinstance(value, list) else 0
        return 1 << (whole - 1).bit_length() if whole else 0


class Planning:
    """The state that the resolvers of one statement share.

    ``cluster``: that of a database with Citus. ``is_change``: the statement is that of a mutation. ``earlier``:
    statements that run before it in the same transaction, for a mutation whose result must include its own changes.
    ``is_volatile``: one of the statements calls a volatile function. ``calls_functions``: one of them calls a function
    that is not of a row. ``reads``: the oids of the relations and functions that they name."""

    def __init__(self, variables: Variables, cluster: Cluster | None = None, *, is_change: bool = False) -> None:
        self.variables = variables
        self.cluster = cluster
        self._is_change = is_change
        self._readings = Readings(variables.values)
        self._parameters: dict[object, tuple[Parameter, ColumnElement[Any]]] = {}
        self._aliases = 0
        self._conditions = 0
        self.relation_steps = 0
        self._relation_depth = 0
        self._handed_on = 0
        self._shards: list[Shard] = []
        self.nodes = Nodes()
        self.is_volatile = False
        self.calls_functions = False
        self.reads: set[int] = set()
        self.earlier: list[Select[Any]] = []
        self.caps: list[Cap] = []
        self.item_errors: list[ItemErrors] = []

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters bound so far, by name."""
        return {parameter.name: parameter for parameter, _ in self._parameters.values()}

    @contextmanager
    def noting_reads(self) -> Iterator[set[int]]:
        """A context with the ``reads`` of only the SQL that is made inside it."""
        before, self.reads = self.reads, set()
        try:
            yield self.reads
        finally:
            self.reads = before | self.reads

    def bind(self, leaf: Leaf, to_text: ToText, type_text: str) -> ColumnElement[Any]:
        """``leaf`` as a parameter of the PostgreSQL type ``type_text``.

        The value of the request being planned is converted at once, so that one that does not fit is an error here.
        """
        source = leaf.source
        parameter = Parameter("", source, to_text)
        from_variables = source.path is not None or source.parts is not None
        same = to_text if from_variables else parameter.value(self._readings)
        key = (source.path, source.parts and id(source), source.reading, same, type_text)
        if key not in self._parameters:
            leaf.steer_as_one()
            if len(self._parameters) == MAX_PARAMETERS:
                raise OverLimit(f"The operation has more than {MAX_PARAMETERS} values for one statement")
            if from_variables:
                parameter.value(self._readings)
            parameter = replace(parameter, name=f"p{len(self._parameters) + 1}")
            self._parameters[key] = parameter, Bound(parameter.name, unmodified(type_text))
        return self._parameters[key][1]

    def bind_or_null(self, leaf: Leaf | None, to_text: ToText, type_text: str) -> ColumnElement[Any]:
        """``leaf`` as a parameter, or NULL of that type if the request has null."""
        return cast_to(null(), type_text) if leaf is None else self.bind(leaf, to_text, type_text)

    def unknown(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """A condition that is neither true nor false. ``value``: any value of the row."""
        if self.cluster is None or not self._is_change:
            return cast_to(null(), "boolean")
        # Citus fails to change rows if PostgreSQL knows before it reads them that there are none.
        is_null = value.is_(None)
        return func.nullif(is_null, is_null)

    def count_conditions(self, number: int) -> None:
        """Count ``number`` more conditions. Raises OverLimit if the filters of the statement have too many."""
        self._conditions += number
        if self._conditions > MAX_CONDITIONS:
            raise OverLimit(TOO_MANY_CONDITIONS)

    @property
    def possible_repetitions(self) -> int:
        """How often the conditions counted so far may be in the statement without exceeding its limits; at least
        once."""
        conditions, steps = max(self._conditions, 1), max(self.relation_steps, 1)
        return max(1, min(MAX_CONDITIONS // conditions, MAX_RELATION_STEPS // steps))

    def count_values(self, leaf: Leaf, to_one: int, of_each: int = 1) -> None:
        """Count a list that is compared with each row: every ``to_one`` of its values as ``of_each`` conditions."""
        portions = _Portions(to_one)
        leaf.steer(portions)
        self.count_conditions(portions.number(leaf.raw) * of_each)

    @contextmanager
    def relation_step(self, deepest: int, times: int = 1) -> Iterator[None]:
        """Count ``times`` steps from a filter to related rows; each step counts as a condition too. Steps inside the
        context are one level deeper. Raises OverLimit beyond the limit of steps, or of ``deepest`` levels."""
        self.count_conditions(times)
        self.relation_steps += times
        self._relation_depth += 1
        if self._relation_depth > deepest:
            raise OverLimit(f"A filter leads through more than {deepest} relations (FILTER_DEPTH_LIMIT)")
        if self.relation_steps > MAX_RELATION_STEPS:
            raise OverLimit(f"The filters lead to related rows more than {MAX_RELATION_STEPS} times")
        try:
            yield
        finally:
            self._relation_depth -= 1

    def rows_of(self, relation: ApiRelation) -> TableRows:
        """The relation under a new alias."""
        alias = cast(Alias[Any], relation.table.alias(self.alias(relation.relation.name)))
        return TableRows(relation, alias, self._shard_of(relation), self._shard_of)

    def rows_in(
        self, relation: ApiRelation, element: TableClause | Alias[Any], value: ColumnElement[Any] | None = None
    ) -> TableRows:
        """Rows of the relation in any FROM element, such as a call of a function. ``value``: a parameter with the value
        of the distribution column, if it is known that all rows have the same."""
        return TableRows(relation, element, Shard(value=value, is_result=True), self._shard_of)

    def named_rows(self, relation: ApiRelation, stem: str) -> NamedRows:
        return NamedRows(relation, self.alias(stem))

    def _shard_of(self, relation: ApiRelation) -> Shard:
        self.reads.add(relation.relation.oid)
        if self.cluster is None:
            return Shard()
        shard = Shard(self._claimed(relation, self.cluster))
        self._shards.append(shard)
        return shard

    def _claimed(self, relation: ApiRelation, cluster: Cluster) -> ColumnElement[Any] | None:
        """The caller's value of the distribution column, if the claim has it."""
        distribution = relation.distribution
        if distribution is None or self.variables.get(CLAIM) is ABSENT:
            return None
        column = relation.relation.column(distribution.column)
        if (
            column is None
            or column.name not in relation.visible.select
            or not cluster.is_claimed(relation.relation, distribution)
        ):
            return None
        return self.bind(Leaf(Source((CLAIM,)), self.variables, type_name=""), claim_text, column.type_text)

    def check_shards(self) -> None:
        """Raise RequestError if Citus could not run the statement, as far as that is known before it runs.
        It checks the shards since its last call."""
        shards, self._shards = self._shards, []
        for each in shards:
            each.check()

    def same_value(self, one: ColumnElement[Any], other: ColumnElement[Any]) -> bool:
        """Whether two parameters have the same value, which from now on steers the plan."""
        return one is other or self._steered(one) == self._steered(other)

    def _steered(self, bound: ColumnElement[Any]) -> bytes | None:
        (parameter,) = (each for each, known in self._parameters.values() if known is bound)
        Leaf(parameter.source, self.variables, type_name="").steer()
        return parameter.value(self._readings)

    def alias(self, stem: str) -> str:
        """A name that nothing else in the statement has."""
        self._aliases += 1
        return f"{alias_stem(stem)}_{self._aliases}"

    def hand_on(self, text: ColumnElement[Any], refuse: Refuse | None = None) -> HandedOn:
        """A text for later statements. One statement must pass it on: ``run_before``."""
        self._handed_on += 1
        return HandedOn(f"{HANDED_ON}{self._handed_on}", text, refuse)

    def run_before(self, query: ComputedBy, texts: Sequence[HandedOn]) -> None:
        """Let ``query``, a function from columns to a query that returns one row, run before the statement and pass on
        texts that it computes."""
        is_on_cluster = self.cluster is not None
        self.earlier.append(keep_on_coordinator(query, texts, self.alias) if is_on_cluster else keep(query, texts))
