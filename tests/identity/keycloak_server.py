"""A real Keycloak, started with the commands of docs/keycloak.md, and a browser's requests to sign a user up."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import subprocess
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import requests

from tests.process.running import PATIENCE_S, environment, until

PASSWORD = "correct horse"
_STARTED_WITHIN_S = 1200.0
"""It builds itself and creates its tables first, which takes five minutes on two busy cores."""
_APP = "http://localhost:3000/signed-in"


@dataclass(frozen=True, slots=True)
class Keycloak:
    """A running Keycloak. ``home``: its directory. ``replaced``: addresses on the page, and those of this server."""

    home: Path
    url: str
    replaced: Mapping[str, str]

    def shell(self, text: str) -> str:
        """Run commands of the page in Keycloak's directory."""
        done = subprocess.run(
            ["sh", "-eu", "-c", self.located(text)],
            cwd=self.home, env=_variables(self.home), capture_output=True, text=True, timeout=2 * PATIENCE_S,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def located(self, text: str) -> str:
        for written, real in self.replaced.items():
            text = text.replace(written, real)
        return text

    def sign_up(self, email: str) -> dict[str, Any]:
        """The tokens of a new user, who fills in the form for registration in the authorization code flow with PKCE."""
        verifier = secrets.token_urlsafe(48)
        challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {"client_id": "web", "redirect_uri": _APP, "response_type": "code", "scope": "openid",
                 "code_challenge": challenge, "code_challenge_method": "S256"}  # fmt: skip
        with requests.Session() as browser:
            login = self._page(browser, f"{self._protocol}/auth", asked)
            link = unescape(re.findall(r'href="([^"]*/registration[^"]*)"', login.text)[0])
            form = self._page(browser, urljoin(login.url, link))
            filled = {"email": email, "firstName": "Ann", "lastName": "Arch"}
            filled |= {"password": PASSWORD, "password-confirm": PASSWORD}
            target = unescape(re.findall(r'<form[^>]* action="([^"]*)"', form.text)[0])
            led = browser.post(target, filled, allow_redirects=False, timeout=PATIENCE_S)
        assert led.headers.get("location", "").startswith(_APP), led.text
        code = parse_qs(urlsplit(led.headers["location"]).query)["code"][0]
        return self.tokens(grant_type="authorization_code", code=code, redirect_uri=_APP, code_verifier=verifier)

    def tokens(self, **body: str) -> dict[str, Any]:
        answer = requests.post(f"{self._protocol}/token", {"client_id": "web", **body}, timeout=PATIENCE_S)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    @property
    def _protocol(self) -> str:
        return f"{self.url}/realms/app/protocol/openid-connect"

    def _page(self, browser: requests.Session, url: str, query: Mapping[str, str] | None = None) -> requests.Response:
        page = browser.get(url, params=query, timeout=PATIENCE_S)
        assert page.status_code == 200, page.text
        # Browsers send cookies for HTTPS to localhost, too; this library does not.
        for cookie in browser.cookies:
            cookie.secure = False
        return page


@contextmanager
def running_keycloak(
    installed: Path, home: Path, realm: str, start: str, replaced: Mapping[str, str], port: int
) -> Iterator[Keycloak]:
    """Run a copy of ``installed`` in the directory ``home`` with a realm and the page's commands to start it."""
    shutil.copytree(installed, home, ignore=shutil.ignore_patterns("data"))
    for program in home.glob("bin/*.sh"):
        program.chmod(0o755)
    (home / "data" / "import").mkdir(parents=True)
    (home / "data" / "import" / "app-realm.json").write_text(realm)
    keycloak = Keycloak(home, f"http://localhost:{port}", replaced)
    log = home / "keycloak.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            ["sh", "-eu", "-c", keycloak.located(start)],
            cwd=home, env=_variables(home), stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    def answers() -> bool:
        assert process.poll() is None, log.read_text()[-3000:]
        try:
            return requests.get(f"{keycloak.url}/realms/app", timeout=PATIENCE_S).ok
        except requests.ConnectionError:
            return False

    try:
        until(answers, _STARTED_WITHIN_S)
        yield keycloak
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _variables(home: Path) -> dict[str, str]:
    # kcadm.sh keeps its session below HOME.
    return environment(HOME=str(home))
