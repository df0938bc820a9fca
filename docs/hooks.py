"""Bring the documents of the repository's top folder into the site, and make its links work there."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
TOP = ("ARCHITECTURE", "CHANGELOG", "CONTRIBUTING", "PERFORMANCE", "RELIABILITY", "SECURITY")
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#|mailto:)([^)\s]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents that GitHub and people expect in the top folder."""
    for name in TOP:
        text = (ROOT / f"{name}.md").read_text(encoding="utf-8")
        files.append(File.generated(config, f"{name.lower()}.md", content=text))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Let links work in the site: a document's leads to its page, a source file's becomes plain text."""

    def link(found: re.Match[str]) -> str:
        text, target = found.groups()
        path, hash_, anchor = target.removeprefix("../").partition("#")
        name = path.removeprefix("docs/").removesuffix(".md")
        if name in TOP:
            name = name.lower()
        elif "/" in name or not path.endswith((".md", ".svg", ".jpg")):
            return text
        return f"[{text}]({name + '.md' if path.endswith('.md') else name}{hash_}{anchor})"

    return LINK.sub(link, markdown)
