"""The keys that a character stands for when the keyboard types capitals, wide letters or another script."""

import unicodedata
from collections.abc import Iterator
from typing import Final

from racing_demon_protocol.formatting import narrow

PLACES: Final = "qwertyuiop[]asdfghjkl;'zxcvbnm,."
LAYOUTS: Final = (
    "йцукенгшщзхъфывапролджэячсмитьбю",  # Russian
    "йцукенгшщзхїфівапролджєячсмитьбю",  # Ukrainian
    "љњертзуиопшђасдфгхјклчћѕџцвбнм,.",  # Serbian
    ";ςερτυθιοπ[]ασδφγηξκλ΄'ζχψωβνμ,.",  # Greek
    "/'קראטוןםפ][שדגכעיחלךף,זסבהנמצתץ",  # Hebrew
    "ضصثقفغعهخحجدشسيبلاتنمكطئءؤرىىةوز",  # Arabic
    "ضصثقفغعهخحجچشسیبلاتنمکگظطزرذدپو.",  # Persian
    "ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ[]ㅁㄴㅇㄹㅎㅗㅓㅏㅣ;'ㅋㅌㅊㅍㅠㅜㅡ,.",  # Korean
    "ქწერტყუიოპ[]ასდფგჰჯკლ;'ზხცვბნმ,.",  # Georgian
    "ๆไำพะัีรนยบลฟหกดเ้่าสวงผปแอิืทมใ",  # Thai
)
"""What keyboards type at these places. Where two layouts share a letter, the first one counts."""
_KEYS: Final = {
    letter: key
    for layout in reversed(LAYOUTS)
    for letter, key in zip(layout, PLACES, strict=True)
    if not letter.isascii()
}


def usual_keys(character: str) -> Iterator[str]:
    """Yield the keys that a character may stand for, likeliest first: none for an ordinary small letter."""
    plain = narrow(character)
    small = character.lower(), plain.lower(), unicodedata.normalize("NFD", plain.lower())[:1]
    key = next((_KEYS[each] for each in small if each in _KEYS), plain)
    key = key.upper() if plain != plain.lower() else key
    yield from (each for each in (plain, key, key.lower()) if each != character)
