"""Hands and matches as Python plays them, written for clients in other languages to play again."""

import random
from collections.abc import Iterator
from itertools import islice, product
from typing import Any, Final

from racing_demon_client.shared.title_text import TITLES
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.specification import Game, Racing
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.records.analysis import HistoryTracker, moments_of
from racing_demon_protocol.records.format import next_state
from racing_demon_protocol.table.scoring import points, totals
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.table.suggestions import helpful_play, opened_play
from racing_demon_protocol.wire.codec import Encoding, encode
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.client import AddBot, SetHandicap, Start, Stuck
from racing_demon_protocol.wire.messages.events import HandOver, Joined, MatchOver
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.options import HandicapRule, Options
from racing_demon_server.match.contributions import REVEAL_MS
from tests.support.contributing import contribute, reveal
from tests.support.dealt_hands import Dealt, random_hands
from tests.support.effects import hands_of
from tests.support.effort import LONG, amount
from tests.support.matches import log_of, options_of
from tests.support.moves import follow
from tests.support.options import house_rules
from tests.support.recordings import recording_of
from tests.support.tables import MS, SECOND, Sitting
from tests.support.typical import BUILDING_GAMES, TYPICAL, covering

PLAYS: Final = 40
"""In hands of games that stand for others."""
FEWER_PLAYS: Final = amount(10, 40)
"""In those of other games."""
ASKED: Final = amount(8, 20)
MAX_COUNT: Final = 4
MATCHES: Final = ("racing-demon", "shouted", "rotated", "first turns", "eight", "house rules")
HOUSE_RULES: Final[tuple[dict[str, Any], ...]] = (
    {"game": "classic", "spaces": "reserve", "king_bonus": 5},
    {"game": "classic", "spaces": "at_once", "reserve_up": True, "turn_by_players": True},
    {"game": "demon-a-aces", "reserve_up": True, "reserve": 20, "columns": 9},
)
"""Options of hands that are played besides one of each game, and one of each house rule alone."""
POSITIONS: Final = amount(2, 30)
"""Of each game."""
KINDS: Final = covering({name: {type(game.mechanic), game.racing} for name, game in GAMES.items()})
RECORDED: Final = [name for name in GAMES if LONG or name in KINDS]
"""Games of which whole hands are written down: one of each mechanic and each kind of race at least."""
VALUES: Final = (0, 1, 7, 420, 12_600, 340_000, 9_960_000, 10_500_000, 59_990_000, 64_700_000)
"""What titles tell, as counts and as times."""
MAX_CARDS: Final = 5
EVERY: Final = 40
"""After so many events a match's state is written down, and a snapshot of it."""


def vectors() -> dict[str, Any]:
    """Return hands of all games, and matches of shared games, as JSON may hold them."""
    hands = [_hand(Options(game=game)) for game in GAMES]
    hands += [_hand(Options(**options)) for options in HOUSE_RULES]
    hands += [_hand(options) for options in house_rules("classic")]
    matches = [_match(name) for name in MATCHES]
    positions = [position for game in BUILDING_GAMES for position in _positions(game)]
    assert sum(sum(position["legal"]) for position in positions) > amount(50, 200)
    return {
        "hands": hands,
        "matches": matches,
        "positions": positions,
        "records": [_record(name) for name in RECORDED],
        "moments": [_moments(name) for name in MATCHES],
        "titles": [(name, value, tell(value)) for name, tell in TITLES.items() for value in VALUES],
        "void": _void(),
        "known": _known(),
        "handicaps": [_handicaps("classic"), _handicaps("racing-demon")],
    }


def _hand(options: Options) -> dict[str, Any]:
    """Return a hand, with every move, what the rules say before it, and how the board looks after it."""
    seats = tuple(range(1, 1 + min(2, declare(options, 1).max_seats)))
    game = declare(options, len(seats))
    seed, rng = subseed(bytes(32), f"vectors/{game.name}"), random.Random(game.name)
    hand = Dealt(game, seed, seats)
    for _ in range(PLAYS if game.name in TYPICAL else FEWER_PLAYS):
        plays = hand.plays()
        if not plays:
            break
        seat, play = rng.choice(plays)
        hand.play(play, seat)
    changes = options.model_dump(mode="json", exclude_defaults=True, exclude={"game"})
    return {
        "name": " ".join([game.name, *(f"{name}={value}" for name, value in changes.items())]),
        "game": game.name,
        "seats": seats,
        "options": options.model_dump(mode="json"),
        "seed": seed.hex(),
        "deck": Dealer(seed, hand.rules).open_board().cards,
        "dealt": hand.dealt,
        "moves": list(_moves(hand, rng)),
    }


def _moves(hand: Dealt, rng: random.Random) -> Iterator[dict[str, Any]]:
    board, rules = hand.rules.deal(), hand.rules
    board.reveal(board.all_unnamed(), hand.dealt)
    move_tables = rules.move_tables if isinstance(rules, BuildingRules) else None
    pairs = [pair for pair in product(range(len(board.piles)), repeat=2) if pair[0] != pair[1]]
    for seat, move in hand.log:
        asked = [
            Play(source, count, destination)
            for source, destination in rng.sample(pairs, min(ASKED, len(pairs)))
            for count in range(1, min(MAX_COUNT, len(board.cards[source])) + 1)
            if move_tables is not None
        ]
        asked += [
            play for play in rules.legal_plays(board, seat) if move_tables is not None and play.depth == 0
        ]
        shares = move_tables is not None and rules.game.racing is Racing.SHARED
        helps = helpful_play(rules, board, seat)[0] is not None if shares else None
        allowed = [move_tables is not None and move_tables.allows(board, seat, play) for play in asked]
        follow(board, move)
        other = next((each for each in hand.seats if each != seat), seat)
        opened = opened_play(rules, board, other, [move.destination]) if shares else None
        yield {
            "place": hand.seats.index(seat),
            "move": (move.source, move.count, move.destination, move.depth),
            "shown": move.shown,
            "asked": [play[:3] for play in asked],
            "allowed": allowed,
            "cards": [list(pile) for pile in board.cards],
            "helps": helps,
            "opened": opened and opened[:3],
            "points": sorted(rules.points(board).items()),
        }


def _positions(game: Game) -> list[dict[str, Any]]:
    """Return positions of random hands with plays between their piles, and which of them are allowed."""
    found = []
    for hand, rng in random_hands(game, 1, seats=range(min(2, game.max_seats))):
        rules = hand.rules
        assert isinstance(rules, BuildingRules)
        if rules.move_tables is None:
            return []
        for _ in range(POSITIONS):
            plays = hand.plays()
            if not plays:
                break
            found.append(_position(game, hand, rules, rng))
            seat, play = rng.choice(plays)
            hand.play(play, seat)
    return found


def _position(game: Game, hand: Any, rules: BuildingRules, rng: random.Random) -> dict[str, Any]:
    board, seats = hand.board, rules.layout.seats
    pairs = [pair for pair in product(range(len(board.piles)), repeat=2) if pair[0] != pair[1]]
    tried = [
        (seats.index(seat), source, count, destination)
        for source, destination in rng.sample(pairs, min(150, len(pairs)))
        for seat, count in product(seats, range(1, min(MAX_CARDS, len(board.cards[source])) + 1))
    ]
    assert rules.move_tables is not None
    legal = [
        rules.move_tables.allows(board, seats[place], Play(source, count, destination))
        for place, source, count, destination in tried
    ]
    return {
        "game": game.name,
        "seats": list(seats),
        "options": Options(game=game.name).model_dump(mode="json"),
        "cards": [list(pile) for pile in board.cards],
        "plays": tried,
        "legal": legal,
    }


def _match(name: str) -> dict[str, Any]:
    """Return all that a spectator of a match is told, with what a table holds now and then."""
    view = TableState("SIM", options_of(name))
    begin = _text(view.snapshot(0))
    frames = []
    for number, event in enumerate(log_of(name)):
        view.apply(event)
        frame: dict[str, Any] = {"text": _text(event)}
        if number % EVERY == 0 or isinstance(event, HandOver | MatchOver):
            frame["facts"] = _facts(view)
            frame["snapshot"] = _text(view.snapshot(0))
        frames.append(frame)
    return {"name": name, "begin": begin, "frames": frames}


def _moments(name: str) -> dict[str, Any]:
    """Return the record of a match with its times, and the moments of its hands."""
    view: TableState | None = None
    history, entries, told = HistoryTracker(), [], []
    for entry in recording_of(name).entries:
        view = next_state(view, entry.message)
        history.apply(entry.message, view, entry.at_us, entry.seat)
        entries.append((_text(entry.message), entry.at_us))
        if isinstance(entry.message, HandOver) and history.hand is not None and view.hand is not None:
            seed = view.deal_seed(bytes.fromhex(entry.message.seed))
            found = moments_of(history.hand, view.hand, seed)
            told.append((view.hand_number, [list(each) for each in found]))
    return {"name": name, "entries": entries, "moments": told}


def _record(game: str) -> dict[str, Any]:
    """Return the events of hands of a game in which cards move in every way."""
    sittings = islice(hands_of(game), amount(1, 2))
    return {
        "game": game,
        "hands": [
            [_text(event) for event in (TableState("TEST", each.options).snapshot(0), *each.log)]
            for each in sittings
        ],
    }


def _void() -> list[str]:
    """Return the events of a hand that is drawn anew, because one of three players does not reveal."""
    sitting = Sitting.lobby(3, hands=1, countdown_ms=0)
    contribute(sitting, range(3))
    sitting.events(0, Start)
    reveal(sitting, [0, 2])
    sitting.wait(REVEAL_MS * MS)
    contribute(sitting, [0, 2])
    reveal(sitting, [0, 2])
    for seat in (0, 2):
        sitting.events(seat, Stuck)
    return [_text(event) for event in (TableState("TEST", sitting.options).snapshot(0), *sitting.log)]


def _known() -> list[str]:
    """Return the events of a match on a known deal."""
    sitting = Sitting.on_known_deal(bytes(range(32)), hands=2, countdown_ms=0)
    for _ in range(2):
        sitting.start()
        sitting.turn(1)
        for seat in (0, 1):
            sitting.events(seat, Stuck)
    begin = TableState("TEST", sitting.options)
    begin.record = begin.record._replace(known_deal=sitting.mirror.known_deal)
    return [_text(event) for event in (begin.snapshot(0), *sitting.log)]


def _handicaps(game: str) -> dict[str, Any]:
    """Return three hands by handicaps that follow the tally, and one changes, with what they lead to."""
    sitting = Sitting.lobby(4, game=game, hands=3, countdown_ms=0, handicap=HandicapRule.AUTO)
    bot = sitting.events(0, AddBot, level="easy")
    assert isinstance(bot[0], Joined)
    given = {1: Handicap(delay_s=4, points=-3), 2: Handicap(points=6), bot[0].seat: Handicap(delay_s=1)}
    if game == "classic":
        given |= {1: Handicap(heap=3, delay_s=4), 3: Handicap(heap=-8), bot[0].seat: Handicap(heap=-2)}
    for hand in range(3):
        for seat, handicap in given.items() if hand == 0 else [(2, Handicap(delay_s=2, points=7 * hand))]:
            sitting.events(0, SetHandicap, seat=seat, handicap=handicap)
        sitting.events(0, Start)
        sitting.wait(30 * SECOND)
        for seat in sitting.table.view.hand_seats:
            sitting.turn(seat)
        for seat in sitting.table.view.hand_seats:
            sitting.events(seat, Stuck)
    texts = [_text(event) for event in (TableState("TEST", sitting.options).snapshot(0), *sitting.log)]
    return {"texts": texts, "facts": _facts(sitting.table.view)}


def _text(message: Message) -> str:
    text = encode(message, Encoding.JSON)
    return text if isinstance(text, str) else text.decode()


def _facts(view: TableState) -> dict[str, Any]:
    seats = [view.seats[seat] for seat in sorted(view.seats)]
    return {
        "cards": [] if view.board is None else [list(pile) for pile in view.board.cards],
        "phase": view.phase,
        "hand": view.hand_number,
        "totals": sorted(totals(view).items()),
        "seats": [(state.seat, state.name, state.ready, state.stuck, state.left) for state in seats],
        "winners": view.winners,
        "points": sorted(points(view).items()),
    }
