"""Standings and ratings: right against another way to add up, and of the words that they give themselves."""

import os
import random
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import islice, permutations
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.records.format import Correction, Record, read_records
from racing_demon_protocol.records.ratings import ratings
from racing_demon_protocol.records.standings import (
    HandicappedMatch,
    Key,
    Standing,
    StandingsTotal,
    corrected_winners,
    select_hands,
    select_matches,
    standings,
    total_points,
)
from racing_demon_protocol.records.summary import HandSummary, MatchSummary, PlayerSummary, summarize
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import MatchScore, Options
from tests.support.cases import for_each
from tests.support.effort import amount, examples, more_when_long
from tests.support.recordings import kept_from, recording, recording_of, seed_of

MATCHES: Final = int(os.environ.get("RACING_DEMON_MATCHES", "4"))
"""How many matches are simulated."""

LEVELS: Final = ("easy", "medium", "hard")
NAMES: Final = ("Ann", "Ben", "Cat", "Don")


def simulated(number: int) -> Record:
    """Return the record of a short match, with other players and another game each time."""
    chance = random.Random(number)
    levels = [chance.choice(LEVELS) for _ in range(chance.choice((2, 2, 2, 3)))]
    options = Options(
        game=chance.choice(("racing-demon", "classic", "demon-b", "fooliana")),
        hands=chance.choice((1, 1, 2)),
        countdown_ms=0,
        tally_ms=0,
    )
    return recording(seed_of(number), levels, options, name=str(number), began_ms=number * 3_600_000)


def handicapped() -> Record:
    """Return the record of a match with handicaps, of a released version."""
    path = Path(__file__).parents[2] / "fixtures" / "records" / "version-4.jsonl"
    (record,) = read_records(path.read_text(encoding="utf-8").splitlines())
    return record


def test_a_match_with_a_handicap_counts_and_is_not_rated() -> None:
    """It is listed with what each player had; the totals have the points of handicaps, the rows do not."""
    (digest,) = summarize([handicapped()])
    found = standings([digest])
    assert found.handicapped == [
        HandicappedMatch(
            "FIX-4",
            [
                ("Ann", Handicap(heap=-1)),
                ("Ben", Handicap(heap=2, points=-4)),
                ("Cat", Handicap(heap=-6, delay_s=2)),
            ],
        )
    ]
    assert (found.matches, ratings([digest])) == (1, {})
    assert total_points(digest) == {0: -43, 1: -63, 2: -16}
    assert {row.key.name: row.points for row in found.rows} == {"Ann": -43, "Ben": -55, "Cat": -16}


def test_a_match_that_was_ended_early_counts_and_is_not_rated() -> None:
    """The last event says so: whoever leads could otherwise stop, and have it rated."""
    whole = simulated(1)
    *before, last = whole.entries
    assert isinstance(last.message, ev.MatchOver)
    cut = replace(last, message=last.message.model_copy(update={"closed": True}))
    (played_out,), (early,) = (
        summarize([record]) for record in (whole, replace(whole, entries=[*before, cut]))
    )
    assert (standings([played_out]).early, len(ratings([played_out])) > 0) == (0, True)
    found = standings([early])
    assert (found.matches, found.early, ratings([early])) == (1, 1, {})
    assert [row.points for row in found.rows] == [row.points for row in standings([played_out]).rows]


def counted(records: list[Record]) -> dict[tuple[str, str], Counter[str]]:
    """Add matches up from their events alone, without view, story or digest."""
    lines: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for record in records:
        joined = [entry.message for entry in record.entries if isinstance(entry.message, ev.Joined)]
        who = {message.seat: (message.name, message.bot) for message in joined}
        seats: tuple[int, ...] = ()
        plays: Counter[int] = Counter()
        for entry in record.entries:
            match entry.message:
                case ev.Dealt():
                    seats, plays = entry.message.seats, Counter()
                case ev.Played(seat=seat, counter=counter):
                    plays[seat] += counter > 0
                case Refused(by=by) if by is not None and entry.seat is not None:
                    lines[who[entry.seat]]["beaten"] += 1
                    lines[who[by]]["beat"] += 1
                case ev.HandOver(points=points, out=out, elapsed_ms=ms):
                    for seat, worth in zip(seats, points, strict=True):
                        line = lines[who[seat]]
                        line.update(hands=1, points=worth, plays=plays[seat], ms=ms, outs=seat == out)
                case ev.MatchOver(winners=winners):
                    count_match(lines, set(who.values()), {who[seat] for seat in winners})
    return lines


def count_match(
    lines: dict[tuple[str, str], Counter[str]], played: set[tuple[str, str]], won: set[tuple[str, str]]
) -> None:
    """Count a match that has ended."""
    for key in played:
        line = lines[key]
        line.update(matches=1, wins=key in won)
        line["streak"] = line["streak"] + 1 if key in won else 0
        line["longest"] = max(line["longest"], line["streak"])


def test_simulated_matches_add_up() -> None:
    """Over many simulated matches each line is what another way to add up finds in the events."""
    records = [simulated(number) for number in range(MATCHES)]
    table = standings(select_matches(summarize(records)))
    expected = counted(records)
    assert table.matches == MATCHES
    assert {row.key for row in table.rows} == {Key(*key) for key in expected}
    for row in table.rows:
        line = expected[row.key[:2]]
        found = {
            "matches": row.matches,
            "wins": row.wins,
            "hands": row.hands,
            "points": row.points,
            "outs": row.outs,
            "plays": row.plays,
            "ms": row.elapsed_ms,
            "streak": row.streak,
            "longest": row.longest,
            "beaten": len(row.lost_by),
            "beat": len(row.won_by),
        }
        assert found == {name: line[name] for name in found}, row.key
        assert row.races_lost >= len(row.lost_by)
    assert sum(row.races_won for row in table.rows) == sum(row.races_lost for row in table.rows) > 0


# Matches that were never played: quick to make, and full of odd cases.


@st.composite
def matches(draw: st.DrawFn) -> list[MatchSummary]:
    """Draw some matches of a few people and bots, each once and in any order."""
    made = []
    for number in range(draw(st.integers(1, 8))):
        names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
        players = [
            PlayerSummary(
                seat=seat, name=name, bot=draw(st.sampled_from(("", "easy"))), left=draw(st.booleans())
            )
            for seat, name in enumerate(names)
        ]
        hands = []
        for hand in range(1, draw(st.integers(1, 3)) + 1):
            points = {player.seat: draw(st.integers(-20, 62)) for player in players}
            hands.append(
                HandSummary(
                    hand=hand,
                    reason=EndReason.STUCK,
                    out=None,
                    elapsed_ms=draw(st.integers(0, 600_000)),
                    points=points,
                    plays={player.seat: draw(st.integers(0, 200)) for player in players},
                )
            )
        totals = {p.seat: sum(hand.points[p.seat] for hand in hands) for p in players}
        stayed = [player.seat for player in players if not player.left] or list(totals)
        best = max(totals[seat] for seat in stayed)
        finished = draw(st.booleans())
        winners = tuple(seat for seat in stayed if totals[seat] == best) if finished else ()
        notes = draw(
            st.lists(
                st.builds(
                    Correction,
                    at_ms=st.just(5),
                    by=st.just("Ann"),
                    why=st.just("x"),
                    seat=st.sampled_from((None, 0, 1, 7)),
                    points=st.integers(-30, 30),
                    void=st.booleans(),
                ),
                max_size=2,
            )
        )
        made.append(
            MatchSummary(
                id=str(number),
                promises=(f"{number:064}",),
                started_ms=number * 1_000,
                ended_ms=draw(st.integers(0, 50)) * 1_000,
                players=tuple(players),
                hands=tuple(hands),
                winners=winners,
                finished=finished,
                corrections=tuple(notes),
            )
        )
    return made


@examples(50)
@given(matches(), st.randoms(use_true_random=False))
def test_any_matches_add_up(drawn: list[MatchSummary], chance: random.Random) -> None:
    """Points, hands and wins add up with corrections, whatever order the matches are given in."""
    table = standings(select_matches(drawn))
    shuffled = [*drawn]
    chance.shuffle(shuffled)
    assert table == standings(select_matches(shuffled))
    counting = [digest for digest in drawn if not any(note.void for note in digest.corrections)]
    assert table.matches == sum(digest.finished for digest in counting)
    assert table.unfinished == len(counting) - table.matches
    assert sum(row.points for row in table.rows) == sum(
        sum(total_points(digest).values()) for digest in counting
    )
    assert sum(row.hands for row in table.rows) == sum(
        len(hand.points) for digest in counting for hand in digest.hands
    )
    assert sum(row.wins for row in table.rows) == sum(len(corrected_winners(digest)) for digest in counting)
    assert len(table.corrected) == sum(len(digest.corrections) for digest in drawn)
    for row in table.rows:
        assert 0 <= row.streak <= row.longest <= row.wins <= row.matches


@examples(40)
@given(matches())
def test_a_correction_of_nothing_changes_no_winner(drawn: list[MatchSummary]) -> None:
    """Who has won is found anew by the same rule as at the table."""
    for digest in drawn:
        nothing = [Correction(at_ms=1, by="A", why="x", seat=0, points=points) for points in (5, -5)]
        assert corrected_winners(digest.model_copy(update={"corrections": ()})) == corrected_winners(
            digest.model_copy(update={"corrections": tuple(nothing)})
        )


def digest_of(**more: Any) -> MatchSummary:
    """Return a match of two, which Ann won by ten points in one hand."""
    hand = HandSummary(
        hand=1, reason=EndReason.OUT, out=0, elapsed_ms=60_000, points={0: 40, 1: 30}, plays={0: 50, 1: 40}
    )
    values = {
        "id": "1.1",
        "promises": ("aa",),
        "started_ms": 1_000,
        "ended_ms": 9_000,
        "players": (PlayerSummary(seat=0, name="Ann"), PlayerSummary(seat=1, name="Ben", bot="hard")),
        "hands": (hand,),
        "winners": (0,),
        "finished": True,
    }
    return MatchSummary.model_validate({**values, **more})


def row_of(name: str, *given: MatchSummary) -> Standing:
    """Return somebody's line after matches."""
    return next(row for row in standings(select_matches(given)).rows if row.key.name == name)


@for_each(("points", "told"), [(1, "+1 point for Ann"), (-2, "-2 points for Ann")])
def test_a_correction_is_told(points: int, told: str) -> None:
    """One point is no points."""
    note = Correction(at_ms=5, by="Cat", why="A slip.", seat=0, points=points)
    assert told == standings([digest_of(corrections=(note,))]).corrected[0].what


def test_a_correction_can_turn_a_match() -> None:
    """Twelve points less, and the other has won; the line and the list say so."""
    note = Correction(at_ms=5, by="Cat", why="A slip.", hand=1, seat=0, points=-12)
    corrected = digest_of(corrections=(note,))
    assert (row_of("Ann", digest_of()).wins, row_of("Ann", digest_of()).points) == (1, 40)
    assert (row_of("Ann", corrected).wins, row_of("Ann", corrected).points) == (0, 28)
    assert row_of("Ben", corrected).wins == 1
    (told,) = standings([corrected]).corrected
    assert (
        told.id,
        told.by,
        told.what,
        told.why,
    ) == ("1.1", "Cat", "-12 points for Ann in hand 1", "A slip.")


def test_a_void_match_counts_for_nobody() -> None:
    """What does not count gives no line, no rating, and stays in the list of corrections."""
    void = digest_of(corrections=(Correction(at_ms=5, by="Cat", why="A try.", void=True),))
    table = standings([void])
    assert (table.rows, table.matches, table.corrected[0].what) == ([], 0, "the match does not count")
    assert ratings([void]) == {}


def test_only_what_was_played_is_counted() -> None:
    """A match counts when it has ended; one that broke off with its hands, one without a hand not at all."""
    broken = digest_of(finished=False, winners=())
    empty = digest_of(finished=False, winners=(), hands=(), players=())
    table = standings([digest_of(), broken, empty])
    assert (table.matches, table.unfinished) == (1, 1)
    assert [(row.matches, row.hands) for row in table.rows] == [(1, 2), (1, 2)]
    assert ((none := standings([empty])).rows, none.matches, none.unfinished) == ([], 0, 0)


@more_when_long
def test_who_came_later_has_kept_the_same_match() -> None:
    """True records of one match, from its beginning, its second hand and the midst of that, are one."""
    whole = recording_of("racing-demon")
    begun = [n for n, each in enumerate(whole.entries) if isinstance(each.message, ev.Committed)]
    records = [whole, kept_from(whole, begun[1]), kept_from(whole, begun[1] + 40)]
    for order in islice(permutations(records), 0, None, amount(3, 1)):
        table = standings(select_matches(summarize(order)))
        assert [(table.matches, table.unfinished)] == [(1, 0)]
        assert {(1, len(begun))} == {(row.matches, row.hands) for row in table.rows}
        assert next(summarize([whole])).hands == select_matches(summarize(order))[0].hands


def test_records_of_one_match_need_no_hand_in_common() -> None:
    """Two records are of one match, too, where a third has a hand of either."""
    kept = [digest_of(promises=hands) for hands in (["aa"], ["bb"], ["aa", "bb"], ["bb", "cc"], ["cc"])]
    for some in permutations(kept):
        (match,) = select_matches(some)
        assert {"aa", "bb", "cc"} == set(match.promises)


def test_matches_without_a_commitment_are_not_taken_for_one() -> None:
    """Of records that tell no commitment nobody knows whether they are of the same match."""
    assert len(select_matches([digest_of(promises=()), digest_of(promises=())])) == 2


HANDS: Final = tuple(
    HandSummary(hand=hand, reason=EndReason.OUT, out=0, elapsed_ms=1, points={0: 9, 1: 0}, plays=plays)
    for hand, plays in ((1, {0: 5, 1: 5}), (2, {0: 5, 1: 5}), (2, {0: 5, 1: 4}), (2, {}))
)


@for_each(
    ("fuller", "other"),
    [
        ({"hands": HANDS[:1]}, {"hands": HANDS[:2], "finished": False, "winners": ()}),
        ({"hands": HANDS[:2], "id": ""}, {"hands": HANDS[:1]}),
        ({"hands": (HANDS[0], HANDS[1]), "id": ""}, {"hands": (HANDS[0], HANDS[2])}),
        ({"hands": (HANDS[0], HANDS[2]), "id": ""}, {"hands": (HANDS[0], HANDS[3])}),
        ({"hands": HANDS[:1]}, {"hands": HANDS[:1], "id": ""}),
    ],
    ids=["ended", "more hands", "more plays", "any plays", "from a journal"],
)
def test_of_two_records_the_fuller_one_counts(fuller: dict[str, Any], other: dict[str, Any]) -> None:
    """The end counts before hands, hands before plays, and plays before the name in a journal."""
    for both in permutations([digest_of(**fuller), digest_of(**other)]):
        assert [digest_of(**fuller)] == select_matches(both)


def test_what_is_said_in_either_record_is_kept() -> None:
    """The corrections of both count, and the match began when the first of both did."""
    note = Correction(at_ms=5, by="Cat", why="x", seat=1, points=1)
    short = digest_of(finished=False, winners=(), corrections=(note,), id="", started_ms=900)
    for late in (1_000, None):
        (match,) = select_matches([digest_of(started_ms=late), short])
        assert (True, (note,), "1.1", 900) == (match.finished, match.corrections, match.id, match.started_ms)


@for_each(
    ("asked", "found"),
    [
        ({}, ["a", "b", "c"]),
        ({"since_ms": 2_000}, ["b"]),
        ({"until_ms": 2_000}, ["a"]),
        ({"since_ms": 1_000, "until_ms": 2_001}, ["a", "b"]),
        ({"names": ["Ann"]}, ["a", "b", "c"]),
        ({"names": ["Ben"]}, []),
    ],
)
def test_periods_and_groups(asked: dict[str, Any], found: list[str]) -> None:
    """A period ends before its last moment; an unknown time is in none; bots are in all groups."""
    matches = [
        digest_of(id="a", promises=("a",), started_ms=1_000, ended_ms=1_500),
        digest_of(id="b", promises=("b",), started_ms=2_000, ended_ms=2_500),
        digest_of(id="c", promises=("c",), started_ms=None, ended_ms=9_999),
    ]
    assert found == [match.id for match in select_matches(matches, **asked)]


def test_hands_with_bots_and_hands_of_people_are_separate() -> None:
    """A match that had both kinds has a winner in neither, and its hands are in one each."""
    alone, together = (
        digest_of().hands[0].model_copy(update={"hand": hand, "with_bots": with_bots})
        for hand, with_bots in ((1, False), (2, True))
    )
    note = Correction(at_ms=5, by="Cat", why="A slip.", hand=2, seat=0, points=1)
    mixed = digest_of(hands=(alone, together), corrections=(note,))
    for with_bots, hand, corrections in ((False, alone, ()), (True, together, (note,))):
        (match,) = select_hands([mixed], with_bots=with_bots)
        assert ((hand,), corrections, ()) == (match.hands, match.corrections, match.winners)
    of_people = [digest_of(hands=(alone,))]
    assert select_hands(of_people, with_bots=False) == of_people
    assert standings(select_hands(of_people, with_bots=True)).rows == []


def test_the_winner_is_rated_higher() -> None:
    """Who wins again and again is worth more, and that is the surer the more was played."""
    once, often = ratings([digest_of()]), ratings([digest_of()] * 20)
    ann, ben = Key("Ann"), Key("Ben", "hard")
    assert often[ann].ordinal > often[ben].ordinal
    assert often[ann].doubt < once[ann].doubt
    assert (often[ann].matches, once[ben].matches) == (20, 1)


def against(*names: str, ended_ms: int = 1_000) -> MatchSummary:
    """Return a match that Ann has won against people."""
    players = tuple(PlayerSummary(seat=seat, name=name) for seat, name in enumerate(("Ann", *names)))
    points = {player.seat: 30 if player.name == "Ann" else 10 for player in players}
    hand = digest_of().hands[0].model_copy(update={"points": points})
    return digest_of(players=players, hands=(hand,), ended_ms=ended_ms)


@for_each(
    ("matches", "is_provisional"),
    [
        ([against("Ben", "Cat", "Don", "Eve", "Fay")] * 9, True),
        ([against("Ben", "Cat", "Don", "Eve", "Fay")] * 10, False),
        ([against("Ben", "Cat", "Don", "Eve")] * 20, True),
        ([against(name) for name in ("Ben", "Cat", "Don", "Eve", "Fay")] * 2, False),
        ([digest_of()] * 20, True),
    ],
)
def test_a_rating_is_provisional_until_ten_matches_against_five_people(
    matches: list[MatchSummary], is_provisional: bool
) -> None:
    """Bots are no people, and nobody is their own opponent."""
    assert ratings(matches)[Key("Ann")].is_provisional is is_provisional


def test_partners_are_no_opponents() -> None:
    """Of five people in a match of teams, only those of the other team count."""
    ann, ben, cat, don = pairs().players
    eve, fay = (PlayerSummary(seat=seat, name=name, team=0) for seat, name in ((4, "Eve"), (5, "Fay")))
    players = ann, ben, cat, don, eve, fay
    (hand,) = pairs().hands
    points = {**hand.points, 4: 0, 5: 0}
    hand = hand.model_copy(update={"points": points})
    assert ratings([pairs(players=players, hands=(hand,))] * 10)[Key("Ann")].is_provisional


def test_many_matches_of_a_group_in_a_day_count_less() -> None:
    """Thirty wins in an hour are worth less than on thirty days, and more than five."""
    day_ms = 24 * 3_600_000
    an_hour, a_month, five = (
        ratings([against("Ben", ended_ms=number * step) for number in range(1, matches + 1)])[Key("Ann")]
        for matches, step in ((30, 120_000), (30, day_ms), (5, 120_000))
    )
    assert five.estimate < an_hour.estimate < a_month.estimate
    assert five.doubt > an_hour.doubt > a_month.doubt
    assert an_hour.matches == a_month.matches == 30


def test_a_bot_of_another_level_makes_no_other_group() -> None:
    """Who plays alone against bots all day is rated less for it, whichever bots these are."""
    ann, ben = digest_of().players
    levels = ("easy", "medium", "hard") * 10
    matches = [
        digest_of(players=(ann, ben.model_copy(update={"bot": level})), ended_ms=number * step)
        for step in (60_000, 24 * 3_600_000)
        for number, level in enumerate(levels, 1)
    ]
    a_day, a_month = (ratings(some)[Key("Ann")] for some in (matches[:30], matches[30:]))
    assert a_day.doubt > a_month.doubt


def test_matches_without_a_time_count_in_full() -> None:
    """Nobody knows whether they were played in a day."""
    unknown, apart = (
        ratings([against("Ben").model_copy(update={"ended_ms": ended}) for ended in times])
        for times in ([None] * 10, [number * 24 * 3_600_000 for number in range(1, 11)])
    )
    assert unknown == apart


def test_shared_wins_are_rated_alike() -> None:
    """Two who share a first match are worth the same after it."""
    hand = digest_of().hands[0].model_copy(update={"points": {0: 30, 1: 30}})
    shared = ratings([digest_of(hands=(hand,), winners=(0, 1))])
    assert shared[Key("Ann")].estimate == pytest.approx(shared[Key("Ben", "hard")].estimate)


def test_a_shared_place_in_the_middle_is_no_loss() -> None:
    """Of four beginners, two who are better than one and worse than another are worth what they were."""
    players = tuple(
        PlayerSummary(seat=seat, name=name) for seat, name in enumerate(("Ann", "Ben", "Cat", "Dan"))
    )
    hand = digest_of().hands[0].model_copy(update={"points": {0: 40, 1: 30, 2: 30, 3: 20}})
    ann, ben, cat, dan = (
        rating.estimate for _, rating in sorted(ratings([digest_of(players=players, hands=(hand,))]).items())
    )
    assert ben == pytest.approx(cat)
    assert ben == pytest.approx((ann + dan) / 2)
    assert ann > ben


def test_a_winner_is_rated_before_whoever_left_with_as_many_points() -> None:
    """Who has forfeited is no winner's equal, and is rated alike with fewer points."""
    hand, (ann, ben) = digest_of().hands[0], digest_of().players
    left = (ann, ben.model_copy(update={"left": True}))
    as_many, fewer = (
        ratings([digest_of(players=left, hands=(hand.model_copy(update={"points": {0: 30, 1: points}}),))])
        for points in (30, 10)
    )
    assert as_many == fewer
    assert as_many[Key("Ann")].estimate > as_many[Key("Ben", "hard")].estimate


def test_a_program_is_nobody_of_its_name() -> None:
    """A program and a person who bear one name have a row each, in standings and ratings."""
    ann, ben = digest_of().players
    program = digest_of(players=(ann.model_copy(update={"program": True}), ben), promises=("bb",), id="1.2")
    keys = {row.key for row in standings([digest_of(), program]).rows}
    assert (
        keys
        == set(ratings([digest_of(), program]))
        == {Key("Ann"), Key("Ann", "program"), Key("Ben", "hard")}
    )


def test_who_is_known_has_one_row_under_any_name() -> None:
    """Two who are called alike have a row each; all that names somebody has the name of now."""
    ann, ben = digest_of().players
    note = Correction(at_ms=5, by="Op", why="a slip", seat=0, points=1)
    known, renamed, other = (
        digest_of(
            id=f"{number}.1", players=(ann.model_copy(update={"name": name, "player": id_}), ben), **more
        )
        for number, (name, id_, more) in enumerate(
            [("Ann", "a1", {}), ("Anna", "a1", {"corrections": (note,)}), ("Anna", "a2", {})]
        )
    )
    total = StandingsTotal()
    for each in (known, renamed, other):
        total.add(each)
    assert [(row.key.name, row.key.player, row.wins) for row in total.standings().rows[:2]] == [
        ("Anna", "a1", 2),
        ("Anna", "a2", 1),
    ]
    found = total.standings(name_of={"a1": "Annabel", "a2": "Zoe"}.__getitem__)
    assert [row.key.name for row in found.rows] == ["Annabel", "Zoe", "Ben"]
    assert found.corrected[0].what == "+1 point for Annabel"
    rated = ratings([known, renamed, other])
    assert [rated[row.key.identity].matches for row in found.rows] == [2, 1, 3]


def pairs(**more: Any) -> MatchSummary:
    """Return a match of two teams: Ann and Cat, who have won by two points, and Ben and Don."""
    players = tuple(
        PlayerSummary(seat=seat, name=name, team=seat % 2)
        for seat, name in enumerate(("Ann", "Ben", "Cat", "Don"))
    )
    hand = digest_of().hands[0].model_copy(update={"points": {0: 10, 1: 40, 2: 50, 3: 18}})
    return digest_of(**{"players": players, "hands": (hand,), "winners": (0, 2), **more})


def test_teams_have_rows_of_their_own() -> None:
    """A team's points add up, and its players have their own rows as well."""
    table = standings([pairs(), digest_of()])
    assert [
        (*(key.name for key in row.players), row.wins, row.matches, row.points) for row in table.teams
    ] == [
        ("Ann", "Cat", 1, 1, 60),
        ("Ben", "Don", 0, 1, 58),
    ]
    assert {row.key.name: (row.wins, row.points) for row in table.rows if row.key.bot == ""} == {
        "Ann": (2, 50),
        "Cat": (1, 50),
        "Ben": (0, 40),
        "Don": (0, 18),
    }


def test_a_correction_can_turn_a_match_of_teams() -> None:
    """Three points less for one of them, and the other team has won; whoever left it has not."""
    note = Correction(at_ms=5, by="Cat", why="A slip.", seat=0, points=-3)
    assert corrected_winners(pairs(corrections=(note,))) == (1, 3)
    left = tuple(player.model_copy(update={"left": player.name == "Don"}) for player in pairs().players)
    assert corrected_winners(pairs(corrections=(note,), players=left)) == (1,)


def test_teams_are_rated() -> None:
    """Players of the winning team are worth the same after a first match, whoever of them got the points."""
    ann, ben, cat, don = (rating.estimate for _, rating in sorted(ratings([pairs()]).items()))
    assert ann == pytest.approx(cat)
    assert ben == pytest.approx(don)
    assert ann > ben


def test_matches_without_an_end_are_not_rated() -> None:
    """What was not played out, or played alone, says nothing of anybody's strength."""
    alone = digest_of(players=(PlayerSummary(seat=0, name="Ann"),))
    assert ratings([digest_of(finished=False, winners=()), alone]) == {}


def test_a_match_with_an_adaptive_bot_is_not_rated() -> None:
    """Its strength is that of a person; standings list it."""
    players = PlayerSummary(seat=0, name="Ann"), PlayerSummary(seat=1, name="Bot", bot="adaptive")
    assert ratings([digest_of(players=players)]) == {}
    assert {row.key for row in standings([digest_of(players=players)]).rows} == {
        Key("Ann"),
        Key("Bot", "adaptive"),
    }


def test_a_correction_can_turn_a_hand_where_hands_are_counted() -> None:
    """Only one that names the hand: points of the match as a whole win none."""
    of_hand, of_match = (
        Correction(at_ms=5, by="Cat", why="A slip.", seat=0, points=-3, hand=hand) for hand in (1, None)
    )
    counting = {"match_score": MatchScore.HANDS}
    assert corrected_winners(pairs(corrections=(of_hand,), **counting)) == (1, 3)
    assert corrected_winners(pairs(corrections=(of_match,), **counting)) == (0, 2)


def test_the_average_of_no_hands_is_no_points() -> None:
    """A player who has only just sat down in a match has a row, too."""
    ann = Key("Ann", "")
    assert (Standing(ann, hands=4, points=10).points_a_hand, Standing(ann).points_a_hand) == (2.5, 0.0)
