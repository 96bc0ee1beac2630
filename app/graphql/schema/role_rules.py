"""The rules of each role: what the settings say for all, and the comment on the role for it alone.

``comment on role anon is '@graphql({"node_limit": 50000, "depth_limit": 8})'``. A comment, since ``ALTER ROLE
... SET`` of a name that PostgreSQL does not know needs a superuser.
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
"""``check(operation, bound, engine)``, before an operation is executed, refuses it by raising a PorticoError."""

MakeChecks = Callable[[Mapping[str, Any]], Sequence[OperationCheck]]
"""The checks of a role whose comment has these directives."""


@dataclass(frozen=True, slots=True)
class RoleRules:
    """``hooks`` are those of the plugins whose features the role has. ``depth`` and ``nodes`` bound its operations, 0
    ``nodes`` for any number; ``max_rows`` is for collections without a size of their own. Its operations must pass
    ``checks``. ``directives`` are those of the comment on the role, and ``problems`` say what is wrong with others."""

    hooks: pluggy.HookRelay
    features: frozenset[str]
    max_rows: int
    filter_depth: int
    depth: int
    nodes: int
    checks: Sequence[OperationCheck] = ()
    directives: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


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
        """``usual`` are the rules that the settings make; ``known`` directives of plugins."""
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
        said: Mapping[str, Any] = reading.directives
        features, problems = self._usual.features, list(reading.problems)
        if self._dialect.extended and "features" in said:
            try:
                features = self._features.chosen(said["features"], self._usual.features)
            except UnknownFeature as ex:
                problems.append(str(ex))
        rules = replace(
            self._usual,
            hooks=self._of_features(features),
            features=features,
            max_rows=said.get("max_rows", self._usual.max_rows),
            depth=said.get("depth_limit", self._usual.depth),
            nodes=said.get("node_limit", self._usual.nodes),
            checks=tuple(self._make_checks(said)),
            directives=said,
            problems=tuple(problems),
        )
        allow_levels(rules.depth)
        return rules
