"""The values of sslmode, against a server with TLS and one without."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.database import DatabaseUrlError, Statement
from app.errors import Unavailable
from tests.database.certificates import Authority
from tests.database.conftest import MakeDatabase
from tests.database.proxy import Proxy
from tests.process.running import until


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"), "authority")


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("stranger"), "stranger")


@pytest.fixture
def encrypting(url: str, authority: Authority) -> Iterator[Proxy]:
    """A server with a certificate for ``localhost``, not for its address."""
    made = Proxy(url, authority.server("localhost"))
    yield made
    made.close()


@pytest.mark.parametrize(
    ("mode", "encrypted"), [("", 1), ("sslmode=prefer", 1), ("sslmode=require", 1), ("sslmode=disable", 0)]
)
def test_connections_are_encrypted_without_verifying_the_certificate(
    encrypting: Proxy, make_database: MakeDatabase, mode: str, encrypted: int
) -> None:
    assert make_database(encrypting.url(mode)).read("select 1") == b"1"
    assert encrypting.encrypted == encrypted


def test_a_request_to_cancel_is_encrypted_too(encrypting: Proxy, url: str, make_database: MakeDatabase) -> None:
    database, other = make_database(encrypting.url("sslmode=require")), make_database(url)
    sleep = "select pg_sleep(30)::text, 'over TLS'"
    with ThreadPoolExecutor(1) as threads:
        sleeping = threads.submit(database.read, sleep)
        running = "select count(*)::text from pg_stat_activity where query like '%over TLS%' and state = 'active'"
        until(lambda: other.read(running) == b"2")
        database.close()
        with pytest.raises(Unavailable, match="The service is stopping"):
            sleeping.result()
    assert encrypting.encrypted == 2


def test_sslmode_allow_is_plain_if_the_server_accepts_it(encrypting: Proxy, make_database: MakeDatabase) -> None:
    assert make_database(encrypting.url("sslmode=allow")).read("select 1") == b"1"
    assert encrypting.encrypted == 0


@pytest.mark.parametrize(
    ("mode", "host", "accepted"),
    [
        ("verify-ca", "localhost", True),
        ("verify-ca", "127.0.0.1", True),
        ("verify-full", "localhost", True),
        ("verify-full", "127.0.0.1", False),
        ("require", "127.0.0.1", True),
    ],
)
def test_a_certificate_of_a_known_authority_is_accepted(
    encrypting: Proxy, authority: Authority, make_database: MakeDatabase, mode: str, host: str, accepted: bool
) -> None:
    database = make_database(encrypting.url(f"sslmode={mode}&sslrootcert={authority.certificate}", host))
    if accepted:
        assert database.read("select 1") == b"1"
        assert encrypting.encrypted == 1
    else:
        with pytest.raises(Unavailable) as raised:
            database.read("select 1")
        assert "CERTIFICATE_VERIFY_FAILED" in str(raised.value.__cause__)


@pytest.mark.parametrize("mode", ["verify-ca", "verify-full", "require"])
def test_unknown_authority_is_refused(
    encrypting: Proxy, stranger: Authority, make_database: MakeDatabase, mode: str
) -> None:
    database = make_database(encrypting.url(f"sslmode={mode}&sslrootcert={stranger.certificate}", "localhost"))
    with pytest.raises(Unavailable):
        database.read("select 1")
    assert encrypting.encrypted == 0


@pytest.mark.parametrize("mode", ["verify-ca", "verify-full"])
def test_the_systems_authorities_are_used_without_a_file(
    encrypting: Proxy, make_database: MakeDatabase, mode: str
) -> None:
    with pytest.raises(Unavailable):
        make_database(encrypting.url(f"sslmode={mode}", "localhost")).read("select 1")


@pytest.mark.parametrize(("mode", "works"), [("prefer", True), ("allow", True), ("require", False)])
def test_a_server_without_tls_is_used_if_the_mode_allows_it(
    url: str, proxy: Proxy, make_database: MakeDatabase, mode: str, works: bool
) -> None:
    direct = make_database(url)
    if direct.target.socket_path is None and direct.read("show ssl") == b"on":
        pytest.skip("this server speaks TLS")
    database = make_database(proxy.url(f"sslmode={mode}"))
    if works:
        assert database.read("select 1") == b"1"
    else:
        with pytest.raises(Unavailable) as raised:
            database.read("select 1")
        assert "does not offer TLS" in str(raised.value.__cause__)


def test_large_parameters_and_answers_pass_over_tls(encrypting: Proxy, make_database: MakeDatabase) -> None:
    database = make_database(encrypting.url("sslmode=require"), pool_size=1)
    large = b"z" * 5_000_000
    echo = Statement("select $1::text, repeat('x', 5000000)")
    for _ in range(2):
        answers = database.run(None, [(echo, [large])] * 3, read_only=True)
        assert answers == [[(large, b"x" * 5_000_000)]] * 3


def test_broken_tls_connections_are_replaced(encrypting: Proxy, make_database: MakeDatabase) -> None:
    database = make_database(encrypting.url("sslmode=require"), pool_size=1)
    for _ in range(3):
        with database.transaction(None) as transaction:
            assert transaction.run(Statement("select 1")) == [(b"1",)]
        encrypting.cut()


def test_channel_binding_that_the_server_lacks_is_refused(encrypting: Proxy, make_database: MakeDatabase) -> None:
    database = make_database(encrypting.url("sslmode=require&channel_binding=require"))
    with pytest.raises(Unavailable) as raised:
        database.read("select 1")
    assert "channel_binding" in str(raised.value.__cause__)


def test_missing_and_damaged_certificate_files_are_refused(tmp_path: Path, make_database: MakeDatabase) -> None:
    damaged = tmp_path / "damaged.crt"
    damaged.write_text("not a certificate")
    for path in (tmp_path / "absent.crt", damaged):
        with pytest.raises(DatabaseUrlError, match="sslrootcert"):
            make_database(f"postgresql://u:word@127.0.0.1/d?sslmode=verify-full&sslrootcert={path}")
