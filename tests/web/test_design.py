"""The tokens of the page's design: each is used, and described."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "client" / "racing_demon_web"
DECLARED: Final = re.compile(r"(--[a-z][\w-]*):")
DESCRIBED: Final = re.compile(r"`(--[a-z][\w-]*)`(?: to `(--[a-z][\w-]*)`)?")


def test_every_token_is_used_and_described() -> None:
    """What no screen uses goes; what is there is found in the document of the design."""
    style = (PAGE / "style.css").read_text("utf-8")
    root = style[style.index(":root {") : style.index("\n}\n")]
    tokens = set(DECLARED.findall(root))
    sheets = "".join(path.read_text("utf-8") for path in PAGE.glob("*.css"))
    assert {token for token in tokens if f"var({token}" not in sheets} == set()
    assert tokens - set(described()) == set()


def test_cards_come_and_go_unseen_by_other_rules() -> None:
    """No rule asks what lies in the table: each play would have all of that styled anew."""
    sheets = "".join(path.read_text("utf-8") for path in PAGE.rglob("*.css"))
    selectors = [each.strip() for each in re.findall(r"([^{};]+){", sheets)]
    assert [each for each in selectors if re.search(r"(#table|\.felt|\.slot|\.chips?)\S*:has\(", each)] == []


def described() -> Iterator[str]:
    """Yield the tokens that the document names, those of ranges one by one."""
    document = (ROOT / "docs" / "design.md").read_text("utf-8")
    for first, last in DESCRIBED.findall(document):
        if not last:
            yield first
            continue
        stem = first.rstrip("0123456789")
        low, high = (int(each.removeprefix(stem)) for each in (first, last))
        yield from (f"{stem}{number}" for number in range(low, high + 1))
