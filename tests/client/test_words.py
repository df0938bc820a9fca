"""Messages as sentences."""

import pytest

from racing_demon_client.plain.words import Words, duration, printable
from racing_demon_protocol.board import Kind
from racing_demon_protocol.messages import Message
from racing_demon_protocol.messages import events as ev
from racing_demon_protocol.messages import server as sv
from racing_demon_protocol.options import Options
from racing_demon_protocol.reasons import EndReason, Phase, Reason
from racing_demon_protocol.view import TableView

from ..support.boards import build, cards, rules_of

HASH = "0f" * 32


@pytest.fixture
def view() -> TableView:
    """Return a table of two after some plays: what was moved lies where it went."""
    rules = rules_of(players=2)
    first = build(
        rules, tableau=["KS QH", "5d JC", "", "TD"], stock="AC 2C", waste="3D 4S", foundation=["AS 2S", "AH"]
    )
    view = TableView("BCDF", Options(hands=3))
    view.rules = rules
    view.board = build(rules, seat=1, tableau=["2D"], stock="9C", upon=first).board
    view.seats = {0: sv.SeatState(seat=0, name="Ann"), 1: sv.SeatState(seat=1, name="B\x9bob", stuck=True)}
    view.hand = 2
    return view


def pile(view: TableView, seat: int, kind: Kind, index: int = 0) -> int:
    """Return a pile of a seat."""
    assert view.rules is not None
    return view.rules.layout.own(seat, kind)[index]


def played(seat: int, source: int, count: int, destination: int, shown: str = "") -> ev.Played:
    """Return the event of a play that is on the board already."""
    return ev.Played(
        seq=9,
        seat=seat,
        counter=1,
        source=source,
        count=count,
        destination=destination,
        shown=tuple(cards(shown)),
    )


def test_a_play_between_columns_says_what_it_turned_up(view: TableView) -> None:
    """The moved card, whence, whither, and the card that shows now."""
    first, second = pile(view, 0, Kind.TABLEAU, 0), pile(view, 0, Kind.TABLEAU, 1)

    assert (
        Words(view, 0).tell(played(0, second, 1, first, "JC"))
        == "you: Q♥ from column 2 to column 1, column 2 shows J♣"
    )


def test_a_play_to_the_foundations_that_empties_a_column_says_so(view: TableView) -> None:
    """An empty column is worth a word."""
    empty = pile(view, 0, Kind.TABLEAU, 2)

    assert (
        Words(view, None).tell(played(0, empty, 1, 0))
        == "Ann: 2♠ from column 3 to the foundations, column 3 is empty"
    )


def test_a_run_is_named_card_by_card(view: TableView) -> None:
    """A run of two is told with both its cards, in letters where suits cannot be shown."""
    first, last = pile(view, 0, Kind.TABLEAU, 0), pile(view, 0, Kind.TABLEAU, 3)

    assert (
        Words(view, 0, ascii_only=True).tell(played(0, last, 2, first))
        == "you: KS QH from column 4 to column 1"
    )


def test_turning_names_the_top_of_the_waste(view: TableView) -> None:
    """Of turned cards only the last can be seen."""
    stock, waste = pile(view, 0, Kind.STOCK), pile(view, 0, Kind.WASTE)

    assert Words(view, 1).tell(played(0, stock, 3, waste, "4S")) == "Ann: turned 3, waste shows 4♠"


@pytest.mark.parametrize(("count", "told"), [(1, "1 card"), (24, "24 cards")])
def test_turning_over_names_the_number(view: TableView, count: int, told: str) -> None:
    """A waste that is turned over shows nothing but how many cards it had."""
    stock, waste = pile(view, 1, Kind.STOCK), pile(view, 1, Kind.WASTE)

    assert Words(view, 1).tell(played(1, waste, count, stock)) == f"you: waste turned over, {told}"


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (sv.Seated(code="BCDF", seat=0, token=HASH), "you have seat 1 at table BCDF"),
        (sv.Seated(code="BCDF"), "you watch table BCDF"),
        (ev.Joined(seq=1, seat=1, name="x", bot="hard"), "B?ob took seat 2, a bot (hard)"),
        (ev.Left(seq=1, seat=5), "seat 6 left the table"),
        (ev.Connected(seq=1, seat=0, connected=False), "you: connection lost"),
        (ev.Connected(seq=1, seat=1, connected=True), "B?ob: connection back"),
        (ev.Readied(seq=1, seat=0, ready=True), "you: ready"),
        (ev.Hosted(seq=1, seat=None), "host: nobody"),
        (ev.OptionsSet(seq=1, options=Options(hands=4)), "options: racing-demon, 4 hands"),
        (
            ev.Committed(seq=1, hand=2, hand_id="x", commitment=HASH),
            "hand 2 of 3, commitment 0f0f0f0f0f0f0f0f",
        ),
        (
            ev.Dealt(seq=1, seats=(0,), shown=(), countdown_ms=3_000),
            "the cards are dealt; play begins in 3 seconds",
        ),
        (ev.Signalled(seq=1), "play!"),
        (ev.StuckSaid(seq=1, seat=1), "B?ob: stuck (1 of 2)"),
        (
            ev.Rotated(seq=1),
            "nobody can go on: everybody's top card of the stock goes to its bottom",
        ),
        (ev.Called(seq=1, seat=0, grace_ms=1_000), "DEMON! called by you; cards in the air may land"),
        (
            ev.HandOver(seq=1, reason=EndReason.OUT, out=1, elapsed_ms=125_900, points=(40, 62), seed=HASH),
            "hand 2 is over after 2:05: DEMON! out: B?ob; you 40, B?ob 62",
        ),
        (ev.MatchOver(seq=1, winners=(0, 1)), "the match is over; won by you and B?ob"),
        (
            sv.Refused(counter=1, reason=Reason.BEATEN, text="", by=1, late_us=31_204, pile=0, top=1),
            "refused: B?ob beat you to it by 31 ms (the pile shows 2♠)",
        ),
        (
            sv.Refused(counter=1, reason=Reason.BEATEN, text="", by=1, late_us=412),
            "refused: B?ob beat you to it by 0.4 ms",
        ),
        (sv.Refused(counter=1, reason=Reason.ILLEGAL, text="No\x1b[2J."), "refused: No?[2J."),
    ],
)
def test_each_message_has_its_sentence(view: TableView, message: Message, line: str) -> None:
    """Every message is one printable line; the own seat is called "you"."""
    assert Words(view, 0).tell(message) == line


def test_a_snapshot_tells_the_table(view: TableView) -> None:
    """Who comes to a table hears what is played, how far it is, and who sits there."""
    view.phase = Phase.PLAYING

    assert Words(view, 0).tell(view.snapshot(0)) == (
        "table BCDF: racing-demon, hand 2 of 3, playing; you, B?ob"
    )


@pytest.mark.parametrize("message", [sv.Accepted(counter=1, seq=1), sv.Pong(stamp=1)])
def test_acknowledgements_are_silent(view: TableView, message: Message) -> None:
    """An answer that says nothing new has no line."""
    assert Words(view, 0).tell(message) is None


@pytest.mark.parametrize(
    ("milliseconds", "text"), [(0, "0:00"), (-5, "0:00"), (59_999, "0:59"), (754_000, "12:34")]
)
def test_durations_are_minutes_and_seconds(milliseconds: int, text: str) -> None:
    """A duration is told to the full second, and never negative."""
    assert duration(milliseconds) == text


@pytest.mark.parametrize("code", [0x1B, 0x9B, 0x07, 0x0A, 0x202E, 0x200B, 0xFEFF, 0xD800])
def test_nothing_that_steers_a_terminal_is_printed(code: int) -> None:
    """Control, bidirectional and invisible characters become question marks."""
    assert printable(f"a{chr(code)}b") == "a?b"
