"""Letters that look like those of ASCII, for names that people shall not confuse."""

import string
import unicodedata
from collections.abc import Iterator

from confusable_homoglyphs.confusables import confusables_data

PLAIN = string.digits + string.ascii_lowercase
HEADER = '''"""Signs that look like digits and letters of ASCII (Unicode Technical Standard 39)."""

# Generated from the library confusable-homoglyphs by protocol/generate.py: its own table takes ten megabytes.
# Each is folded (NFKC, and as in caseless comparison), and looks like the first in this or the other case.
from typing import Final

LIKE: Final = {
'''


def look_alikes() -> str:
    """Return the server's module of look-alikes."""
    found: dict[str, list[str]] = {plain: [] for plain in PLAIN}
    for letter in sorted({_folded(each) for each in confusables_data}):
        if len(letter) == 1 and letter not in PLAIN and (plain := next(_plain(letter), "")):
            found[plain].append(letter)
    rows = (f'    "{plain}": {"".join(found[plain])!a},\n' for plain in PLAIN if found[plain])
    return HEADER + "".join(row.replace("'", '"') for row in rows) + "}\n"


def _folded(letter: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", letter).casefold())


def _plain(letter: str) -> Iterator[str]:
    """Yield what a letter looks like: its capital first, of which more are alike."""
    for case in (letter.upper(), letter):
        yield from sorted({like["c"].lower() for like in confusables_data.get(case, ())} & set(PLAIN))
