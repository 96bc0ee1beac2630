"""Builds an image of a Dockerfile without a container engine: each stage is a folder, and RUN is a command in it.

It knows the instructions that the repository's Dockerfile has; any other fails. Layers, caches and the isolation of a
container are not there: a command shares the machine's network and processes.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import ssl
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_OF_THE_MACHINE = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf")
"""Files that an engine, or this machine's access to package registries, requires. They are not part of the image."""
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_CERTIFICATES = "/run/certificates-of-the-machine.pem"
_REGISTRIES = re.compile(r"PIP_(INDEX_URL|EXTRA_INDEX_URL|TRUSTED_HOST|DEFAULT_TIMEOUT)|(?i:https?|no)_proxy")
_NOT_RECORDED = frozenset({"EXPOSE"})


@dataclass
class Image:
    """A built folder, and how a container of it starts."""

    root: Path
    variables: dict[str, str] = field(default_factory=dict)
    user: str = "0"
    directory: str = "/"
    volume: str = ""
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    health: tuple[str, ...] = ()

    def program(self, *command: str) -> list[str]:
        """The command line that runs ``command`` in the folder, as the image's user."""
        chroot = [shutil.which("chroot") or "chroot", f"--userspec={self.user}:{self.user}", str(self.root)]
        inside = ["sh", "-c", 'cd "$0" && exec "$@"', self.directory, *command]
        # The file system of processes is seen by this command alone, and goes with it.
        mounted = ["sh", "-c", 'mount -t proc proc "$0" && exec "$@"', str(self.root / "proc"), *chroot, *inside]
        return ["unshare", "--mount", "--propagation=private", *mounted]

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": _PATH} | self.variables | variables
        return subprocess.run(
            self.program(*command), env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )  # fmt: skip


def build(dockerfile: Path, base: Path, target: Path, **arguments: str) -> Image:
    """The last stage. ``base`` is the folder of the image that each FROM names; ``target``, where the stages go."""
    stages: dict[str, Image] = {}
    declared: dict[str, str] = {}
    image = Image(target)
    for instruction, value in _instructions(dockerfile.read_text()):
        match instruction:
            case "FROM":
                _, _, name = value.partition(" AS ")
                image = stages[name or "last"] = Image(target / (name or "last"))
                subprocess.run(["cp", "--archive", "--reflink=auto", str(base), str(image.root)], check=True)
                declared = {}
            case "ARG":
                name, _, default = value.partition("=")
                declared[name] = arguments.get(name, default.strip('"'))
            case "ENV":
                image.variables.update(each.split("=", 1) for each in shlex.split(value))
            case "WORKDIR":
                image.directory = value
                (image.root / value.lstrip("/")).mkdir(parents=True, exist_ok=True)
            case "COPY" if value.startswith("--from="):
                stage, source, place = value.removeprefix("--from=").split()
                _copy(stages[stage].root / source.lstrip("/"), image.root / place.lstrip("/"))
            case "COPY":
                _copy_context(dockerfile.parent, image.root / image.directory.lstrip("/"))
            case "RUN":
                _run(image, value, declared)
            case "USER":
                image.user = value
            case "VOLUME":
                image.volume = value
            case "ENTRYPOINT" | "CMD" | "HEALTHCHECK":
                words = tuple(json.loads(value[value.index("[") :]))
                setattr(
                    image, {"ENTRYPOINT": "entrypoint", "CMD": "command", "HEALTHCHECK": "health"}[instruction], words
                )
            case _:
                assert instruction in _NOT_RECORDED, instruction
    return image


def _instructions(text: str) -> list[tuple[str, str]]:
    lines = re.sub(r"^\s*#.*\n", "", text, flags=re.M).replace("\\\n", " ").splitlines()
    return [(name, " ".join(rest.split())) for name, _, rest in (line.partition(" ") for line in lines if line)]


def _copy(source: Path, place: Path) -> None:
    subprocess.run(["cp", "--archive", str(source), str(place)], check=True)


def _copy_context(context: Path, place: Path) -> None:
    """The files that git does not ignore and .dockerignore lets through: it excludes all, then names what is needed."""
    lines = (context / ".dockerignore").read_text().splitlines()
    assert "*" in lines
    needed = [each[1:] for each in lines if each.startswith("!")]
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *needed],
        cwd=context,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(context / name, place / name)


def _run(image: Image, command: str, arguments: Mapping[str, str]) -> None:
    kept = _replaced(image.root, _OF_THE_MACHINE)
    variables = {name: value for name, value in os.environ.items() if _REGISTRIES.fullmatch(name)}
    certificates = os.environ.get("PIP_CERT") or ssl.get_default_verify_paths().cafile
    if certificates:
        shutil.copy(certificates, image.root / _CERTIFICATES.lstrip("/"))
        variables |= {"PIP_CERT": _CERTIFICATES, "SSL_CERT_FILE": _CERTIFICATES}
    try:
        done = image.run("sh", "-c", command, **variables, **arguments, DEBIAN_FRONTEND="noninteractive")
    finally:
        for path, content in kept.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(content)
        (image.root / _CERTIFICATES.lstrip("/")).unlink(missing_ok=True)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}"


def _replaced(root: Path, names: Sequence[str]) -> dict[Path, bytes | None]:
    """Put files of the machine into the folder; returns what was there before."""
    before: dict[Path, bytes | None] = {}
    for name in filter(os.path.exists, names):
        path = root / name.lstrip("/")
        before[path] = path.read_bytes() if path.exists() else None
        shutil.copy(name, path)
    return before
