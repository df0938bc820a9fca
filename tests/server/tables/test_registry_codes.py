"""The codes of a server's tables, and the seeds of their cards."""

import secrets

import pytest

from racing_demon_protocol.engine.commit_reveal import commitment
from racing_demon_protocol.engine.deal import hand_seeds
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Committed, Dealt, Event
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.builds import pure
from tests.support.cases import for_each
from tests.support.virtual_rooms import FakeConnection, in_virtual_time, now, say, seat_at, virtual

ALPHABET = set("BCDFGHJKLMNPQRSTVWXZ")


def open_hall(**settings: object) -> Registry:
    """Open a hall with some settings changed."""
    return Registry(ServerSettings(**settings), now, NullJournal())  # type: ignore[arg-type]


# Codes.


@for_each(("settings", "letters"), [({}, 8), ({"code_letters": 4}, 4)])
def test_codes_are_made_of_consonants(settings: dict[str, int], letters: int) -> None:
    """A code has as many letters as the operator wants, which make no words and look like no digits."""

    async def history() -> set[str]:
        registry = open_hall(**settings)
        return {registry.open(Options()).table.view.code for _ in range(60)}

    codes = in_virtual_time(history())
    assert {letters} == {len(code) for code in codes}
    assert {letter for code in codes for letter in code} <= ALPHABET


def test_no_two_tables_share_a_code() -> None:
    """As many codes as tables."""

    async def history() -> int:
        registry = open_hall(seed=bytes(32))
        return len({registry.open(Options()).table.view.code for _ in range(100)})

    assert in_virtual_time(history()) == 100


def test_a_code_that_is_taken_is_not_given_again() -> None:
    """Where the chances lead to a code that is taken, they go on to the next."""

    async def history() -> set[str]:
        registry = open_hall(seed=bytes(32), code_letters=1)
        return {registry.open(Options()).table.view.code for _ in range(len(ALPHABET))}

    assert in_virtual_time(history()) == ALPHABET


@pytest.mark.parametrize("spelling", ["{}", " {} ", "{}\n", "lower", "title"])
@virtual
async def test_a_table_is_found_however_its_code_is_spelt(spelling: str) -> None:
    """Small letters and blanks make no difference."""
    registry = open_hall()
    room = registry.open(Options())
    code = room.table.view.code
    spelt = getattr(code, spelling)() if spelling.isalpha() else spelling.format(code)
    assert room is registry.room(spelt)


@pytest.mark.parametrize("code", ["", "????", "BCD", "BCDFG", "ß", "\x00"])
@virtual
async def test_an_unknown_code_is_refused(code: str) -> None:
    """What no table is called finds none."""
    registry = open_hall()
    registry.open(Options())
    with pytest.raises(CommandRefused) as refused:
        registry.room(code)
    assert refused.value.reason == Reason.UNKNOWN_TABLE


# Seeds.


async def codes_and_deals(seed: bytes | None) -> list[tuple[str, str, tuple[int, ...]]]:
    """Open three tables and deal at each; return codes, commitments and cards."""
    registry = open_hall(seed=seed)
    found = []
    for _ in range(3):
        room = registry.open(Options())
        conn, host = FakeConnection(), FakeConnection()
        room.broadcast.catch_up(conn, 0)
        room.table.seat_tokens.add(None, b"host")
        room.broadcast.take_seat(host, None)
        await say(room, host, None, cl.AddBot(counter=1), cl.Start(counter=2))
        events: list[Event] = conn.events
        (committed,) = (event for event in events if isinstance(event, Committed))
        (dealt,) = (event for event in events if isinstance(event, Dealt))
        found.append((room.table.view.code, committed.commitment, dealt.shown))
    registry.close()
    return found


def test_a_seeded_server_repeats_itself() -> None:
    """From one seed come the same codes, and at each table the same cards."""
    seed = bytes(range(32))
    assert in_virtual_time(codes_and_deals(seed)) == in_virtual_time(codes_and_deals(seed))


def test_a_seed_means_the_same_in_every_version() -> None:
    """A seeded server goes on with the cards and codes that an older one would have had."""
    codes, promises, _ = zip(*in_virtual_time(codes_and_deals(bytes(range(32)))), strict=True)
    assert codes == ("QGZMSCCS", "LWPBTJXP", "PRCJJBMJ")
    assert [promise[:8] for promise in promises] == ["4492a98d", "8ca1436a", "79c8308a"]

    async def short_codes() -> str:
        registry = open_hall(seed=bytes(32), code_letters=1)
        return "".join(registry.open(Options()).table.view.code for _ in range(20))

    assert in_virtual_time(short_codes()) == "BTXKVFMWGQNLSDZHRJPC"


def test_tables_of_one_seed_differ() -> None:
    """Each table of a seeded server has cards of its own."""
    assert len({cards for _, _, cards in in_virtual_time(codes_and_deals(bytes(32)))}) == 3


def test_another_seed_makes_other_cards() -> None:
    """Codes, commitments and cards all follow from the seed."""
    first, second = (in_virtual_time(codes_and_deals(bytes([n]) * 32)) for n in (1, 2))
    assert all(a != b for a, b in zip(first, second, strict=True))


def test_without_a_seed_nothing_repeats() -> None:
    """A server without a seed deals what nobody can foretell."""
    first, second = (in_virtual_time(codes_and_deals(None), secret=secrets.token_bytes) for _ in range(2))
    assert not {cards for _, _, cards in first} & {cards for _, _, cards in second}


@pure("replaces a method")
@pytest.mark.parametrize("seed", [None, bytes(32)])
@virtual
async def test_the_hands_of_a_server_without_a_seed_follow_from_nothing(
    monkeypatch: pytest.MonkeyPatch, seed: bytes | None
) -> None:
    """Whoever knew what a table's code and bots are drawn from would not know its cards."""
    monkeypatch.setattr(Registry, "_seed", lambda *_: bytes(32))

    registry = open_hall(seed=seed)
    room = registry.open(Options())
    seat, conn = seat_at(room, "Ann")
    await say(room, conn, seat, cl.Start(counter=1))
    view = room.table.view
    follows = commitment(next(hand_seeds(bytes(32))), view.hand_id)
    assert view.hand_id != ""
    assert (follows == view.commitment) is (seed is not None)
    registry.close()
