"""Features that need more of the schema ``storage`` than its first versions had. Without it they are off."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from app.database import Row, Statement

_LOOKED_FOR_AGAIN_S = 60.0

_INSTALLED = Statement(
    """
    SELECT count(*) FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = pg_catalog.to_regclass('storage.objects') AND a.attname = 'tags' AND NOT a.attisdropped
    """,
    "installed_features",
)


class InstalledFeatures:
    """Whether the database has the columns of later versions. It is asked once; after a no, once a minute, since an
    operator may upgrade it. ``run`` runs a statement with the rights of the service."""

    def __init__(self, run: Callable[[Statement], list[Row]]) -> None:
        self._run = run
        self._has_tags = False
        self._valid_until = 0.0
        self._lock = threading.Lock()

    @property
    def has_tags(self) -> bool:
        """Whether objects have the column ``tags``. May raise an error of the database."""
        if self._has_tags:
            return True
        with self._lock:
            if not self._has_tags and time.monotonic() >= self._valid_until:
                self._has_tags = self._run(_INSTALLED)[0][0] == b"1"
                self._valid_until = time.monotonic() + _LOOKED_FOR_AGAIN_S
            return self._has_tags
