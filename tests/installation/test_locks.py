"""Commands do not wait for the locks of others without an end."""

from __future__ import annotations

from importlib import import_module

import pytest

from app.installation.install import InstallationError, install
from app.installation.install import uninstall as uninstall_from
from app.installation.version import VERSION
from tests.installation.conftest import Session


def test_locks_of_other_sessions_are_reported(
    database_url: str, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the package has a function by the module's name
    # The other session keeps its lock, so the wait is always this long.
    monkeypatch.setattr(import_module("app.installation.install"), "_LOCK_WAIT_S", 0.2)
    install(database_url, as_extension=False)
    other = session(database_url)
    other.run("begin")
    other.run("select graphql.schema_version(), * from graphql.installation")
    with pytest.raises(InstallationError, match="hold locks on Portico's objects") as raised:
        uninstall_from(database_url)
    assert raised.value.hint is not None
    assert "pg_stat_activity" in raised.value.hint
    other.run("rollback")
    assert uninstall_from(database_url).before == VERSION
