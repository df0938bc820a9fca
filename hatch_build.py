"""Hatch's build hook: what is in a wheel and not in a checkout.

The page's scripts and styles have no comments and blanks, so that phones load a quarter less. With
``RACING_DEMON_COMPILE=1`` in the environment, mypyc compiles what a play goes through. The sources are in
such a wheel, too; Python prefers the libraries beside them. Editable installs run as they are.
``MYPYC_OPT_LEVEL=0`` makes the C compiler quick and the server slow, for tests.

Every build has a version of its own, which the package in it says, too.
"""

import os
import re
import subprocess
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from rcssmin import cssmin
from rjsmin import jsmin

ROOT: Final = Path(__file__).parent
PACKAGE: Final = Path("protocol/racing_demon_protocol/__init__.py")
"""Which says the version: in a checkout, that of the next release."""
PAGE: Final = "client/racing_demon_web"
MINIFIERS: Final = {".css": cssmin, ".js": jsmin}
COMPILED: Final = (
    "protocol/racing_demon_protocol/engine/**/*.py",
    "protocol/racing_demon_protocol/table/*.py",
    "protocol/racing_demon_protocol/wire/codec.py",
    "server/racing_demon_server/match/*.py",
    "server/racing_demon_server/tables/*.py",
    "server/racing_demon_server/encoded_messages.py",
    "server/racing_demon_server/rate_limits.py",
)
"""What a play goes through between its frame and those that tell of it.

Not the messages, which are pydantic's. Not the connections: a compiled subclass of
``asyncio.BufferedProtocol`` corrupted the collector's lists when a client hung up (mypyc 2.4.1).
"""
INTERPRETED: Final = ("server/racing_demon_server/tables/observer.py",)
"""Bases of classes elsewhere: interpreted classes cannot inherit from compiled ones."""


class WheelHook(BuildHookInterface):  # type: ignore[misc]  # hatchling ships no types
    """Minifies the page, and compiles the server if asked to."""

    def dependencies(self) -> list[str]:
        """Return what compiling needs: mypyc, and everything that the sources import, for its types."""
        core = self.metadata.core
        return [*core.optional_dependencies["compile"], *core.dependencies] if _is_compiled() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Put the results in the place of the sources, or beside them, unless the install is editable."""
        if version == "editable":
            return
        self._folder = TemporaryDirectory()
        folder = Path(self._folder.name)
        made = _minify(folder) | _stamp(folder, self.metadata.version)
        if _is_compiled():
            made |= _compile(folder)
            build_data["pure_python"], build_data["infer_tag"] = False, True
        build_data["force_include"].update(made)

    def finalize(self, version: str, _build_data: dict[str, Any], _artifact_path: str) -> None:
        """Remove the results, which are in the wheel."""
        if version != "editable":
            self._folder.cleanup()


def version() -> str:
    """Return the version of what is built here, as PEP 440 wants it.

    At the tag of a release that is the release's; at any other commit a development version before it,
    with its count and its name: ``0.1.0.dev812+g74f248e9``. Without ``.git`` the variable
    ``RACING_DEMON_VERSION`` or the ``PKG-INFO`` of a source distribution says it.
    """
    named = os.environ.get("RACING_DEMON_VERSION", "")
    if named:
        return named
    released = re.search(r'^__version__ = "(.+)"$', (ROOT / PACKAGE).read_text("utf-8"), re.MULTILINE)[1]  # type: ignore[index]
    if (ROOT / ".git").exists():
        try:
            if f"v{released}" in _git("tag", "--points-at", "HEAD").split():
                return released
            count, commit = _git("rev-list", "--count", "HEAD"), _git("rev-parse", "--short=8", "HEAD")
            return f"{released}.dev{count}+g{commit}"
        except (OSError, subprocess.CalledProcessError):
            return released  # no git here, or a checkout that is somebody else's
    info = ROOT / "PKG-INFO"
    packed = re.search(r"^Version: (.+)$", info.read_text("utf-8"), re.MULTILINE) if info.exists() else None
    return packed[1] if packed else released


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603, S607
    return done.stdout.strip()


def _stamp(folder: Path, version: str) -> dict[str, str]:
    """Return the package that says the version, with its place in the wheel."""
    stamped = folder / "version.py"
    text = (ROOT / PACKAGE).read_text("utf-8")
    stamped.write_text(
        re.sub(r'^__version__ = ".+"$', f'__version__ = "{version}"', text, flags=re.MULTILINE), "utf-8"
    )
    return {str(stamped): str(PACKAGE.relative_to(PACKAGE.parts[0]))}


def _is_compiled() -> bool:
    return os.environ.get("RACING_DEMON_COMPILE", "") not in {"", "0"}


def _minify(folder: Path) -> dict[str, str]:
    """Return the minified files, each with its place in the wheel."""
    made = {}
    for path in (ROOT / PAGE).rglob("*"):
        if path.suffix in MINIFIERS:
            name = path.relative_to((ROOT / PAGE).parent)
            minified = folder / name
            minified.parent.mkdir(parents=True, exist_ok=True)
            minified.write_text(MINIFIERS[path.suffix](path.read_text("utf-8")), "utf-8")
            made[str(minified)] = str(name)
    return made


def _compile(folder: Path) -> dict[str, str]:
    """Return the libraries, each with its place in the wheel."""
    from mypyc.build import mypycify  # noqa: PLC0415 - only these wheels need it
    from setuptools import Distribution  # noqa: PLC0415

    names = {str(path.relative_to(ROOT)) for pattern in COMPILED for path in ROOT.glob(pattern)}
    sources = sorted(name for name in names - {*INTERPRETED} if not name.endswith("__init__.py"))
    os.chdir(ROOT)  # where mypy looks for its settings
    level = os.environ.get("MYPYC_OPT_LEVEL", "3")
    extensions = mypycify(
        sources,
        opt_level=level,
        debug_level="0",
        multi_file=level == "0",  # one large file is better optimized, and takes five times as long
        group_name="racing_demon",
        target_dir=str(folder / "sources"),
    )
    building = Distribution({"name": "racing-demon", "ext_modules": extensions}).get_command_obj("build_ext")
    building.build_lib, building.build_temp = str(folder / "libraries"), str(folder / "objects")
    building.parallel = True  # the small ones beside the large one
    building.ensure_finalized()
    building.run()
    ending = sysconfig.get_config_var("EXT_SUFFIX")
    libraries = (folder / "libraries").rglob(f"*{ending}")
    return {str(path): str(path.relative_to(folder / "libraries")) for path in libraries}
