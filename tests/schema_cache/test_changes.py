"""A catalog that is made from another one and what has changed since equals one that is read as a whole."""

from __future__ import annotations

from random import Random

import pytest
from pg8000.exceptions import DatabaseError

from app.installation.install import install
from tests.schema_cache.comparing import differences, read_on
from tests.schema_cache.conftest import Connect
from tests.schema_cache.ddl import PREPARATION, command
from tests.schema_cache.loading import load_catalog
from tests.schema_cache.session import Session

STEPS = 60
SEEDS = 4


def _run(session: Session, sql: str) -> bool:
    """Run a command in a savepoint. Returns whether it succeeded."""
    session.rows("savepoint s")
    try:
        session.rows(sql)
    except DatabaseError:
        session.rows("rollback to s")
        return False
    return True


@pytest.mark.parametrize("seed", range(SEEDS))
def test_changes_lead_to_the_catalog_that_is_read_as_a_whole(database_url: str, connect: Connect, seed: int) -> None:
    install(database_url)
    owner, service = connect(), connect()
    owner.rows(PREPARATION)
    random = Random(seed)
    known = load_catalog(service.value)
    partly = 0
    log: list[str] = []
    for _ in range(STEPS):
        done: list[str] = []
        owner.rows("begin")
        for _ in range(random.choice((1, 1, 1, 2, 5))):
            while not _run(owner, sql := command(random)):
                pass
            done.append(sql)
        is_committed = random.random() < 0.9
        owner.rows("commit" if is_committed else "rollback")
        log.append("; ".join(done) + ("" if is_committed else " (rolled back)"))
        made, is_part = read_on(service.value, known)
        partly += is_part
        whole = load_catalog(service.value)
        assert not (found := differences(made, whole)), "\n".join([*found[:5], *log[-4:]])
        assert made.change_count == whole.change_count
        known = made
    assert partly > STEPS / 2
