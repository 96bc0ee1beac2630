"""The rules of each role: the settings apply to all roles, the comment on a role to that role alone.

``comment on role anon is '@graphql({"node_limit": 50000, "depth_limit": 8})'``. Comments are used because ``ALTER ROLE
... SET`` with a name that PostgreSQL does not know needs a superuser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import pluggy

from app.graphql.schema.comments import DIRECTIVES
from app.graphql.schema.dialect import Dialect
from app.graphql.schema.features import Features, UnknownFeature
from app.graphql.schema.recursion import allow_levels
from schema_cache.directives import Directive, DirectiveReader

OperationCheck = Callable[..., None]
"""``check(operation, bound, engine)`` runs before an operation is executed, and refuses it by raising a
PorticoError."""

MakeChecks = Callable[[Mapping[str, Any]], Sequence[OperationCheck]]
"""A function from the directives in a role's comment to the checks of the role."""


@dataclass(frozen=True, slots=True)
class RoleRules:
    """``hooks``: those of the plugins whose features the role has. ``depth`` and ``nodes``: the limits of its
    operations; 0 ``nodes`` means no limit. ``max_rows``: the page size of collections whose comment sets none.
    ``checks``: its operations must pass them. ``directives``: those in the comment on the role. ``problems``: the
    errors in that comment. ``claim``: the settings CITUS_CLAIM and CITUS_CLAIM_COLUMN. ``bypasses_policies``: with
    Citus, whether no policies apply to the role."""

    hooks: pluggy.HookRelay
    features: frozenset[str]
    max_rows: int
    filter_depth: int
    depth: int
    nodes: int
    checks: Sequence[OperationCheck] = ()
    directives: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    claim: tuple[str | None, str | None] = (None, None)
    bypasses_policies: bool = False


class RuleBook:
    """Makes the rules of roles. Safe to share between threads; equal comments have the same rules."""

    def __init__(
        self,
        usual: RoleRules,
        dialect: Dialect,
        features: Features,
        known: Iterable[Directive] = (),
        make_checks: MakeChecks = lambda directives: (),
    ) -> None:
        """``usual``: the rules from the settings. ``known``: the directives of plugins."""
        self._usual = usual
        self._dialect = dialect
        self._features = features
        self._reader = DirectiveReader((*DIRECTIVES, *known))
        self._make_checks = make_checks
        self._of_features = lru_cache(maxsize=None)(features.hooks)
        self.of_comment = lru_cache(1000)(self._of_comment)

    def _of_comment(self, comment: str | None) -> RoleRules:
        """The rules of a role with that comment. A directive that is malformed is left out."""
        reading = self._reader.read("role", comment)
        directives: Mapping[str, Any] = reading.directives
        features, problems = self._usual.features, list(reading.problems)
        if self._dialect.extended and "features" in directives:
            try:
                features = self._features.chosen(directives["features"], self._usual.features)
            except UnknownFeature as ex:
                problems.append(str(ex))
        rules = replace(
            self._usual,
            hooks=self._of_features(features),
            features=features,
            max_rows=directives.get("max_rows", self._usual.max_rows),
            depth=directives.get("depth_limit", self._usual.depth),
            nodes=directives.get("node_limit", self._usual.nodes),
            checks=tuple(self._make_checks(directives)),
            directives=directives,
            problems=tuple(problems),
        )
        allow_levels(rules.depth)
        return rules
