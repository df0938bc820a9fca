"""Any combination of options: refused with a sentence, or played by bots to the end of the match."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from racing_demon_protocol.engine.commit_reveal import deal_seed
from racing_demon_protocol.engine.specification import Deals
from racing_demon_protocol.enums import BotLevel, Phase, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import HandResult
from racing_demon_protocol.wire.options import MatchScore, Options
from racing_demon_protocol.wire.presets import PRESETS
from racing_demon_server.match.table import Table
from tests.support import independent_dealer
from tests.support.bot_matches import insist, play_match
from tests.support.invariants import status

NAMES: Final = sorted(Options.model_fields.keys() - {"game", "hands", "seats"})
"""The options that are drawn; hands are few, so that a match ends soon."""
MAX_CHANGED: Final = 4
MAX_BOTS: Final = 5
LOOKS: Final = 40
"""The invariants are asked after every event of this number, and after the last of each hand."""
REASONS: Final = {Reason.BAD_OPTION, Reason.NOT_NOW, Reason.TABLE_FULL}
"""Why a host cannot have options, or begin a match with them."""
SHORT: Final = {"hands": 1, "countdown_ms": 0, "tally_ms": 0}


class Combination(NamedTuple):
    """What a table is asked for.

    Attributes:
        options: the options that are named.
        bots: how many bots play.
        seed: the seed of the match.
        handicaps: those of seats.

    """

    options: dict[str, Any]
    bots: int
    seed: bytes
    handicaps: Mapping[int, Handicap] = MappingProxyType({})


class Outcome(NamedTuple):
    """What became of a combination.

    Attributes:
        refusal: the sentence that refuses it; empty if it was played.
        hands: how many hands were played.
        problems: what was wrong.

    """

    refusal: str
    hands: int
    problems: list[str]


def values_of(name: str) -> list[Any]:
    """Return values of an option: all words, and of numbers the ends, the small ones, and some between."""
    described = Options.model_json_schema()
    kinds = described["properties"][name]
    values: list[Any] = []
    for kind in kinds.get("anyOf", [kinds]):
        if "$ref" in kind:
            values += described["$defs"][kind["$ref"].rpartition("/")[2]]["enum"]
        elif "enum" in kind:
            values += kind["enum"]
        elif kind["type"] == "boolean":
            values += [False, True]
        elif kind["type"] == "integer":
            least, most = kind["minimum"], kind["maximum"]
            small = range(least, min(most, least + 12) + 1)
            values += sorted({*small, (least + most) // 2, most})
        else:
            values.append(None)
    return values


def draw(rng: random.Random) -> Combination:
    """Draw a preset or a game, and changes of some options."""
    if rng.random() < 0.4:
        options = rng.choice(list(PRESETS.values())).options.model_dump(exclude_unset=True)
    else:
        options = {"game": rng.choice(list(GAMES))}
    changed = rng.sample(NAMES, rng.randint(1, MAX_CHANGED))
    options |= {name: rng.choice(values_of(name)) for name in changed}
    game = GAMES[options.get("game", Options().game)]
    if not game.skill or game.deals is Deals.IDENTICAL:  # equals would tie a thousand hands
        options.pop("tie_break", None)
    options |= SHORT | {"hands": rng.choice([1, 1, 2])}
    most = min(MAX_BOTS, game.max_seats)
    bots = rng.randint(1, most)
    handicaps = {seat: _handicap(rng) for seat in range(bots)} if rng.random() < 0.2 else {}
    return Combination(options, bots, rng.randbytes(32), handicaps)


def _handicap(rng: random.Random) -> Handicap:
    return Handicap(heap=rng.randint(-4, 4), delay_s=rng.choice([0, 1, 3]), points=rng.randint(-9, 9))


def try_out(asked: Combination) -> Outcome:
    """Open a table, let bots play its match if it can be opened, and check all of it."""
    options = Options.model_validate(asked.options)
    try:
        return _played(asked, options)
    except CommandRefused as refused:
        is_sentence = refused.text.endswith(".") and refused.text[0].isalpha()
        wrong = [] if is_sentence and refused.reason in REASONS else ["refused without a sentence"]
        return Outcome(refused.text, 0, wrong)


def _played(asked: Combination, options: Options) -> Outcome:
    """Let bots play the match.

    Raises:
        CommandRefused: it cannot be opened, or the host cannot begin it.

    """
    Table("SIM", options, iter([bytes(32)]))
    bots = max(asked.bots, GAMES[options.game].min_seats)
    rng = random.Random(asked.seed)
    levels = rng.choices(list(BotLevel), k=bots)
    table, log, _ = play_match(asked.seed, levels, options, hear=insist, handicaps=asked.handicaps)
    return Outcome("", len(table.view.results), list(_problems(options, table.view, log)))


def _problems(options: Options, view: TableState, log: list[ev.Event]) -> list[str]:
    problems = [] if view.phase is Phase.OVER else ["the match is not over"]
    mirror = TableState("SIM", options)
    empty = mirror.snapshot(0)
    for number, event in enumerate(log):
        mirror.apply(event)
        if mirror.hand is not None and (number % LOOKS == 0 or isinstance(event, ev.HandOver)):
            problems += status(mirror.hand.rules, mirror.hand.board)
        if isinstance(event, ev.Dealt):
            dealt, hand_id = event, mirror.hand_id
        if isinstance(event, ev.HandOver):
            seed = deal_seed(bytes.fromhex(event.seed), hand_id, {})
            problems += _dealt_again(options, dealt, seed)
    report = verify([empty, *log])
    if (report.hands, report.skipped, report.matches) != (len(view.results), 0, 1):
        problems.append(f"verified: {report}")
    if sorted(view.winners) != _winners(options, view.results):
        problems.append("others have won")
    return problems


def _winners(options: Options, results: Sequence[HandResult]) -> list[int]:
    """Return who has most of what counts, counted anew: seats, or all seats of the best teams."""
    totals = Counter[int]()
    for result in results:
        points = Counter[int]()
        sides = result.teams or result.seats
        handicaps = result.handicaps or [Handicap()] * len(result.seats)
        for side, own, handicap in zip(sides, result.points, handicaps, strict=True):
            points[side] += own + handicap.points
        best = max(points.values())
        is_hands = options.match_score is MatchScore.HANDS
        totals.update({side: int(own == best) if is_hands else own for side, own in points.items()})
    seats, sides = results[-1].seats, results[-1].teams or results[-1].seats
    return [seat for seat, side in zip(seats, sides, strict=True) if totals[side] == max(totals.values())]


def _dealt_again(options: Options, dealt: ev.Dealt, seed: bytes) -> list[str]:
    named = options.model_dump(mode="json", exclude_defaults=True)
    seats = len(dealt.seats)
    heaps = [handicap.heap for handicap in dealt.handicaps]
    cards = independent_dealer.deal(seed, options.game, seats, named, heaps)
    shown = independent_dealer.shown(options.game, seats, named, cards)
    return [] if list(dealt.shown) == shown else ["games.json deals other cards"]
