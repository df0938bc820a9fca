"""All players of a server and their devices: who may prove to be whom, and change what. Pure.

Times are milliseconds since 1970, and randomness is an argument. Few steps go through all players.
"""

import hmac
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.player_proof import player_proof

ID_LETTERS: Final = "23456789abcdefghjkmnpqrstvwxyz"
"""The letters of a player's id: none is taken for another, and they form few words."""
ID_LENGTH: Final = 8
CODE_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
CODE_LENGTH: Final = 6
CODE_MS: Final = 120_000
"""How long a code for another device is valid."""
MAX_WRONG_CODES: Final = 5
"""So many wrong codes for a name end the codes of that name, whoever tried them."""
TRIAL_MS: Final = 7 * 24 * 3_600_000
"""How long a device that was linked may change nothing."""
MAX_DEVICES: Final = 16
"""The most devices of a player."""
MAX_PLAYERS: Final = 20_000
"""The most players. For another one, whoever never took a seat and was away longest is forgotten."""
MAX_LABEL: Final = 40

UNKNOWN: Final = "This server does not know you on this device."
WRONG_CODE: Final = (
    "That name and code do not belong together, or the code is no longer valid. Ask for a new one."
)
ON_TRIAL: Final = "A device that was linked less than seven days ago cannot do that."


@dataclass(slots=True)
class Device:
    """A device of a player.

    Attributes:
        number: its number.
        player: the player's id.
        key: the hash of its secret, which proves who uses it.
        label: what it is called.
        added_ms: when it was added.
        seen_ms: when it was last seen.
        is_linked: whether it was added by a code, and not with its player.

    """

    number: int
    player: str
    key: bytes = field(repr=False)
    label: str
    added_ms: int
    seen_ms: int
    is_linked: bool

    def is_on_trial(self, at_ms: int) -> bool:
        """Return whether it may change nothing yet."""
        return self.is_linked and at_ms - self.added_ms < TRIAL_MS


@dataclass(slots=True)
class Player:
    """A player.

    Attributes:
        id: what everybody may know.
        name: the name that was used last.
        created_ms: when the player was created.
        seen_ms: when the player was last seen.
        has_played: whether the player ever took a seat.
        merged_into: the player whose results these are now; empty if nobody's.

    """

    id: str
    name: str
    created_ms: int
    seen_ms: int
    has_played: bool = False
    merged_into: str = ""


class LinkCode(NamedTuple):
    """A code for another device of a player, valid until a time."""

    code: str
    until_ms: int


class ChallengeFacts(NamedTuple):
    """What a proof must be made of, besides the device's secret: see :func:`player_proof`."""

    server: str
    nonce: str
    host: str


class Directory:
    """The players of a server.

    Args:
        players: those that are kept.
        devices: their devices.

    """

    def __init__(self, players: Iterable[Player] = (), devices: Iterable[Device] = ()) -> None:
        self._players = {player.id: player for player in players}
        self._devices: dict[int, Device] = {}
        self._of_players: dict[str, list[Device]] = {}
        self._keys: set[bytes] = set()
        for device in devices:
            self._put(device)
        self._codes: dict[str, LinkCode] = {}
        self._wrong: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._players)

    def __iter__(self) -> Iterator[Player]:
        return iter(self._players.values())

    def player(self, player: str) -> Player | None:
        """Return a player; ``None`` if there is none."""
        return self._players.get(player)

    def canonical(self, player: str) -> str:
        """Return whose results a player's are: those of another whom the player was merged into."""
        for _ in range(MAX_DEVICES):
            known = self._players.get(player)
            if known is None or not known.merged_into:
                break
            player = known.merged_into
        return player

    def devices(self, player: str) -> list[Device]:
        """Return a player's devices, in the order in which they came to the player."""
        return list(self._of_players.get(player, ()))

    def knows(self, device: Device) -> bool:
        """Return whether a device was not removed, nor forgotten with its player."""
        return self._devices.get(device.number) is device

    # Becoming known.

    def enroll(
        self, name: str, key: bytes, label: str, at_ms: int, randomness: bytes
    ) -> tuple[Player, Device]:
        """Create a player with a first device.

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
        if len(self._players) >= MAX_PLAYERS:
            text = "This server remembers as many players as it can. You can play as a guest."
            raise CommandRefused(Reason.SERVER_FULL, text)
        player = Player(_letters(randomness, ID_LETTERS, ID_LENGTH), name, at_ms, at_ms)
        if player.id in self._players:
            raise CommandRefused(Reason.NOT_NOW, "That did not work. Try again.")
        self._players[player.id] = player
        return player, self._add(player, key, label, at_ms, is_linked=False)

    def to_make_room(self) -> str:
        """Return who is to be forgotten before another one enrolls; empty for nobody."""
        if len(self._players) < MAX_PLAYERS:
            return ""
        idle = (player for player in self._players.values() if not player.has_played)
        found = min(idle, key=lambda player: player.seen_ms, default=None)
        return "" if found is None else found.id

    def identify(self, player: str, number: int, proof: str, challenge: ChallengeFacts) -> Device:
        """Return the device whose proof answers a challenge.

        Raises:
            CommandRefused: it is not a player's.

        """
        device = self._devices.get(number)
        key = bytes(32) if device is None else device.key
        expected = player_proof(key, *challenge, player, number)
        if (
            not hmac.compare_digest(expected, proof)
            or device is None
            or device.player != self.canonical(player)
        ):
            raise CommandRefused(Reason.BAD_TOKEN, UNKNOWN)
        return device

    def link(self, name: str, code: str, key: bytes, label: str, at_ms: int) -> Device:
        """Add a device to a player, by the name and a code that another device shows.

        Raises:
            CommandRefused: the name or the code is wrong, or the player has too many devices.

        """
        self._verify_new(key)
        folded, code = _folded(name), code.strip().upper()
        namesakes = [player for player in self._codes if _folded(self._players[player].name) == folded]
        for player in namesakes:
            kept = self._codes[player]
            if at_ms >= kept.until_ms:
                del self._codes[player]
            elif hmac.compare_digest(kept.code.encode(), code.encode()):
                if len(self.devices(player)) >= MAX_DEVICES:
                    text = "This player has as many devices as can be. Remove one first."
                    raise CommandRefused(Reason.NOT_NOW, text)
                del self._codes[player]
                return self._add(self._players[player], key, label, at_ms, is_linked=True)
        for player in self._codes.keys() & set(namesakes):
            self._wrong[player] = self._wrong.get(player, 0) + 1
            if self._wrong[player] >= MAX_WRONG_CODES:
                del self._codes[player]
        raise CommandRefused(Reason.BAD_TOKEN, WRONG_CODE)

    # What a device may do.

    def new_code(self, by: Device, at_ms: int, randomness: bytes) -> LinkCode:
        """Return a code for another device of the player, in place of an earlier one.

        Raises:
            CommandRefused: the device was linked too recently.

        """
        self._verify_trusted(by, at_ms)
        code = LinkCode(_letters(randomness, CODE_LETTERS, CODE_LENGTH), at_ms + CODE_MS)
        self._codes[by.player] = code
        self._wrong.pop(by.player, None)
        return code

    def remove(self, by: Device, number: int, at_ms: int) -> Device:
        """Remove a device of the player, and return it.

        Raises:
            CommandRefused: it is not the player's, or the device that asks was linked too recently.

        """
        device = self._devices.get(number)
        if device is None or device.player != by.player:
            raise CommandRefused(Reason.NOT_NOW, "There is no such device.")
        if device is not by:
            self._verify_trusted(by, at_ms)
        self._codes.pop(by.player, None)
        self._drop(device)
        return device

    def rename(self, by: Device, name: str, at_ms: int) -> Player:
        """Change the player's name.

        Raises:
            CommandRefused: the device was linked too recently.

        """
        self._verify_trusted(by, at_ms)
        player = self._players[by.player]
        player.name = name
        return player

    def see(self, device: Device, at_ms: int, *, plays: bool = False) -> Player:
        """Record that a device was seen, and perhaps that its player took a seat."""
        player = self._players[device.player]
        device.seen_ms = player.seen_ms = at_ms
        player.has_played = player.has_played or plays
        return player

    # What an operator may do.

    def merge(self, player: str, into: str) -> Player:
        """Let one player's devices and results be another's.

        Raises:
            CommandRefused: one of them is not known, or they are the same.

        """
        merged, target = self._players.get(player), self._players.get(self.canonical(into))
        if merged is None or target is None or self.canonical(player) == target.id:
            raise CommandRefused(Reason.NOT_NOW, "Name two different players whom this server knows.")
        merged.merged_into = target.id
        for device in self.devices(player):
            self._drop(device)
            device.player = target.id
            self._put(device)
        self._codes.pop(player, None)
        return merged

    def forget(self, player: str) -> list[Device]:
        """Forget a player, and return the devices that are forgotten, too."""
        devices = self.devices(player)
        for device in devices:
            self._drop(device)
        self._players.pop(player, None)
        self._codes.pop(player, None)
        return devices

    def merged_into(self, player: str) -> list[str]:
        """Return the players whose results are this one's."""
        return [each for each in self._players if each != player and self.canonical(each) == player]

    def _add(self, player: Player, key: bytes, label: str, at_ms: int, *, is_linked: bool) -> Device:
        number = max(self._devices, default=0) + 1
        device = Device(number, player.id, key, label[:MAX_LABEL], at_ms, at_ms, is_linked)
        self._put(device)
        return device

    def _put(self, device: Device) -> None:
        self._devices[device.number] = device
        self._of_players.setdefault(device.player, []).append(device)
        self._keys.add(device.key)

    def _drop(self, device: Device) -> None:
        del self._devices[device.number]
        self._keys.discard(device.key)
        own = self._of_players[device.player]
        own.remove(device)
        if not own:
            del self._of_players[device.player]

    def _verify_new(self, key: bytes) -> None:
        if key in self._keys:
            raise CommandRefused(Reason.NOT_NOW, "That secret is in use already. Make a new one.")

    @staticmethod
    def _verify_trusted(device: Device, at_ms: int) -> None:
        if device.is_on_trial(at_ms):
            raise CommandRefused(Reason.NOT_NOW, ON_TRIAL)


def _letters(randomness: bytes, letters: str, length: int) -> str:
    """Return letters chosen by randomness of at least 16 bytes."""
    number, chosen = int.from_bytes(randomness, "big"), ""
    for _ in range(length):
        number, at = divmod(number, len(letters))
        chosen += letters[at]
    return chosen


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold().strip()
