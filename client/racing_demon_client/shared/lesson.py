"""The first hand: a lesson of eight steps on a known deal, against a teacher who plays by this script.

The server knows no lessons, and decides every play: the teacher is a second client of the same device. A step
ends with any play of its kind, wherever; the plays that stand here are those that are pointed at first, and
by which the lesson goes back to a step after dealing again. The page has the same script:
`protocol/generate.py` writes it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, Card, is_red
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.games import declare
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import PRESETS

from .rules_text import number

OWN: Final = 0
"""The seat of who learns."""
TEACHER: Final = 1
TEACHER_NAME: Final = "Ada"
KINDS: Final = ("ace", "build", "column", "run", "empty", "turn", "won", "lost", "stuck")
"""The kinds of steps, in order."""
UPWARD: Final = frozenset({"ace", "build", "won", "lost"})
TEACHER_MS: Final = 450
"""From one play of the teacher to the next."""
LOST_MS: Final = 10_000
"""How long the teacher leaves a place to a terminal’s player: time to read, but then it is taken. On the page
the teacher takes it when the player tries."""
DO: Final[Mapping[str, Mapping[str, str]]] = {
    "up": {
        "touch": "Tap your {card}.",
        "mouse": "Click your {card}.",
        "keys": "Key {key}: your {card}.",
        "text": "Type {line}.",
    },
    "move": {
        "touch": "Tap your {card}.",
        "mouse": "Click your {card}.",
        "keys": "Key {key}: your {card}.",
        "text": "Type {line}.",
    },
    "turn": {
        "touch": "Tap the stock.",
        "mouse": "Click the stock.",
        "keys": "Press the space bar.",
        "text": "Type {line}.",
    },
    "stuck": {
        "touch": "Tap “I’m stuck”.",
        "mouse": "Click “I’m stuck”.",
        "keys": "Press {key}.",
        "text": "Type {line}.",
    },
}
"""What to do on the page, by device; the last one is the table as text. ``{card}`` is the card, ``{key}`` the
key of its pile, ``{line}`` what is typed."""
COLOURS: Final = ("Black on red", "Red on black")
"""How a card lies in a column, by whether it is red."""
AGAIN: Final = "That step is gone. The cards are dealt again, up to here."
WON: Final = "You were first: {teacher}’s {card} came back."
LOST: Final = "{teacher} was first: you keep your {card}."
GO_ON: Final = "Go on"
"""The button with which such an outcome is left behind."""
NOT_STUCK: Final = "Not stuck yet: a card can go up."
"""What the last step says first, while that is so."""
DONE: Final = "That is the whole game"
"""The headline of the end."""
POINTS: Final = "You have {points} points."
HINT: Final = "Hint shows a play that helps, where a table allows it."
LEAVE: Final = "Leave"
BACK: Final = "Back to the table"
DUE: Final = "The next hand begins: you are back at your table."
WAIT: Final = "First {teacher} plays…"
OPENING: Final = "The cards are dealt…"
SCORE: Final[Mapping[str, Sequence[str]]] = {
    "racing-demon": (
        "Each card of yours in the middle is a point. Most points win.",
        "A hand ends when all are stuck, or when one has all 52 there: {bonus} extra.",
    ),
    "classic": (
        "Each card of yours in the middle is a point. Most points win.",
        "Each card left in your reserve costs two.",
        "A hand ends when all are stuck, or when one’s reserve is empty: {bonus} extra.",
    ),
}
"""What a hand scores, by game; see :func:`score_lines`."""


@dataclass(frozen=True, slots=True)
class LessonStep:
    """A step of a lesson.

    Attributes:
        kind: which plays end it: see :func:`ends_step`.
        number: which step it is for people, from 1: a race that is won and one that is lost are one.
        text: what it is about; ``{card}`` is the card that is pointed at, ``{on}`` that on which it goes, and
            ``{colours}`` one of :data:`COLOURS`.
        rule: the rule behind it, in small letters.
        why: the answer to any other play.
        play: what is pointed at first; ``None`` where nothing is played.
        before: what the teacher plays as the step begins.

    """

    kind: str
    number: int
    text: str
    rule: str
    why: str
    play: Play | None = None
    before: tuple[Play, ...] = ()

    @property
    def does(self) -> str:
        """What a hand does in it: a name of :data:`DO`."""
        return self.kind if self.kind in DO else "up" if self.kind in UPWARD else "move"


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson.

    Attributes:
        game: its game.
        deal: the seed of its hand, in hexadecimal: see *Known deals* in the wire's document.
        steps: its steps.

    """

    game: str
    deal: str
    steps: tuple[LessonStep, ...]

    @property
    def count(self) -> int:
        """How many steps it has for people."""
        return self.steps[-1].number


def text_of(step: LessonStep, device: str, **words: str) -> str:
    """Return what a step says on a device."""
    return f"{step.text} {DO[step.does][device]}".format(**words, teacher=TEACHER_NAME)


def words_for(board: Board, play: Play | None, name: Callable[[Card], str]) -> Mapping[str, str]:
    """Return what the names in a step's sentences stand for, by the play that is pointed at."""
    words = {"card": "", "on": "", "colours": "", "teacher": TEACHER_NAME}
    if play is not None and (cards := board.cards[play.source]):
        card, on = cards[-play.count], board.top(play.destination)
        words |= {"card": name(card), "colours": COLOURS[is_red(card)]}
        words |= {"on": name(on)} if on is not None else {}
    return words


def lesson_for(game: str) -> str:
    """Return the game whose lesson is offered at a table of a game: the usual one where it has none."""
    return game if game in LESSONS else next(iter(LESSONS))


def can_learn(view: TableState, seat: int | None) -> bool:
    """Return whether somebody has a seat at a table, and waits for the next deal while others play."""
    return seat in view.seats and view.in_hand and not view.plays_hand(seat)


def is_due(view: TableState, seat: int | None, message: Message) -> bool:
    """Return whether whoever learns while others play must be back after a message: the next hand begins."""
    if view.phase in {Phase.TALLY, Phase.OVER}:
        return False
    return isinstance(message, ev.Committed | ev.Dealt) or view.plays_hand(seat)


def is_ready_due(view: TableState, seat: int | None) -> bool:
    """Return whether whoever learns has to say that they are ready: nobody waits for them."""
    own = None if seat is None else view.seats.get(seat)
    return own is not None and view.phase in {Phase.TALLY, Phase.OVER} and not own.ready


def score_lines(game: str) -> list[str]:
    """Return what a hand of a lesson scores, and what helps in one, line by line."""
    bonus = number(declare(lesson_options(game), 1).scoring.out_bonus)
    return [*(line.format(bonus=bonus) for line in SCORE[game]), HINT]


def lesson_options(game: str) -> Options:
    """Return the options of a lesson's table: those of the game's first preset, which it must have."""
    (options, *_) = (each.options for each in PRESETS.values() if each.options.game == game)
    changes = {
        "hands": 1,
        "target": None,
        "seats": 2,
        "hints": True,
        "casual": True,
        "countdown_ms": 0,
        "pause_after_ms": None,
        "spectators": False,
    }
    return options.model_copy(update=changes)


def ends_step(rules: Rules, board: Board, kind: str, play: Play) -> bool:
    """Return whether a play of who learns, which is legal on a board, ends a step of a kind."""
    source, destination = board.piles[play.source].kind, board.piles[play.destination].kind
    there, left = len(board.cards[play.destination]), len(board.cards[play.source]) - play.count
    wanders = there == 0 and left == 0 and source is Kind.TABLEAU
    if kind in {"won", "lost"}:
        return any(play == own for own, _ in race(rules, board))
    return {
        "ace": destination is Kind.FOUNDATION and there == 0,
        "build": destination is Kind.FOUNDATION and there > 0,
        "column": destination is Kind.TABLEAU and there > 0 and play.count == 1,
        "run": destination is Kind.TABLEAU and there > 0 and play.count > 1,
        "empty": destination is Kind.TABLEAU and there == 0 and not wanders,
        "turn": source is Kind.STOCK and destination is Kind.WASTE,
        "stuck": False,
    }[kind]


def ending_plays(rules: Rules, board: Board, kind: str) -> Iterator[Play]:
    """Yield the plays that end a step now."""
    for play in rules.resolved_plays(board, OWN):
        if ends_step(rules, board, kind, play):
            yield play


def race(rules: Rules, board: Board) -> Iterator[tuple[Play, Play]]:
    """Yield plays of who learns and of the teacher for the same place, which both could take now."""
    ready = {(play.destination, _face(board, play)): play for play in _onto_cards(rules, board, TEACHER)}
    for play in _onto_cards(rules, board, OWN):
        other = ready.get((play.destination, _face(board, play)))
        if other is not None:
            yield play, other


def upward(rules: Rules, board: Board, seat: int) -> Iterator[Play]:
    """Yield a seat's plays to the middle."""
    for play in rules.resolved_plays(board, seat):
        if board.piles[play.destination].kind is Kind.FOUNDATION:
            yield play


def _onto_cards(rules: Rules, board: Board, seat: int) -> Iterator[Play]:
    """Yield a seat's plays upon cards in the middle."""
    for play in upward(rules, board, seat):
        if board.cards[play.destination]:
            yield play


def _face(board: Board, play: Play) -> int:
    return board.cards[play.source][-1] % PACK_SIZE


class StepWords(NamedTuple):
    """What a step says, whatever the deal: see :class:`LessonStep`."""

    text: str
    rule: str
    why: str


WORDS: Final[Mapping[str, StepWords]] = {
    "ace": StepWords(
        "Aces start the middle.",
        "The middle is for both of you; each card of yours there is a point.",
        "Only an ace starts a place in the middle: your {card}",
    ),
    "build": StepWords(
        "Same suit, one higher.",
        "Suits go up to the king, whoever began. An empty place is for the next ace.",
        "Same suit, one higher: your {card} goes on the {on}",
    ),
    "column": StepWords(
        "{colours}, one lower: {card} on {on}.",
        "Columns go down by one: red on black, or black on red.",
        "{colours}, one lower: your {card} goes on the {on}",
    ),
    "run": StepWords(
        "Cards in order move together: {card} on {on}.",
        "A run is cards in order, and moves whole. What lay beneath it turns up.",
        "{colours}, one lower: your {card} goes on the {on}, with all on it",
    ),
    "empty": StepWords(
        "An empty column takes a king.",
        "Only a king, with all that lies on it.",
        "Only a king goes to an empty column: your {card}",
    ),
    "turn": StepWords(
        "Turn three cards of your stock.",
        "Only the top one can be played, then that below. An empty stock is turned over.",
        "Turn the stock first",
    ),
    "won": StepWords(
        "{teacher} has that {card}, too. Be first!",
        "The first card to arrive has the place.",
        "Your {card} goes to the middle, and {teacher} wants that place",
    ),
    "lost": StepWords(
        "{teacher} has that {card}, too: race her again.",
        "The later card comes back, and nothing is lost.",
        "Your {card} goes to the middle, and {teacher} wants that place",
    ),
    "stuck": StepWords(
        "Both say Stuck: the hand ends.",
        "Say Stuck when no card fits; any play takes it back. Here it ends the lesson.",
        "Say Stuck to end the hand",
    ),
}
"""What each kind of step says in the Klondike race."""
CLASSIC_WORDS: Final[Mapping[str, StepWords]] = {
    **WORDS,
    "empty": StepWords(
        "An empty column takes any card.",
        "Here that of your reserve: empty it, and you are out.",
        "Any free card goes to an empty column: here your {card}",
    ),
}


def _lesson(
    game: str, deal: str, words: Mapping[str, StepWords], plays: Mapping[str, tuple[Play, Sequence[Play]]]
) -> Lesson:
    """Return a lesson by what is pointed at in each step of its deal, and what the teacher plays before."""
    steps: list[LessonStep] = []
    number = 0
    for kind in (*plays, "stuck"):
        number += kind != "lost"
        play, before = plays.get(kind, (None, ()))
        steps.append(LessonStep(kind, number, *words[kind], play, tuple(before)))
    return Lesson(game, deal, tuple(steps))


LESSONS: Final[Mapping[str, Lesson]] = {
    "racing-demon": _lesson(
        "racing-demon",
        "10e357ee8b9dcf8881a8666c0105bd9189438e5364801066ec3983534a7ac5a7",
        WORDS,
        {
            "ace": (Play(16, 1, 0), ()),
            "build": (Play(15, 1, 1), [*3 * [Play(17, 3, 18)], Play(18, 1, 1)]),
            "column": (Play(16, 1, 10), 2 * [Play(17, 3, 18)]),
            "run": (Play(10, 2, 16), 2 * [Play(17, 3, 18)]),
            "empty": (Play(12, 1, 10), [Play(17, 3, 18), Play(18, 23, 17)]),
            "turn": (Play(8, 3, 9), 2 * [Play(17, 3, 18)]),
            "won": (Play(14, 1, 1), ()),
            "lost": (Play(14, 1, 0), [Play(17, 3, 18)]),
        },
    ),
    "classic": _lesson(
        "classic",
        "f9f0b848a007b10de3559bf7e4bc0fbe32c8119cfc9b3382a38cb499f5e81804",
        CLASSIC_WORDS,
        {
            "ace": (Play(10, 1, 0), ()),
            "build": (Play(11, 1, 1), [*2 * [Play(15, 3, 16)], Play(16, 1, 1)]),
            "column": (Play(10, 1, 13), 3 * [Play(15, 3, 16)]),
            "run": (Play(13, 2, 14), 3 * [Play(15, 3, 16)]),
            "empty": (Play(10, 1, 11), 3 * [Play(15, 3, 16)]),
            "turn": (Play(8, 3, 9), [Play(15, 2, 16), Play(16, 34, 15), Play(15, 3, 16)]),
            "won": (Play(10, 1, 1), ()),
            "lost": (Play(14, 1, 2), [*2 * [Play(15, 3, 16)], Play(16, 1, 2)]),
        },
    ),
}
"""The lessons by their games."""
