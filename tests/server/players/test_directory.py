"""Who may prove to be whom, and change what: every way that a stranger could take."""

import asyncio
import contextlib
from pathlib import Path
from typing import Final

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.player_proof import ProofFacts, older_proof, player_proof, secret_hash
from racing_demon_server.players.directory import (
    CODE_MS,
    KNOWN_MS,
    MAX_WRONG_CODES,
    ChallengeFacts,
    Directory,
    Guess,
)
from racing_demon_server.players.file import PlayersFile
from racing_demon_server.players.keeper import PlayersKeeper
from racing_demon_server.players.store import TRIAL_MS, Device, Linked
from tests.support.cases import for_each

NOW: Final = 1_796_000_000_000
SECRETS: Final = [f"{number:064x}" for number in range(20)]
KEYS: Final = [secret_hash(secret) for secret in SECRETS]
HERE: Final = ChallengeFacts("5e" * 32, "0c" * 32, ("ws://cards.example:5252",))
HOME: Final = ""
STRANGER: Final = "203.0.113.7"


def randomness(number: int) -> bytes:
    """Return 16 bytes that differ from number to number."""
    return number.to_bytes(16, "big")


def with_ann() -> tuple[Directory, Device]:
    """Return players with Ann and her phone."""
    directory = Directory(PlayersFile(None, "5e" * 32))
    _, phone = directory.enroll("Ann", KEYS[0], "phone", NOW, randomness(7))
    return directory, phone


def proof_of(device: Device, challenge: ChallengeFacts = HERE) -> str:
    """Return what the device answers to a challenge."""
    return player_proof(SECRETS[KEYS.index(device.key)], facts_of(device, challenge))


def facts_of(device: Device, challenge: ChallengeFacts = HERE) -> ProofFacts:
    """Return what a device's proof is good for."""
    server, nonce, (address,) = challenge
    return ProofFacts(server, nonce, address, device.player, device.number)


def linked(directory: Directory, phone: Device) -> Device:
    """Return another device of the player, linked now."""
    code = directory.new_code(phone, NOW, randomness(1234))
    return directory.link(Guess("ann", code.lower(), HOME), KEYS[1], "tablet", NOW)


@pytest.mark.long
def test_no_file_names_who_was_forgotten(tmp_path: Path) -> None:
    """Neither the file nor its log has bytes of a forgotten name, while another process has it open."""
    path = tmp_path / "players.sqlite"
    first, second = (PlayersFile(path, "5e" * 32) for _ in range(2))
    with contextlib.closing(first) as kept, contextlib.closing(second):
        directory = Directory(kept)
        for number in range(200):
            key = secret_hash(f"{number:064x}")
            scattered = (number * 7_919).to_bytes(16, "little")
            player, _ = directory.enroll(f"Annabel{number:04}", key, "a phone", NOW, scattered)
            directory.forget(player.id)
        kept.tidy()
        assert not [each.name for each in tmp_path.iterdir() if b"Annabel" in each.read_bytes()]


async def test_changes_that_come_together_wait_for_each_other(tmp_path: Path) -> None:
    """The store is used by one at a time."""
    store = PlayersFile(tmp_path / "players.sqlite", "5e" * 32)
    keeper = PlayersKeeper(store, "journal", is_suggested=True)
    try:
        codes = await asyncio.gather(*(keeper.end_code("nobody") for _ in range(1_000)))
    finally:
        await keeper.close()
    assert codes == [False] * 1_000


def test_a_device_proves_its_player() -> None:
    """The proof of the right secret is accepted."""
    directory, phone = with_ann()
    assert directory.identify(phone.player, phone.number, proof_of(phone), HERE) == phone


@for_each(
    "other",
    [
        HERE._replace(server="5f" * 32),
        HERE._replace(nonce="0d" * 32),
        HERE._replace(addresses=("ws://evil.example:5252",)),
        HERE._replace(addresses=("wss://cards.example:5252",)),
    ],
    ids=["of another server", "overheard before", "for another address", "for another scheme"],
)
def test_a_proof_is_good_for_one_challenge(other: ChallengeFacts) -> None:
    """What was said elsewhere, or before, or to a server at another address, proves nothing here."""
    directory, phone = with_ann()
    with pytest.raises(CommandRefused) as refused:
        directory.identify(phone.player, phone.number, proof_of(phone, other), HERE)
    assert refused.value.reason is Reason.BAD_TOKEN


def test_a_proof_is_good_for_one_player_and_device() -> None:
    """A device cannot prove to be another's, nor one that does not exist."""
    directory, phone = with_ann()
    bob, _ = directory.enroll("Bob", KEYS[2], "phone", NOW, randomness(99))
    as_bob, elsewhere = phone._replace(player=bob.id), phone._replace(player=bob.id, number=17)
    for player, number, proof in (
        (bob.id, phone.number, proof_of(as_bob)),
        (bob.id, elsewhere.number, proof_of(elsewhere)),
    ):
        with pytest.raises(CommandRefused):
            directory.identify(player, number, proof, HERE)


def test_what_the_server_keeps_proves_nothing() -> None:
    """Whoever has read it makes no proof of it: not as if it were the secret, nor as in older versions."""
    directory, phone = with_ann()
    facts, kept = facts_of(phone), phone.key.hex()
    for proof in (player_proof(kept, facts), older_proof(kept, facts), older_proof(SECRETS[0], facts), kept):
        with pytest.raises(CommandRefused) as refused:
            directory.identify(phone.player, phone.number, proof, HERE)
        assert refused.value.reason is Reason.BAD_TOKEN


def test_a_code_links_one_device_and_ends() -> None:
    """The code of a known device works once, for its player's name, and for two minutes."""
    directory, phone = with_ann()
    tablet = linked(directory, phone)
    assert tablet.player == phone.player
    code = directory.new_code(phone, NOW, randomness(5))
    with pytest.raises(CommandRefused):
        directory.link(Guess("Bob", code, HOME), KEYS[3], "", NOW)
    with pytest.raises(CommandRefused):
        directory.link(Guess("Ann", code, HOME), KEYS[3], "", NOW + CODE_MS)
    code = directory.new_code(phone, NOW, randomness(6))
    directory.link(Guess("Ann", code, HOME), KEYS[3], "", NOW)
    with pytest.raises(CommandRefused):
        directory.link(Guess("Ann", code, HOME), KEYS[4], "", NOW)


def test_an_operators_code_links_a_player_without_devices() -> None:
    """Who has lost all devices, and was merged besides, is let in by the operator, on trial."""
    directory, phone = with_ann()
    annie, laptop = directory.enroll("Annie", KEYS[2], "", NOW, randomness(99))
    directory.merge(annie.id, phone.player)
    directory.remove(phone, laptop.number, NOW)
    directory.remove(phone, phone.number, NOW)
    confirmed = directory.confirm(annie.id, NOW, randomness(6))
    assert confirmed is not None
    tablet = directory.link(Guess("Ann", confirmed[1].code, HOME), KEYS[3], "tablet", NOW)
    assert (confirmed[0].id, tablet.player) == (phone.player, phone.player)
    with pytest.raises(CommandRefused, match="seven days"):
        directory.new_code(tablet, NOW, randomness(8))
    assert directory.confirm("nobody", NOW, randomness(9)) is None


def test_wrong_codes_end_a_code_for_their_address_alone() -> None:
    """After some wrong codes an address is refused the right one, too; a new code, and others, are not."""
    directory, phone = with_ann()
    code = directory.new_code(phone, NOW, randomness(5))
    for _ in range(MAX_WRONG_CODES):
        with pytest.raises(CommandRefused):
            directory.link(Guess("Ann", "BBBBBB", STRANGER), KEYS[3], "", NOW)
    with pytest.raises(CommandRefused):
        directory.link(Guess("Ann", code, STRANGER), KEYS[3], "", NOW)
    assert directory.link(Guess("Ann", code, HOME), KEYS[1], "", NOW).player == phone.player
    code = directory.new_code(phone, NOW, randomness(6))
    assert directory.link(Guess("Ann", code, STRANGER), KEYS[3], "", NOW).player == phone.player


def test_a_linked_device_changes_nothing_for_seven_days() -> None:
    """Whoever got a code by a trick can't lock the player out; the older device removes the new one."""
    directory, phone = with_ann()
    tablet = linked(directory, phone)
    for change in (
        lambda at: directory.rename(tablet, "Eve", at),
        lambda at: directory.new_code(tablet, at, randomness(8)),
        lambda at: directory.remove(tablet, phone.number, at),
    ):
        with pytest.raises(CommandRefused, match="seven days"):
            change(NOW + TRIAL_MS - 1)
    directory.rename(tablet, "Anna", NOW + TRIAL_MS)
    assert directory.player_of(phone).name == "Anna"
    directory.remove(phone, tablet.number, NOW)
    with pytest.raises(CommandRefused):
        directory.identify(tablet.player, tablet.number, proof_of(tablet), HERE)


def test_a_linked_device_decides_about_no_other_until_it_is_trusted() -> None:
    """Not after its trial either, and not about itself; then another device, or the operator, trusts it."""
    directory, phone = with_ann()
    tablet = linked(directory, phone)
    later = NOW + 2 * TRIAL_MS
    for decide, number in (
        (directory.trust, phone.number),
        (directory.trust, tablet.number),
        (directory.remove, phone.number),
    ):
        with pytest.raises(CommandRefused, match="trusts it"):
            decide(tablet, number, later)
    assert not tablet.is_trusted(later)
    assert directory.trust_device(phone.player, tablet.number)
    trusted = directory.current(tablet)
    assert trusted is not None
    directory.remove(trusted, phone.number, NOW)
    assert not directory.trust_device(phone.player, phone.number)


def test_a_device_of_an_earlier_version_is_trusted_after_its_trial() -> None:
    """What was linked when seven days were enough goes on as before."""
    tablet = with_ann()[1]._replace(linked=Linked.BEFORE)
    assert (tablet.is_trusted(NOW + TRIAL_MS - 1), tablet.is_trusted(NOW + TRIAL_MS)) == (False, True)


def test_nobody_removes_anothers_device() -> None:
    """A device is removed by its own player alone."""
    directory, phone = with_ann()
    _, bobs = directory.enroll("Bob", KEYS[2], "phone", NOW, randomness(99))
    with pytest.raises(CommandRefused, match="no such device"):
        directory.remove(bobs, phone.number, NOW)


def test_a_secret_is_one_devices() -> None:
    """A secret that the server has seen is refused, so that nobody chooses somebody else's."""
    directory, _ = with_ann()
    with pytest.raises(CommandRefused, match="in use"):
        directory.enroll("Eve", KEYS[0], "", NOW, randomness(50))


def test_merged_players_are_one() -> None:
    """After an operator has merged two players, devices and results of both are one's, in no circle."""
    store = PlayersFile(None, "5e" * 32)
    directory = Directory(store)
    _, phone = directory.enroll("Ann", KEYS[0], "phone", NOW, randomness(7))
    anna, tablet = directory.enroll("Anna", KEYS[2], "tablet", NOW, randomness(99))
    directory.merge(anna.id, phone.player)
    assert directory.canonical(anna.id) == phone.player
    assert {device.number for device in store.devices(phone.player)} == {phone.number, tablet.number}
    with pytest.raises(CommandRefused, match="different players"):
        directory.merge(phone.player, anna.id)


def test_who_played_with_nobody_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of too many players those are forgotten who took a seat at most; not who was merged with a player."""
    store = PlayersFile(None, "5e" * 32)
    directory = Directory(store)
    devices = [
        directory.enroll(name, KEYS[number], "", NOW + number, randomness(1_000 * number))[1]
        for number, name in enumerate(("Ann", "Ben", "Anna", "Eve", "Eva"))
    ]
    ann, ben, anna, eve, eva = (device.player for device in devices)
    directory.finish_hand([ann, ben], NOW)
    directory.merge(ben, anna)
    for device in devices[3:]:
        directory.take_seat(device, "Eve", NOW + 10)
        directory.finish_hand([device.player], NOW)
    monkeypatch.setattr("racing_demon_server.players.directory.MAX_PLAYERS", 5)
    for number in (11, 12):
        directory.enroll("Zoe", KEYS[number], "", NOW + number, randomness(1_000 * number))
    assert [store.player(each) is None for each in (ann, ben, anna, eve, eva)] == [False] * 3 + [True] * 2


def test_new_names_vouch_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two who play with each other make room after those who have not; with somebody known they stay."""
    store = PlayersFile(None, "5e" * 32)
    directory = Directory(store)

    def enroll(number: int, at_ms: int) -> str:
        return directory.enroll("P", KEYS[number], "", at_ms, randomness(1_000 * number))[0].id

    ann, ben = enroll(0, NOW), enroll(1, NOW)
    later = NOW + KNOWN_MS
    directory.finish_hand([ann, ben], later)  # a week later: both are known
    cay = enroll(2, later)
    directory.finish_hand([ann, cay], later)
    eve, eva, dan = (enroll(number, later + number) for number in (3, 4, 5))
    directory.finish_hand([eve, eva], later + 9)
    monkeypatch.setattr("racing_demon_server.players.directory.MAX_PLAYERS", 6)
    gone: list[str] = []
    for number in (6, 7, 8):
        new = enroll(number, later + number)
        directory.finish_hand([new, eva], later + 10)
        gone += [each for each in (ann, ben, cay, dan, eve, eva) if store.player(each) is None]
    assert gone == [dan, dan, eve, dan, eve, eva]


def test_an_operators_code_ends_the_one_before() -> None:
    """Whoever still looks at that one ends nothing but it."""
    directory, phone = with_ann()

    def new_code(number: int) -> str:
        confirmed = directory.confirm(phone.player, NOW, randomness(number))
        assert confirmed is not None
        return confirmed[1].code

    first, second = new_code(6), new_code(7)
    directory.end_code(phone.player, first)
    with pytest.raises(CommandRefused):
        directory.link(Guess("Ann", first, HOME), KEYS[3], "", NOW)
    directory.link(Guess("Ann", second, HOME), KEYS[3], "", NOW)
