"""Keymaps: which key does what, by keyboard layout and game, with the player's own bindings on top.

A character of another script or a capital stands for the key that types it.
"""

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase, ascii_uppercase
from typing import Final, NamedTuple

from racing_demon_protocol.engine.cards import RANK_NAMES, SUIT_SIZE
from racing_demon_protocol.formatting import to_halfwidth

from .actions import (
    ACTIONS,
    BOT_ACTIONS,
    LOBBY_ACTIONS,
    MAX_COLUMNS,
    MAX_FOUNDATIONS,
    MAX_PILES,
    REPLAY_ACTIONS,
    SOLO_ACTIONS,
    WAITING_ACTIONS,
    Action,
    ActionGroup,
    KeyRow,
    column_actions,
    pile_actions,
)

LOWER_POSITIONS: Final = {"drop": 1, "call": 2, "stuck": 3, "hint": 4, "shift": 5}


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyboardLayout:
    """A keyboard's layout: its rows, and where the piles' keys are in them.

    Attributes:
        title: its name for people.
        upper: the row above the home row, from the left.
        home: the keys that pick up and put down.
        lower: the row below.
        columns: the positions of the first seven columns in the home and upper row.
        waste: the waste's position.
        reserve: the reserve's.

    """

    title: str
    upper: str
    home: str
    lower: str
    columns: tuple[int, ...] = (0, 1, 2, 3, 6, 7, 8)
    waste: int = 9
    reserve: int = 4

    def positions(self, columns: int) -> dict[str, int]:
        """Return each pile's position in its row for a number of columns.

        Eight columns also use the gap between the hands, nine or more the reserve's place.
        """
        used = self.columns[:columns]
        free = [index for index in range(10) if index not in {*self.columns, self.waste, self.reserve}]
        if columns > len(self.columns):
            used = tuple(sorted([*self.columns, *free, self.reserve][:columns]))
        positions = {f"column-{number}": index for number, index in enumerate(used, start=1)}
        positions["waste"] = self.waste
        if self.reserve not in used:
            positions["reserve"] = self.reserve
        return positions | LOWER_POSITIONS

    def key(self, row: KeyRow, index: int) -> str:
        """Return the key at a position of a row."""
        return {KeyRow.UPPER: self.upper, KeyRow.HOME: self.home, KeyRow.LOWER: self.lower}[row][index]


KEYBOARD_LAYOUTS: Final = {
    "qwerty": KeyboardLayout(title="QWERTY", upper="qwertyuiop", home="asdfghjkl;", lower="zxcvbnm,./"),
    "qwertz": KeyboardLayout(title="QWERTZ", upper="qwertzuiop", home="asdfghjklö", lower="yxcvbnm,.-"),
    "azerty": KeyboardLayout(title="AZERTY", upper="azertyuiop", home="qsdfghjklm", lower="wxcvbn,;:!"),
    "dvorak": KeyboardLayout(title="Dvorak", upper="',.pyfgcrl", home="aoeuidhtns", lower=";qjkxbmwvz"),
    "colemak": KeyboardLayout(title="Colemak", upper="qwfpgjluy;", home="arstdhneio", lower="zxcvbkm,./"),
    "left-handed": KeyboardLayout(
        title="QWERTY, the waste on the left",
        upper="qwertyuiop",
        home="asdfghjkl;",
        lower="zxcvbnm,./",
        columns=(1, 2, 3, 6, 7, 8, 9),
        waste=0,
    ),
    "digits": KeyboardLayout(
        title="digits; the letter below a digit sends up",
        upper="qwertyuiop",
        home="1234567890",
        lower="zxcvbnm,./",
        columns=(0, 1, 2, 3, 4, 5, 6),
        reserve=8,
    ),
}
"""All layouts by their names in the settings."""


QWERTY: Final = "qwertyuiop[]asdfghjkl;'zxcvbnm,."
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
_KEYS_BY_LETTER: Final = {
    letter: key
    for layout in reversed(LAYOUTS)
    for letter, key in zip(layout, QWERTY, strict=True)
    if not letter.isascii()
}


def equivalent_keys(character: str) -> Iterator[str]:
    """Yield the keys that a character may stand for, likeliest first: none for an ordinary small letter."""
    plain = to_halfwidth(character)
    small = character.lower(), plain.lower(), unicodedata.normalize("NFD", plain.lower())[:1]
    key = next((_KEYS_BY_LETTER[each] for each in small if each in _KEYS_BY_LETTER), plain)
    key = key.upper() if plain != plain.lower() else key
    yield from (each for each in (plain, key, key.lower()) if each != character)


LABELS: Final = {"space": "space", "enter": "Enter", "backspace": "Backspace", "tab": "Tab"}
LONG_NAMES: Final = {
    "semicolon": ";",
    "comma": ",",
    "full_stop": ".",
    "slash": "/",
    "apostrophe": "'",
    "minus": "-",
    "question_mark": "?",
    "exclamation_mark": "!",
    "colon": ":",
}
"""Names of keys in bindings, beside the characters themselves."""


TOGETHER: Final = frozenset({"watch", "rotate", "tally", "lobby", "volume"})
"""Actions that mean nothing at a solo table."""
AT_ONCE: Final = {"leave": "leave, at once", "enter": "deal; with the cursor: pick up, put down"}
"""Effects that differ where nobody else is concerned."""
NEXT: Final = "the next play, if there is only one"
"""The effect of the stock's key in unbuilt games without a stock."""
RANGE: Final = 4
"""From this many consecutive keys on, only the first and last are shown."""
SPECTATORS: Final = {
    "enter": "to the cards",
    "players": "the players; ignore what somebody says",
    "lobby": "seats and options",
}
"""Effects that differ for spectators."""
NOT_IN_LESSONS: Final = frozenset({*BOT_ACTIONS, "options", "qr", "internet", "people"})
"""Actions of the lobby that mean nothing after a lesson, to which nobody else comes."""
HIDDEN: Final = frozenset({*BOT_ACTIONS, "chat", "pause"})
"""Actions that spectators are refused."""
LETTERLESS: Final = {"stuck": "-", "call": "+", "hint": "="}
"""Replacement keys for actions with a letter, where all letters choose piles."""


class Keymap:
    """The keys of one screen.

    Attributes:
        actions: the available actions.
        labels: the label of each action's first key.

    Args:
        actions: the available actions.
        keys: the keys of each action.
        bindings: the player's own keys by action, separated by blanks.

    """

    def __init__(
        self, actions: Sequence[Action], keys: dict[str, list[str]], bindings: Mapping[str, str]
    ) -> None:
        for action_id, text in bindings.items():
            if action_id in keys:
                own = [LONG_NAMES.get(key, key) for key in text.split()]
                for other in keys.values():
                    other[:] = [key for key in other if key not in own]
                keys[action_id] = own
        self.actions = tuple(actions)
        self.labels: dict[str, str] = {action_id: _label(own[0]) for action_id, own in keys.items() if own}
        self._actions = {key: action_id for action_id, own in keys.items() for key in own}
        self._keys = keys

    def action(self, key: str) -> str | None:
        """Return a key's action: a printable key by its character, any other by its name."""
        return self._actions.get(key)

    def all_labels(self, action: str) -> str:
        """Return all keys of an action, as the help shows them."""
        return " ".join(_label(key) for key in self._keys.get(action, ()))

    def footer(self, *, hints: bool = True) -> list[tuple[str, str]]:
        """Return the most important keys, each with its effect.

        Args:
            hints: whether the table allows hints.

        """
        columns = [f"column-{number}" for number in range(1, MAX_COLUMNS + 1)]
        moves = "".join(self.labels.get(column, "") for column in columns)
        ups = "".join(self.labels.get(f"{column}-up", "") for column in columns)
        brief = [
            (self.labels[action.id], action.summary)
            for action in self.actions
            if action.summary and action.id in self.labels and (hints or action.id != "hint")
        ]
        if moves:
            brief[:0] = [(moves, "move"), (ups, "up")]
        piles = []
        for kind, most in (("place", SUIT_SIZE), ("pile", MAX_PILES)):
            names = (f"{kind}-{number}" for number in range(1, most + 1))
            if keys := [self.labels[name] for name in names if name in self.labels]:
                piles.append(key_ranges(keys))
        if piles:
            brief.insert(0, (" ".join(piles), "piles"))
        return brief


def key_ranges(labels: Sequence[str]) -> str:
    """Return the keys of a row of piles; four or more consecutive ones as a range."""
    rows: list[str] = []
    for before, label in zip(("", *labels), labels, strict=False):
        if len(before) == len(label) == 1 and ord(label) == ord(before) + 1:
            rows[-1] += label
        else:
            rows.append(label)
    return "".join(row if len(row) < RANGE else f"{row[0]}-{row[-1]}" for row in rows)


class ChosenByKey(NamedTuple):
    """What the keys of a table choose.

    Attributes:
        columns: the number of columns.
        reserve: whether there is a reserve.
        piles: the number of piles with a letter.
        places: the number of places that belong to a rank.
        foundations: the number of foundations with a key of their own.
        space: the effect of the space bar: turn the stock, or make the next play; empty for neither.
        upward: whether cards go to foundations.
        shift: whether the stock's top card may go to its bottom.

    """

    columns: int = 7
    reserve: bool = False
    piles: int = 0
    places: int = 0
    foundations: int = 0
    space: str = "turn"
    upward: bool = True
    shift: bool = False

    @classmethod
    def of(cls, names: Iterable[str]) -> "ChosenByKey":
        """Return what the named actions choose."""
        names = tuple(names)
        kinds = [name.partition("-")[0] for name in names]
        return cls(
            columns=kinds.count("column"),
            reserve="reserve" in kinds,
            piles=kinds.count("pile"),
            places=kinds.count("place"),
            foundations=kinds.count("foundation"),
            space=next((name for name in names if name in {"turn", "next"}), ""),
            upward="up" in names,
            shift="shift" in names,
        )


def table_keymap(
    layout: KeyboardLayout,
    bindings: Mapping[str, str],
    chosen: ChosenByKey = ChosenByKey(),  # noqa: B008 - it is immutable
    *,
    alone: bool = False,
) -> Keymap:
    """Return the keymap of a table with columns.

    Args:
        layout: the keyboard's layout.
        bindings: the player's own keys.
        chosen: what the keys choose.
        alone: whether this is a solo table.

    """
    columns = chosen.columns
    positions = layout.positions(columns)
    table = [a for a in _table_actions(chosen, alone) if chosen.reserve or not a.id.startswith("reserve")]
    actions = [*column_actions(columns), *table, *pile_actions(0, chosen.foundations)]
    keys = {action.id: _keys(action, layout, positions) for action in actions}
    for number in range(1, columns + 1):
        home = keys[f"column-{number}"]
        if home and home[0].upper() != home[0]:
            keys[f"column-{number}-one"].append(home[0].upper())
    _add_digits(keys, chosen.foundations)
    _give_way(keys)
    return Keymap(actions, keys, bindings)


def pile_keymap(bindings: Mapping[str, str], chosen: ChosenByKey, *, alone: bool = False) -> Keymap:
    """Return the keymap of a table whose piles have letters: small ones first, then capitals.

    While capitals are left over, a pile's capital letter plays its top card to a foundation, in games that
    have them. Places with a rank have the rank as their key; other piles use the remaining letters.
    """
    table = [a for a in _table_actions(chosen, alone) if not a.id.startswith(("waste", "reserve"))]
    actions = [*pile_actions(chosen.piles, chosen.foundations, chosen.places), *table]
    if not chosen.upward:
        actions = [action for action in actions if not action.id.endswith("-up")]
    keys = {action.id: [*action.keys, *LETTERLESS.get(action.id, "")] for action in actions}
    ranks = RANK_NAMES[: chosen.places].lower()
    small = [letter for letter in ascii_lowercase if letter not in ranks]
    letters = [*small, *ascii_uppercase][: chosen.piles]
    keys_of_piles = {f"place-{number}": rank for number, rank in enumerate(ranks, start=1)}
    keys_of_piles |= {f"pile-{number}": letter for number, letter in enumerate(letters, start=1)}
    for name, key in keys_of_piles.items():
        keys[name].append(key)
        if chosen.upward and chosen.piles <= len(small) and key.isalpha():
            keys[f"{name}-up"].append(key.upper())
    _add_digits(keys, chosen.foundations)
    _give_way(keys)
    return Keymap(actions, keys, bindings)


def game_keymap(
    layout: KeyboardLayout, bindings: Mapping[str, str], names: Iterable[str], *, alone: bool = False
) -> Keymap:
    """Return the keymap of a table from the names of the actions on its piles."""
    chosen = ChosenByKey.of(names)
    if chosen.piles or chosen.places:
        return pile_keymap(bindings, chosen, alone=alone)
    return table_keymap(layout, bindings, chosen, alone=alone)


def _table_actions(chosen: ChosenByKey, alone: bool) -> list[Action]:
    """Return the actions at a table, without those that choose piles."""
    actions = [
        replace(a, description=NEXT, summary="next") if a.id == "turn" and chosen.space == "next" else a
        for a in ACTIONS
        if (chosen.space or a.id != "turn") and (chosen.shift or a.id != "shift")
    ]
    if not alone:
        return actions
    own = {action.id for action in SOLO_ACTIONS}
    kept = [a for a in actions if a.group is not ActionGroup.SAY and a.id not in own | TOGETHER]
    return [*(replace(a, description=AT_ONCE.get(a.id, a.description)) for a in kept), *SOLO_ACTIONS]


def _add_digits(keys: dict[str, list[str]], foundations: int) -> None:
    for number in range(1, min(foundations, MAX_FOUNDATIONS) + 1):
        keys[f"foundation-{number}"].append(str(number % 10))


def _give_way(keys: dict[str, list[str]]) -> None:
    """Take pile keys away from other actions: the digits of reactions yield to foundations."""
    yielding = ("foundation-", "solo-", "hint", "react-")
    taken = {key for action_id, own in keys.items() if not action_id.startswith(yielding) for key in own}
    for prefix in yielding:
        for action_id, own in keys.items():
            if action_id.startswith(prefix):
                own[:] = [key for key in own if key not in taken]
                taken.update(own)


def watch_keymap(bindings: Mapping[str, str], *, seated: bool = False) -> Keymap:
    """Return the keymap of a spectator.

    Args:
        bindings: the player's own keys.
        seated: whether this is a player who joins with the next hand, and so may chat.

    """
    brief = {
        "watch": "next player",
        "rotate": "all in turn",
        "density": "size",
        "colors": "colors",
        "leave": "leave",
    }
    actions = [
        replace(
            action,
            summary=brief.get(action.id, action.summary),
            description=SPECTATORS.get(action.id, action.description),
        )
        for action in (*(WAITING_ACTIONS if seated else ()), *ACTIONS)
        if action.position is None
        and (
            action.group is ActionGroup.SEE
            or action.id == "players"
            or (seated and action.group is ActionGroup.SAY)
        )
    ]
    return Keymap(actions, {action.id: list(action.keys) for action in actions}, bindings)


def replay_keymap(bindings: Mapping[str, str]) -> Keymap:
    """Return the keymap of a replay."""
    brief = {"watch": "player", "analysis": "analysis", "leave": "leave"}
    seen = [a for a in ACTIONS if a.group is ActionGroup.SEE and a.position is None and a.id != "lobby"]
    seen += [a for a in LOBBY_ACTIONS if a.id == "analysis"]
    seen = [
        replace(a, summary=brief.get(a.id, ""), description=AT_ONCE.get(a.id, a.description)) for a in seen
    ]
    actions = [*REPLAY_ACTIONS, *seen, *(a for a in ACTIONS if a.id == "enter")]
    return Keymap(actions, {action.id: list(action.keys) for action in actions}, bindings)


def lobby_keymap(
    bindings: Mapping[str, str], *, seated: bool = True, without: Collection[str] = ()
) -> Keymap:
    """Return the keymap between hands.

    Args:
        bindings: the player's own keys.
        seated: whether this is a player; spectators have the same keys, but fewer are listed.
        without: the actions that mean nothing at this table.

    """
    always = [
        a for a in ACTIONS if a.id == "enter" or (a.group is not ActionGroup.PLAY and a.position is None)
    ]
    own = [*LOBBY_ACTIONS, *(a for a in always if not a.id.startswith("react-"))]
    own.sort(key=lambda a: a.id == "players")  # the first one that a narrow footer omits
    actions = [replace(a, summary="players") if a.id == "players" else a for a in own if a.id not in without]
    keys = {action.id: list(action.keys) for action in actions}
    if not seated:
        actions = [
            replace(a, description=SPECTATORS.get(a.id, a.description)) for a in actions if a.id not in HIDDEN
        ]
    return Keymap(actions, keys, bindings)


def known_actions() -> frozenset[str]:
    """Return the names of all actions that keys can be bound to."""
    every = [
        *ACTIONS,
        *LOBBY_ACTIONS,
        *WAITING_ACTIONS,
        *REPLAY_ACTIONS,
        *SOLO_ACTIONS,
        *column_actions(MAX_COLUMNS),
        *pile_actions(MAX_PILES, MAX_FOUNDATIONS, SUIT_SIZE),
    ]
    return frozenset(action.id for action in every)


def _keys(action: Action, layout: KeyboardLayout, positions: Mapping[str, int]) -> list[str]:
    if action.position is not None:
        row, position = action.position
        if position in positions:
            return [layout.key(row, positions[position]), *action.keys]
        return _spare_keys(position, layout) if row is KeyRow.HOME else []
    return list(action.keys)


def _spare_keys(position: str, layout: KeyboardLayout) -> list[str]:
    """Return the digit, or the key beside the digits, for a pile without a key on the home row."""
    if layout.home.isdigit():
        return ["-"] if position == "reserve" else []
    if position == "reserve":
        return ["0"]
    number = int(position.rpartition("-")[2]) - 9
    return [str(number)] if 1 <= number <= 9 else []


def _label(key: str) -> str:
    if key.startswith("ctrl+"):
        return f"^{key[5:].upper()}"
    return LABELS.get(key, key.upper() if len(key) > 1 and key[0] == "f" and key[1:].isdigit() else key)
