"""Features that need more of the schema ``storage`` than its first versions had. Without it they are off."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from app.database import Row, Statement

_LOOKED_FOR_AGAIN_S = 60.0

_INSTALLED = Statement(
    """
    SELECT EXISTS (
               SELECT FROM pg_catalog.pg_attribute a
               WHERE a.attrelid = pg_catalog.to_regclass('storage.objects') AND a.attname = 'tags'
                 AND NOT a.attisdropped),
           pg_catalog.to_regclass('storage.versions') IS NOT NULL
    """,
    "installed_features",
)


class InstalledFeatures:
    """Whether the database has the columns and tables of later versions. It is asked once; after a no, once a minute,
    since an operator may upgrade it. ``run`` runs a statement with the rights of the service."""

    def __init__(self, run: Callable[[Statement], list[Row]]) -> None:
        self._run = run
        self._has_tags = self._has_versions = False
        self._valid_until = 0.0
        self._lock = threading.Lock()

    @property
    def has_tags(self) -> bool:
        """Whether objects have the column ``tags``. May raise an error of the database."""
        return self._has_tags or self._look()[0]

    @property
    def has_versions(self) -> bool:
        """Whether there are versions that are not current, and tags too. May raise an error of the database."""
        return self._has_versions or self._look()[1]

    def _look(self) -> tuple[bool, bool]:
        with self._lock:
            if not self._has_versions and time.monotonic() >= self._valid_until:
                [[tags, versions]] = self._run(_INSTALLED)
                self._has_tags = tags == b"t"
                self._has_versions = self._has_tags and versions == b"t"
                self._valid_until = time.monotonic() + _LOOKED_FOR_AGAIN_S
            return self._has_tags, self._has_versions
