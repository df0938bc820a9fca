"""Parse what a player types."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from racing_demon_client.shared.pile_names import pile_labels, piles_by_label
from racing_demon_client.shared.trackers import NOTHING_HELPS, HintFinder
from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import SUIT_LETTERS, SUIT_NAMES, suit
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.enums import BotLevel
from racing_demon_protocol.errors import IllegalPlay, RacingDemonError
from racing_demon_protocol.formatting import join_words, to_halfwidth
from racing_demon_protocol.table.suggestions import best_play, fitting_count, step_of

LEVELS: Final = tuple(BotLevel)

HELP: Final = f"""\
 t         turn the stock (or the waste over, when the stock is empty)
 4 6       column 4 to column 6, as many cards as fit    4 6 2  two of them
 4 f       column 4 to the foundations                   4 f 2  two, one by one
 w f, w 5  the top of the waste to the foundations, or to column 5
 r f, r 5  the same from the reserve, where the game has one
 fs 5      back from a foundation of spades (h, c, d), where that is allowed
 a b, a up  where piles have letters: a to b, a to the foundations
 a 3       to the third of these
 4 *, a *  the best play from a pile
 0 c       the next card of the stock, unseen, to pile c    a out  off the table
 c/1 up    from under one card of pile c, where that is allowed
 s         stuck: when everybody is, the hand ends
 shift     the stock's top card to its bottom, where the table allows that
 d         "Demon!", where going out must be called
 b         the table again (Enter does the same)
 hint      a play that helps, where the table allows hints
 learn     learn the game until the next deal; q comes back from there
 v         show more or less of what the others do
 ready     for the next deal          start  deal now (host)
 unready   not ready after all
 bot hard  add a bot: {join_words(LEVELS, "or")} (host)
 tally     the scores so far
 analysis  everybody's last hand: races, plays that waited, cards still buried
 proof     what the server and the players put into the shuffle
 /hello    say "hello" to the table
 react thanks         or well_played, oh_no, laugh, hurry, sorry
 pause, go            pause the hand for everybody, and resume it (host)
 last, notlast        this hand, or else the next, ends the match; or not (host)
 latelowest, latezero where players start who come later (host)
 endmatch             end the match now, as it stands (host; asks first)
 kick 3, makehost 3   kick seat 3, or make it the host (host)
 unban Bob            let Bob back in after a kick (host)
 lock, unlock         let nobody new take a seat, or let them again (host)
 list                 put a table into the lists that is in none (host)
 internet             let others join over the internet, or no longer
 spectators, remove 3 who watches; spectator 3 may not for an hour (host)
 handicap 3 reserve 2 2 cards more in seat 3's reserve; or late 10 (seconds),
                      points -3 (a hand), or all three, or none
 team 3 B             put seat 3 into team B (host), or yourself
 standin 3            let a bot play for seat 3 while it is away (host)
 mute 3, unmute 3     hide or show what seat 3 says (host)
 people, people Bob   whom your own server knows; a code for Bob's new phone
 people 3             the link by which seat 3 returns over the internet
 report 3 spam        tell who runs the server about seat 3; report table spam
 leave     give up the seat           q      quit
 ?         this help"""


class ParseError(RacingDemonError):
    """A line is not a command; the text says what would be."""


class TextCommand(Enum):
    """The commands other than plays, each with the words for it."""

    TURN = "t turn"
    STUCK = "s stuck"
    SHIFT = "shift"
    CALL = "d demon"
    BOARD = "b board"
    HINT = "hint"
    LEARN = "learn"
    VOLUME = "v"
    READY = "ready"
    UNREADY = "unready"
    START = "start"
    BOT = "bot"
    TALLY = "tally"
    ANALYSIS = "analysis"
    PROOF = "proof"
    SAY = "/"
    REACT = "react"
    PAUSE = "pause"
    GO_ON = "go"
    KICK = "kick"
    UNBAN = "unban"
    INTERNET = "internet"
    LAST = "last"
    NOT_LAST = "notlast"
    END_MATCH = "endmatch"
    LATE_LOWEST = "latelowest"
    LATE_ZERO = "latezero"
    LOCK = "lock"
    UNLOCK = "unlock"
    LIST = "list"
    SPECTATORS = "spectators"
    REMOVE = "remove"
    REPORT = "report"
    PEOPLE = "people"
    HANDICAP = "handicap"
    TEAM = "team"
    MAKE_HOST = "makehost"
    STAND_IN = "standin"
    MUTE = "mute"
    UNMUTE = "unmute"
    LEAVE = "leave"
    QUIT = "q quit"
    HELP = "? help"


VERBS: Final = {"": TextCommand.BOARD} | {word: verb for verb in TextCommand for word in verb.value.split()}
COMMANDS_WITH_ARGUMENT: Final = {
    *(
        TextCommand.BOT,
        TextCommand.REACT,
        TextCommand.KICK,
        TextCommand.REMOVE,
        TextCommand.MAKE_HOST,
        TextCommand.STAND_IN,
        TextCommand.MUTE,
        TextCommand.UNMUTE,
    ),
}
"""The verbs that take an argument; with any other word, an argument is a pile."""
KINDS: Final = {"w": Kind.WASTE, "r": Kind.RESERVE}


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """A verb and its argument."""

    verb: TextCommand
    argument: str = ""


def parse_command(line: str) -> ParsedLine | None:
    """Return the verb of a line; ``None`` for a line that may be a play."""
    if line.lstrip().startswith(("/", "\N{FULLWIDTH SOLIDUS}")):
        return ParsedLine(TextCommand.SAY, line.strip()[1:].strip())
    words = to_halfwidth(line).lower().split()
    verb = VERBS.get(words[0].rstrip("!") or "?" if words else "")
    if verb in {TextCommand.UNBAN, TextCommand.HANDICAP, TextCommand.REPORT, TextCommand.TEAM} | {
        TextCommand.PEOPLE
    }:
        return ParsedLine(verb, line.strip()[len(words[0]) :].strip())
    if verb is None or (len(words) > 1 and verb not in COMMANDS_WITH_ARGUMENT):
        return None
    return ParsedLine(verb, words[1] if len(words) > 1 else "")


def parse_play(line: str, rules: Rules, board: Board, seat: int) -> Play:
    """Return the play that a line describes. The server decides whether it is legal.

    Raises:
        ParseError: the line does not name existing piles.

    """
    words = to_halfwidth(line).split()
    if len(words) not in {2, 3}:
        raise ParseError(f"{line!r} is not a command. ? shows them all.")
    piles = piles_by_label(rules, board, seat)
    word, _, buried = words[0].partition("/")
    source = _pile(word, piles, rules, board, seat)
    if words[1:] == ["*"]:
        best = best_play(rules, board, seat, source)
        if best is None:
            raise ParseError("Nothing there can be played.")
        return best
    up = words[1].lower() == "up" or (words[1].lower() == "f" and "f" not in piles)
    destination = FOUNDATIONS if up else _pile(words[1], piles, rules, board, seat)
    if buried:
        return Play(source, 1, destination, _number(buried, rules.game.deck_size, "cards"))
    if len(words) == 3:
        return Play(source, _number(words[2], rules.game.deck_size, "cards"), destination)
    play = Play(source, fitting_count(rules, board, seat, source, destination), destination)
    return (
        play
        if rules.can_play(board, seat, play)
        else step_of(rules, board, seat, source, destination) or play
    )


def line_for(rules: Rules, board: Board, seat: int, play: Play) -> str | None:
    """Return a short line that :func:`parse_play` parses as this legal play, or ``None``.

    For a step that exchanges the card in hand with a packet's, the line names where the card in hand goes.
    """
    words, piles = pile_labels(rules, board, seat), board.piles
    source = words.get(play.source, "")
    if piles[play.source].kind is Kind.FOUNDATION:
        source = f"f{SUIT_LETTERS[suit(board.cards[play.source][-1])].lower()}"
    target = words.get(play.destination, "up")
    ways = [f"{source} up", f"{source} {target}", f"{source} {target} {play.count}", f"{source} *"]
    if play.depth:
        ways = [f"{source}/{play.depth} {target}", f"{source}/{play.depth} up"]
    elif getattr(rules.layout.groups[play.source], "numbered", False) and board.cards[play.destination]:
        ways.insert(0, f"{target} {source}")
    return next((way for way in ways if _means(way, rules, board, seat, play)), None)


def hint_line(hints: HintFinder, rules: Rules, board: Board, seat: int) -> str:
    """Return the line to type for a play that helps, or that none does."""
    play = hints.play(rules, board, seat)
    if hints.advises_shift(rules, board, seat):
        return "shift"
    if play is None:
        return f"{NOTHING_HELPS}."
    return (None if play == rules.stock_play(board, seat) else line_for(rules, board, seat, play)) or "t"


def _means(line: str, rules: Rules, board: Board, seat: int, play: Play) -> bool:
    try:
        return rules.verify_play(board, seat, parse_play(line, rules, board, seat)) == play
    except (ParseError, IllegalPlay):
        return False


def _pile(word: str, piles: Mapping[str, int], rules: Rules, board: Board, seat: int) -> int:
    """Return the pile that a word names: by its own name, or a foundation by its suit.

    Raises:
        ParseError: there is no such pile.

    """
    if word in piles:
        return piles[word]
    lower = word.lower()
    if lower in piles:
        return piles[lower]
    if len(word) == 2 and lower[0] == "f" and not lower[1].isdigit():
        wanted = max(SUIT_LETTERS.find(word[1].upper()), SUIT_NAMES.find(word[1]))
        for pile in rules.layout.foundations:
            top = board.top(pile)
            if top is not None and suit(top) == wanted and rules.layout.piles[pile].seat in {None, seat}:
                return pile
        raise ParseError("There is no such foundation.")
    if lower in KINDS:
        kind = KINDS[lower]
        own = [pile_labels(rules, board, seat).get(pile, "") for pile in rules.layout.seat_piles(seat, kind)]
        raise ParseError(f"The {kind} is called {own[0]} here." if any(own) else f"This game has no {kind}.")
    raise ParseError(f"{word!r} is not known here: there are {_pile_words(piles)}. ? shows all commands.")


def _pile_words(piles: Mapping[str, int]) -> str:
    """Return the names of the piles in short."""
    letters = [word for word in piles if word.isalpha() and word != "out"]
    most = max((int(word) for word in piles if word.isdigit()), default=0)
    if "a" not in letters:
        return f"columns 1 to {most}"
    if "2" in piles and "1" not in piles:  # places that belong to ranks
        return f"piles {' '.join(word for word in piles if word not in {'0', 'out'})}"
    return f"piles {letters[0]} to {letters[-1]}" + (f", and foundations 1 to {most}" if most else "")


def _number(word: str, most: int, what: str) -> int:
    if not word.isascii() or not word.isdigit() or not 1 <= int(word[:4]) <= most:
        raise ParseError(f"{word!r} is not known here: there are {what} 1 to {most}. ? shows all commands.")
    return int(word)
