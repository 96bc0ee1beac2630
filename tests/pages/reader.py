"""Runs the code blocks of a page as a reader would: in one shell, with one database, and a service if the page starts
one."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from tests.docs.blocks import Block
from tests.postgres_server import connect
from tests.process.running import PATIENCE_S, environment, started

ADDRESS = re.compile(r"http://(?:127\.0\.0\.1|localhost):8000")
EXAMPLE_DATABASE = "postgresql://user:password@host:5432/database"
SERVES = re.compile(r"^(?P<program>sh demo\.sh|portico serve)(?P<options>.*)$", re.M)
_END = "end of the block"


class Reader:
    """Works in ``directory``; ``database_url`` replaces the example URL on the pages. Must be closed."""

    def __init__(self, directory: Path, database_url: str | None = None) -> None:
        self.directory = directory
        self.banner = ""
        self.address = "http://127.0.0.1:8000"
        self._database_url = database_url
        self._closing = ExitStack()
        self._errors = directory / ".stderr"
        programs = Path(sys.executable).parent
        (directory / ".venv").symlink_to(programs.parent)
        # The activation script of Python 3.12.1 fails if OSTYPE is not set, since the shell runs with -u.
        variables = environment(PATH=f"{programs}{os.pathsep}{os.environ['PATH']}", OSTYPE=sys.platform)
        with self._errors.open("w") as errors:
            self._shell = subprocess.Popen(
                ["sh", "-eu"], cwd=directory, env=variables,
                text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
            )  # fmt: skip
        self._closing.callback(self._end_shell)

    def run(self, block: Block) -> str:
        """Run a block and return its output. Fails if the program fails."""
        if block.language == "sh":
            return self.shell(block.text)
        if block.language == "sql":
            return self.sql(block.text)
        if block.language == "python":
            return self.program("python", ".py", block.text)
        raise AssertionError(f"{block.page}:{block.line}: no test runs {block.language}")

    def shell(self, text: str) -> str:
        """Run lines in the shell, which keeps its variables. A service that the last line starts keeps running."""
        serve = SERVES.search(text)
        if serve is None:
            return self._in_shell(text)
        assert not text[serve.end() :].strip(), "a block must end with the command that starts a service"
        reported = self._in_shell(text[: serve.start()])
        self._serve(shlex.split(serve["options"]), demo="demo.sh" in serve["program"])
        return reported + self.banner

    def program(self, interpreter: str, suffix: str, text: str) -> str:
        """Run a program with the variables of the shell."""
        path = self.directory / f"program{suffix}"
        path.write_text(self._with_real_addresses(text))
        done = subprocess.run(
            [interpreter, str(path)], cwd=self.directory, env=self._variables(),
            capture_output=True, text=True, timeout=PATIENCE_S,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def sql(self, text: str) -> str:
        """Run statements in the database and return the rows of the last one, as text."""
        assert self._database_url
        connection = connect(self._database_url)
        try:
            return str(connection.execute_simple(text).rows)
        finally:
            connection.close()

    def set(self, **variables: str) -> None:
        """Set variables of the shell, as a reader who pastes them would."""
        self._in_shell("".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items()))

    def close(self) -> None:
        self._closing.close()

    def _with_real_addresses(self, text: str) -> str:
        text = ADDRESS.sub(self.address, text)
        return text.replace(EXAMPLE_DATABASE, f"'{self._database_url}'") if self._database_url else text

    def _in_shell(self, text: str) -> str:
        lines = self.directory / ".block"
        lines.write_text(self._with_real_addresses(text))
        assert self._shell.stdin
        assert self._shell.stdout
        # Without /dev/null, programs of the block would read the lines that are written to the shell.
        self._shell.stdin.write(f". ./.block </dev/null\necho; echo '{_END}'\n")
        self._shell.stdin.flush()
        reported = ""
        while (line := self._shell.stdout.readline()).rstrip() != _END:
            assert line, f"{text}\n{reported}{self._errors.read_text()}"
            reported += line
        return reported.removesuffix("\n")

    def _serve(self, options: list[str], *, demo: bool) -> None:
        command = [sys.executable, "-m", "app", "serve", *(["--demo"] if demo else []), *options]
        command += ["--port", "0", "--workers", "1"]
        process = self._closing.enter_context(started(command, self.directory, **self._variables()))
        assert process.stdout
        self.banner = ""
        while ("Ctrl-C stops." if demo else "/graphql/v1") not in self.banner:
            line = process.stdout.readline()
            assert line, self.banner
            self.banner += line
        address = re.search(r"(http://\S+)/graphql/v1", self.banner)
        assert address
        self.address = address[1]

        def stop() -> None:
            process.terminate()
            assert process.wait(PATIENCE_S) == 0

        self._closing.callback(stop)

    def _variables(self) -> dict[str, str]:
        return dict(each.split("=", 1) for each in self._in_shell("env -0").split("\0") if "=" in each)

    def _end_shell(self) -> None:
        # This closes the shell's input, so it exits.
        self._shell.communicate(timeout=PATIENCE_S)
