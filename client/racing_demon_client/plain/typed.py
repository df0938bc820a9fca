"""What a player types, as commands."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from racing_demon_protocol.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.cards import SUIT_LETTERS, SUIT_NAMES, suit
from racing_demon_protocol.errors import RacingDemonError
from racing_demon_protocol.rules import Rules

from ..choosing import fitting_count

__all__ = ["HELP", "Unclear", "Verb", "read_play", "read_verb"]

HELP: Final = """\
 t         turn the stock (or the waste over, when the stock is empty)
 4 6       column 4 to column 6, as many cards as fit    4 6 2  two of them
 4 f       column 4 to the foundations                   4 f 2  two, one by one
 w f, w 5  the top of the waste to the foundations, or to column 5
 r f, r 5  the same from the reserve, where the game has one
 fs 5      back from a foundation of spades (h, c, d), where that is allowed
 s         stuck: when everybody says so, the hand ends
 d         "Demon!", where going out must be called
 b         the table again (Enter does the same)
 v         hear more, or less, of what the others do
 ready     for the next deal          start  deal now (host)
 bot hard  add a bot (host)           tally  the scores so far
 analysis  everybody's last hand: races, plays that waited, cards still buried
 /hello    say "hello" to the table    react thanks  (well_played, oh_no, laugh, hurry, sorry)
 pause, go            stop the hand for everybody, and let it go on (host)
 kick 3, makehost 3   send seat 3 away, or make it the host (host)
 standin 3, mute 3, unmute 3   let a bot play for seat 3 while it is away; who is heard (host)
 leave     give the seat up           q      quit
 ?         this help"""


class Unclear(RacingDemonError):
    """A line that is no command; the text says what would be one."""


class Verb(Enum):
    """The commands that are no plays."""

    TURN = auto()
    STUCK = auto()
    CALL = auto()
    BOARD = auto()
    VOLUME = auto()
    READY = auto()
    START = auto()
    BOT = auto()
    TALLY = auto()
    ANALYSIS = auto()
    SAY = auto()
    REACT = auto()
    PAUSE = auto()
    GO_ON = auto()
    KICK = auto()
    MAKE_HOST = auto()
    STAND_IN = auto()
    MUTE = auto()
    UNMUTE = auto()
    LEAVE = auto()
    QUIT = auto()
    HELP = auto()


VERBS: Final = {
    "": Verb.BOARD,
    "b": Verb.BOARD,
    "board": Verb.BOARD,
    "t": Verb.TURN,
    "turn": Verb.TURN,
    "s": Verb.STUCK,
    "stuck": Verb.STUCK,
    "d": Verb.CALL,
    "demon": Verb.CALL,
    "v": Verb.VOLUME,
    "ready": Verb.READY,
    "start": Verb.START,
    "bot": Verb.BOT,
    "tally": Verb.TALLY,
    "analysis": Verb.ANALYSIS,
    "react": Verb.REACT,
    "pause": Verb.PAUSE,
    "go": Verb.GO_ON,
    "kick": Verb.KICK,
    "makehost": Verb.MAKE_HOST,
    "standin": Verb.STAND_IN,
    "mute": Verb.MUTE,
    "unmute": Verb.UNMUTE,
    "leave": Verb.LEAVE,
    "q": Verb.QUIT,
    "quit": Verb.QUIT,
    "?": Verb.HELP,
    "help": Verb.HELP,
}


@dataclass(frozen=True, slots=True)
class Spoken:
    """A verb, and what stands behind it."""

    verb: Verb
    argument: str = ""


def read_verb(line: str) -> Spoken | None:
    """Return the verb of a line; ``None`` for a line that may be a play."""
    if line.lstrip().startswith("/"):
        return Spoken(Verb.SAY, line.strip()[1:].strip())
    words = line.lower().split()
    verb = VERBS.get(words[0].rstrip("!") or "?" if words else "")
    return None if verb is None else Spoken(verb, words[1] if len(words) > 1 else "")


def read_play(line: str, rules: Rules, board: Board, seat: int) -> Play:
    """Return the play that a line means on a board. Whether it is legal is the server's business.

    Raises:
        Unclear: the line names no piles, or piles that are not there.

    """
    words = line.lower().split()
    if len(words) not in {2, 3}:
        raise Unclear(f"{line!r} is no command; ? shows them all.")
    source = _source(words[0], rules, board, seat)
    destination = FOUNDATIONS if words[1] == "f" else _column(words[1], rules, seat)
    if len(words) == 3:
        return Play(source, _number(words[2], 52, "cards"), destination)
    return Play(source, fitting_count(rules, board, seat, source, destination), destination)


def _source(word: str, rules: Rules, board: Board, seat: int) -> int:
    if word == "w":
        return rules.layout.waste[seat]
    if word == "r":
        reserves = rules.layout.own(seat, Kind.RESERVE)
        if not reserves:
            raise Unclear("This game has no reserve.")
        return reserves[0]
    if len(word) == 2 and word[0] == "f":
        wanted = max(SUIT_LETTERS.find(word[1].upper()), SUIT_NAMES.find(word[1]))
        for pile in rules.layout.foundations:
            top = board.top(pile)
            if top is not None and suit(top) == wanted and rules.layout.piles[pile].seat in {None, seat}:
                return pile
        raise Unclear("There is no such foundation.")
    return _column(word, rules, seat)


def _column(word: str, rules: Rules, seat: int) -> int:
    columns = rules.layout.own(seat, Kind.TABLEAU)
    return columns[_number(word, len(columns), "columns") - 1]


def _number(word: str, most: int, what: str) -> int:
    if not word.isascii() or not word.isdigit() or not 1 <= int(word[:4]) <= most:
        raise Unclear(f"{word!r} will not do: there are {what} 1 to {most}. ? shows all commands.")
    return int(word)
