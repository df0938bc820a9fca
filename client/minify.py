"""Hatch's build hook: the page in the wheel has no comments and blanks, so that phones load a quarter less.

Editable installs serve the files as they are.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from rcssmin import cssmin
from rjsmin import jsmin

PACKAGE = Path(__file__).parent / "racing_demon_web"
MINIFIERS = {".css": cssmin, ".js": jsmin}


class MinifyHook(BuildHookInterface):  # type: ignore[misc]  # hatchling ships no types
    """Puts the minified scripts and styles in the place of the others."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Minify, unless the install is editable."""
        if version == "editable":
            return
        self._folder = TemporaryDirectory()
        for path in PACKAGE.rglob("*"):
            if path.suffix not in MINIFIERS:
                continue
            name = path.relative_to(PACKAGE.parent)
            minified = Path(self._folder.name, name)
            minified.parent.mkdir(parents=True, exist_ok=True)
            minified.write_text(MINIFIERS[path.suffix](path.read_text("utf-8")), "utf-8")
            build_data["force_include"][str(minified)] = str(name)

    def finalize(self, version: str, _build_data: dict[str, Any], _artifact_path: str) -> None:
        """Remove the minified files."""
        if version != "editable":
            self._folder.cleanup()
