"""The rules for players and their devices: who may prove to be whom, and change what.

Everything is in the store, which several processes or servers may share, and nothing is remembered here: each
call belongs into a transaction of the store. What was written before a refusal counts, too. Times are
milliseconds since 1970, and randomness is an argument.
"""

import hashlib
import hmac
from collections.abc import Collection
from dataclasses import replace
from typing import Final, NamedTuple

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.player_proof import ProofFacts, is_proven

from .store import Company, Device, LinkCode, Linked, Player, PlayersStore, folded

ID_LETTERS: Final = "23456789abcdefghjkmnpqrstvwxyz"
"""The letters of a player's id: none is taken for another, and they form few words."""
ID_LENGTH: Final = 8
CODE_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
CODE_LENGTH: Final = 6
CODE_MS: Final = 120_000
"""How long a code for another device is valid."""
MAX_WRONG_CODES: Final = 5
"""After so many wrong codes for a name from one address, that address cannot use the codes of that name."""
MAX_GUESSERS: Final = 10_000
"""The most codes and addresses for which wrong codes are counted."""
MAX_DEVICES: Final = 16
"""The most devices of a player."""
MAX_PLAYERS: Final = 20_000
"""The most players. For another one, one is forgotten: who was away longest of those who are not known."""
KNOWN_MS: Final = 7 * 24 * 3_600_000
"""How long players have been here who become known by playing with each other."""
MAX_LABEL: Final = 40
SEEN_MS: Final = 3_600_000
"""How much older than now the time may be when a device was last seen: it is not written each time."""
MAC_SIZE: Final = 20
SAID_LENGTH: Final = 24
TOKEN_LENGTH: Final = SAID_LENGTH + 2 * MAC_SIZE
"""Hexadecimal digits of a token: a device's number, the second when it was made, and a MAC."""
HEXADECIMAL: Final = frozenset("0123456789abcdef")
MAX_NUMBER: Final = 2**63

UNKNOWN: Final = "This server does not know you on this device."
WRONG_PROOF: Final = (
    "The server does not believe that: the proof is for another address (http and https are two), or made "
    "with another secret."
)
WRONG_CODE: Final = (
    "That name and code do not belong together, or the code is no longer valid. Ask for a new one."
)
ON_TRIAL: Final = (
    "A device that was linked less than seven days ago cannot do that, unless an older one lets it."
)
UNTRUSTED: Final = "This device decides about others once one of them, or whoever runs the server, trusts it."


SIGNED_IN: Final = "\x01"
"""Begins what a device is called by which the directory knows somebody who signs in at a proxy; no client can
say that."""


class SignedIn(str):
    """What a trusted proxy says of who has signed in there, such as a user's name."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The user's name as people read it: a header has a letter for each byte, mostly of UTF-8."""
        try:
            return self.encode("latin-1").decode()
        except UnicodeError:
            return str(self)


class TokenUse(NamedTuple):
    """What a token is for.

    Attributes:
        label: keeps it apart from everything else that is signed.
        valid_ms: how long it is valid.

    """

    label: bytes
    valid_ms: int


FOR_HTTP: Final = TokenUse(b"racing-demon token 2\n", 7 * 24 * 3_600_000)
"""Tokens that clients send with requests over HTTP."""
FOR_SERVERS: Final = TokenUse(b"racing-demon handover 2\n", 60_000)
"""Tokens by which servers with the same store tell each other who uses a connection. No client has one."""


class ChallengeFacts(NamedTuple):
    """What a proof must be good for: see :class:`~racing_demon_protocol.wire.player_proof.ProofFacts`.

    Attributes:
        server: the server's name for itself.
        nonce: the challenge's.
        addresses: those that the client may have dialled, with their schemes.

    """

    server: str
    nonce: str
    addresses: tuple[str, ...]


class Guess(NamedTuple):
    """What a client knows, or guesses, of a player of whom its device shall be.

    Attributes:
        name: the player's name.
        code: the code that another device shows.
        address: where the client comes from, which alone pays for wrong codes.

    """

    name: str
    code: str
    address: str


class Directory:
    """The players of a server.

    Args:
        store: keeps them.

    """

    def __init__(self, store: PlayersStore) -> None:
        self._store = store

    def canonical(self, player: str) -> str:
        """Return whose results a player's are: those of another whom the player was merged into."""
        for _ in range(MAX_DEVICES):
            known = self._store.player(player)
            if known is None or not known.merged_into:
                break
            player = known.merged_into
        return player

    def current(self, device: Device) -> Device | None:
        """Return a device as it is now; ``None`` if it was removed, or forgotten with its player."""
        now = self._store.device(device.number)
        return now if now is not None and now.key == device.key else None

    def player_of(self, device: Device) -> Player:
        """Return the player of a device that is known."""
        player = self._store.player(device.player)
        assert player is not None
        return player

    # Becoming known.

    def enroll(
        self, name: str, key: bytes, label: str, at_ms: int, randomness: bytes
    ) -> tuple[Player, Device]:
        """Create a player with a first device. Where there are too many, an idle one is forgotten for it.

        Args:
            name: the player's name.
            key: the hash of the device's secret.
            label: what the device is called.
            at_ms: the time.
            randomness: 16 random bytes.

        Raises:
            CommandRefused: no more players can be remembered, or the secret is another device's.

        """
        self._verify_new(key)
        if self._store.count() >= MAX_PLAYERS:
            idle = self._store.idle()
            if idle is None:
                text = "This server remembers as many players as it can. You can play as a guest."
                raise CommandRefused(Reason.SERVER_FULL, text)
            self.forget(idle)
        player = Player(_letters(randomness, ID_LETTERS, ID_LENGTH), name, at_ms, at_ms)
        if self._store.player(player.id) is not None:
            raise CommandRefused(Reason.NOT_NOW, "That did not work. Try again.")
        self._store.save_player(player)
        return player, self._store.add_device(player.id, key, label[:MAX_LABEL], at_ms, Linked.NO)

    def sign_in(self, who: SignedIn, name: str, at_ms: int, randomness: bytes) -> Device:
        """Return the device of somebody who has signed in at a trusted proxy; at first with a new player.

        Args:
            who: what the proxy says.
            name: the name of a new player.
            at_ms: the time.
            randomness: 48 random bytes.

        Raises:
            CommandRefused: no more players can be remembered.

        """
        device, (label, *_) = self.signed_in(who), self._labels(who)
        if device is None:
            # Its key is nobody's secret, so that only the proxy's word makes somebody this player.
            _, device = self.enroll(name, randomness[16:], label, at_ms, randomness[:16])
        elif device.label != label:
            device = self._store.call_device(device, label)
        self.see(device, at_ms)
        return device

    def signed_in(self, who: SignedIn) -> Device | None:
        """Return the device of somebody who has signed in before; ``None`` for somebody new."""
        found = map(self._store.device_called, self._labels(who))
        return next((device for device in found if device is not None), None)

    def _labels(self, who: SignedIn) -> list[str]:
        """Return what the device of somebody may be called who has signed in, first how new ones are."""
        marks = self._store.user_marks(who.encode())
        return [SIGNED_IN + mark.hex()[: MAX_LABEL - len(SIGNED_IN)] for mark in marks]

    def identify(self, player: str, number: int, proof: str, challenge: ChallengeFacts) -> Device:
        """Return the device whose proof answers a challenge.

        Raises:
            CommandRefused: the proof is wrong, or nobody knows the device, which may be forgotten then.

        """
        device = self._store.device(number)
        if device is None or device.player != self.canonical(player):
            raise CommandRefused(Reason.UNKNOWN_PLAYER, UNKNOWN)
        server, nonce, addresses = challenge
        facts = [ProofFacts(server, nonce, each, player, number) for each in addresses]
        if not any([is_proven(device.key, proof, each) for each in facts]):  # noqa: C419 - all take the same time
            raise CommandRefused(Reason.BAD_TOKEN, WRONG_PROOF)
        return device

    def link(self, guess: Guess, key: bytes, label: str, at_ms: int) -> Device:
        """Add a device to a player, by the name and a code that another device shows.

        Args:
            guess: the name, the code, and who sends them.
            key: the hash of the new device's secret.
            label: what the device is called.
            at_ms: the time.

        Raises:
            CommandRefused: the name or the code is wrong, or the player has too many devices.

        """
        self._verify_new(key)
        code, store = guess.code.strip().upper(), self._store
        valid = [
            each
            for each in store.codes(folded(guess.name))
            if at_ms < each.until_ms
            and store.wrong_codes(each.player, _guesser(each, guess.address)) < MAX_WRONG_CODES
        ]
        for each in valid:
            if hmac.compare_digest(each.code.encode(), code.encode()):
                if len(self._store.devices(each.player)) >= MAX_DEVICES:
                    text = "This player has as many devices as can be. Remove one first."
                    raise CommandRefused(Reason.NOT_NOW, text)
                self._store.remove_code(each.player)
                return self._store.add_device(each.player, key, label[:MAX_LABEL], at_ms, Linked.YES)
        for each in valid:
            store.add_wrong_code(each.player, _guesser(each, guess.address), MAX_GUESSERS)
        raise CommandRefused(Reason.BAD_TOKEN, WRONG_CODE)

    # What a device may do.

    def new_code(self, by: Device, at_ms: int, randomness: bytes) -> str:
        """Return a code for another device of the player, in place of an earlier one.

        Raises:
            CommandRefused: the device was linked too recently.

        """
        self._verify_trusted(by, at_ms)
        return self._code_for(self.player_of(by), at_ms, randomness).code

    def remove(self, by: Device, number: int, at_ms: int) -> None:
        """Remove a device of the player.

        Raises:
            CommandRefused: it is not the player's, or nobody trusts the device that asks.

        """
        device = self._store.device(number)
        if device is None or device.player != by.player:
            raise CommandRefused(Reason.NOT_NOW, "There is no such device.")
        if number != by.number:
            self._verify_decides(by, at_ms)
        self._store.remove_code(by.player)
        self._store.remove_device(device)

    def trust(self, by: Device, number: int, at_ms: int) -> None:
        """Let a device of the player that was linked see and change things as the one that asks.

        Raises:
            CommandRefused: it is not the player's, or nobody trusts the device that asks.

        """
        self._verify_decides(by, at_ms)
        if not self.trust_device(by.player, number):
            raise CommandRefused(Reason.NOT_NOW, "There is no such device.")

    def rename(self, by: Device, name: str, at_ms: int) -> None:
        """Change the player's name.

        Raises:
            CommandRefused: the device was linked too recently.

        """
        self._verify_trusted(by, at_ms)
        self.set_name(by.player, name)

    def forget_me(self, by: Device, at_ms: int) -> None:
        """Forget the player of a device for good.

        Raises:
            CommandRefused: nobody trusts the device that asks.

        """
        self._verify_decides(by, at_ms)
        self.forget(by.player)

    def see(self, device: Device, at_ms: int) -> None:
        """Record that a device was seen; not each time."""
        self._store.seal_anew(device)
        if at_ms - device.seen_ms >= SEEN_MS:
            self._store.save_player(replace(self.player_of(device), seen_ms=at_ms))
            self._store.save_device(device._replace(seen_ms=at_ms))

    def take_seat(self, device: Device, name: str, at_ms: int, first_name: str = "") -> None:
        """Record that the player of a device took a seat. It changes no name that somebody has chosen.

        Args:
            device: the device.
            name: the name at the table.
            at_ms: the time.
            first_name: what a proxy calls somebody who has signed in there, until the first seat.

        """
        player = replace(self.player_of(device), seen_ms=at_ms)
        is_nameless = first_name != "" and player.name == first_name
        self._store.save_player(replace(player, name=name) if is_nameless else player)

    def finish_hand(self, players: Collection[str], at_ms: int) -> None:
        """Record that players have finished a hand together. Guests and bots are not among them.

        Whoever plays with somebody known is known. New names that play with each other vouch for nobody:
        otherwise a stranger's would take the place of all others for good. The first ones become known when
        they play together and have all been here for a week.
        """
        found = [self._store.player(each) for each in {self.canonical(each) for each in players}]
        together = [each for each in found if each is not None]
        if len(together) < 2:
            return
        old = [each for each in together if at_ms - each.created_ms >= KNOWN_MS]
        if any(each.has_played is Company.KNOWN for each in together):
            known = together
        else:
            known = old if len(old) > 1 else []
        for player in together:
            level = Company.KNOWN if player in known else max(player.has_played, Company.TOGETHER)
            if level != player.has_played:
                self._store.save_player(replace(player, has_played=level))

    # Tokens.

    def token(self, device: Device, at_ms: int, use: TokenUse) -> str:
        """Return a token that identifies a device at any server with the same store."""
        said = device.number.to_bytes(8) + (at_ms // 1_000).to_bytes(4)
        return (said + _mac_of(self._store.token_keys[0], device.key, said, use)).hex()

    def of_token(self, token: str, at_ms: int, use: TokenUse) -> Device | None:
        """Return the device of a token; ``None`` if it is none, is too old, or its device was removed."""
        if len(token) != TOKEN_LENGTH or not set(token) <= HEXADECIMAL:
            return None
        said, mac = bytes.fromhex(token[:SAID_LENGTH]), bytes.fromhex(token[SAID_LENGTH:])
        number, issued_ms = int.from_bytes(said[:8]), int.from_bytes(said[8:]) * 1_000
        device = self._store.device(number) if number < MAX_NUMBER else None
        if device is None or at_ms - issued_ms >= use.valid_ms:
            return None
        expected = [_mac_of(key, device.key, said, use) for key in self._store.token_keys]
        return device if any(hmac.compare_digest(each, mac) for each in expected) else None

    # What an operator may do.

    def confirm(self, player: str, at_ms: int, randomness: bytes) -> tuple[Player, LinkCode] | None:
        """Return a player, and a code for a device whose user the operator believes to be that player.

        An earlier code ends. It is ``None`` if the player is not known.
        """
        known = self._store.player(self.canonical(player))
        if known is None:
            return None
        return known, self._code_for(known, at_ms, randomness)

    def trust_device(self, player: str, number: int) -> bool:
        """Trust a device of a player that was linked; return whether the player has it."""
        device = self._store.device(number)
        if device is None or device.player != self.canonical(player):
            return False
        self._store.save_device(device._replace(linked=Linked.NO))
        return True

    def end_code(self, player: str, code: str = "") -> bool:
        """End the code of a player, or only a certain one; return whether the player is known."""
        known = self._store.player(self.canonical(player))
        if known is None:
            return False
        for each in self._store.codes(folded(known.name)):
            if each.player == known.id and code in {"", each.code}:
                self._store.remove_code(known.id)
        return True

    def merge(self, player: str, into: str) -> None:
        """Let one player's devices and results be another's.

        Raises:
            CommandRefused: one of them is not known, or they are the same.

        """
        merged, target = self._store.player(player), self._store.player(self.canonical(into))
        if merged is None or target is None or self.canonical(player) == target.id:
            raise CommandRefused(Reason.NOT_NOW, "Name two different players whom this server knows.")
        self._store.save_player(replace(merged, merged_into=target.id))
        if merged.has_played > target.has_played:
            self._store.save_player(replace(target, has_played=merged.has_played))
        for device in self._store.devices(player):
            self._store.save_device(device._replace(player=target.id))
        self._store.remove_code(player)

    def undo_device(self, player: str, number: int, randomness: bytes) -> bool:
        """Remove a device that was wrongly taken for a player's, and take from the player what it has played.

        The results of its seats are a former player's from now on. Return whether there was anything to undo.

        Args:
            player: the player.
            number: the device, which may have been removed before.
            randomness: 16 random bytes.

        """
        device = self._store.device(number)
        if device is not None and self.canonical(player) != device.player:
            return False
        since_ms = 0 if device is None else device.added_ms
        own = {each for each in self._store.players_of_seats(number, since_ms) if each}
        own = {each for each in own if self.canonical(each) == self.canonical(player)}
        for each in own:
            self._store.give_seats(number, each, since_ms, _letters(randomness, ID_LETTERS, ID_LENGTH))
        if device is not None:
            self._store.remove_code(device.player)
            self._store.remove_device(device)
        return bool(own) or device is not None

    def split(self, player: str, numbers: Collection[int], at_ms: int, randomness: bytes) -> str | None:
        """Let devices of a player be another one's, with the results of the seats that were taken with them.

        A player who was merged into another one is separate again; without numbers, the devices are meant
        that took seats before. Return who has the devices now; ``None`` if the player is not known.

        Args:
            player: the player.
            numbers: the devices.
            at_ms: the time.
            randomness: 16 random bytes.

        Raises:
            CommandRefused: there are no such devices.

        """
        known, owner = self._store.player(player), self.canonical(player)
        if known is None:
            return None
        found = map(self._store.device, numbers or self._store.devices_of_seats(player))
        devices = [each for each in found if each is not None and each.player == owner]
        if len(devices) < len(numbers) or not (devices or known.merged_into):
            raise CommandRefused(Reason.NOT_NOW, "Name devices that this player has.")
        if known.merged_into:
            other = replace(known, merged_into="", created_ms=at_ms)
        elif numbers:
            id_ = _letters(randomness, ID_LETTERS, ID_LENGTH)
            other = Player(id_, known.name, at_ms, known.seen_ms, Company.KNOWN)
        else:
            raise CommandRefused(Reason.NOT_NOW, "Name devices, or a player who was merged into another one.")
        self._store.save_player(other)
        for device in devices:
            self._store.save_device(device._replace(player=other.id))
            for each in self._store.players_of_seats(device.number, 0):
                if each and self.canonical(each) == owner:
                    self._store.give_seats(device.number, each, 0, other.id)
        self._store.remove_code(owner)
        return other.id

    def set_name(self, player: str, name: str) -> None:
        """Change a player's name."""
        known = self._store.player(player)
        assert known is not None
        self._store.save_player(replace(known, name=name))

    def forget(self, player: str) -> None:
        """Forget a player, those who were merged into it, and all their devices.

        Results keep the ids, and show a former player.
        """
        for each in (*self._store.merged_into(player), player):
            self._store.remove_player(each)

    def clear(self, since_ms: int, *, played: bool) -> int:
        """Forget who was not seen since a time, and return how many that were.

        Args:
            since_ms: the time.
            played: whether also those who finished a hand with another player.

        """
        unseen = self._store.unseen(since_ms, played=played)
        for player in unseen:
            self.forget(player)
        return len(unseen)

    def _code_for(self, player: Player, at_ms: int, randomness: bytes) -> LinkCode:
        letters = _letters(randomness, CODE_LETTERS, CODE_LENGTH)
        code = LinkCode(player.id, folded(player.name), letters, at_ms + CODE_MS)
        self._store.remove_codes(at_ms)
        self._store.save_code(code)
        return code

    def _verify_new(self, key: bytes) -> None:
        if self._store.has_key(key):
            raise CommandRefused(Reason.NOT_NOW, "That secret is in use already. Make a new one.")

    @staticmethod
    def _verify_trusted(device: Device, at_ms: int) -> None:
        if device.is_on_trial(at_ms):
            raise CommandRefused(Reason.NOT_NOW, ON_TRIAL)

    @staticmethod
    def _verify_decides(device: Device, at_ms: int) -> None:
        if not device.is_trusted(at_ms):
            raise CommandRefused(Reason.NOT_NOW, ON_TRIAL if device.is_on_trial(at_ms) else UNTRUSTED)


def _guesser(code: LinkCode, address: str) -> bytes:
    """Return whose wrong codes for a code are counted together; it tells neither the code nor the address."""
    return hashlib.sha256(f"{code.code}\n{address}".encode()).digest()


def _mac_of(key: bytes, device_key: bytes, said: bytes, use: TokenUse) -> bytes:
    """Return what proves that a server has made a token, for the device whose key that is.

    Another device may have the number after that one was removed.
    """
    return hmac.digest(key, use.label + said + device_key, hashlib.sha256)[:MAC_SIZE]


def _letters(randomness: bytes, letters: str, length: int) -> str:
    """Return letters chosen by randomness of at least 16 bytes."""
    number, chosen = int.from_bytes(randomness, "big"), ""
    for _ in range(length):
        number, at = divmod(number, len(letters))
        chosen += letters[at]
    return chosen
