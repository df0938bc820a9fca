"""Who this user is at servers that remember people: a secret for each server and person.

The file is readable by its owner only; secrets are never shown or logged. Only programs write it, and invalid
entries are ignored: whoever is not known is a guest, or becomes known anew.
"""

import json
import secrets
import time
import unicodedata
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from racing_demon_protocol.constants import MAX_NAME_LENGTH
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages.client import Enroll, Identify, Link
from racing_demon_protocol.wire.messages.server import Challenge, Identified, Refused
from racing_demon_protocol.wire.player_proof import ProofFacts, older_proof, player_proof

from .files import read_entries, replace_file, state_folder

MAX_OF_HOST: Final = 100
"""The most people that are kept of one dialled host: a server names as many as it likes."""
MAX_PEOPLE: Final = 1000
MAX_BYTES: Final = 2_000_000
MAX_SAID: Final = 64
"""The longest name that is sent."""
KEPT_SECONDS: Final = 30 * 86_400
"""How long those are kept whom a server does not know any more: their secrets have no other copy."""
DEVICE: Final = "terminal"
"""What a device is called in its player's list. A server learns no more of a machine, such as its name."""
DEFAULT_PORTS: Final = {"ws": 80, "wss": 443}

Hexadecimal = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class SavedPerson(BaseModel):
    """What is kept of a person at a server."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    host: Annotated[str, Field(max_length=512)]
    server: Hexadecimal
    player: Annotated[str, Field(max_length=16)]
    device: Annotated[int, Field(ge=0)]
    name: Annotated[str, Field(max_length=MAX_NAME_LENGTH)]
    """What the server calls this person: it cleans names, and they are changed elsewhere, too."""
    secret: Hexadecimal
    is_own: bool = False
    """Whether it was this user's own server; older files do not say."""
    dropped: Annotated[int, Field(ge=0)] | None = None
    """When the server did not know this person any more, in seconds since 1970."""
    said: Annotated[str, Field(max_length=MAX_SAID)] = ""
    """The name that this user says for the same person, where it is another one."""

    @property
    def source(self) -> str:
        """The host that caused the entry; empty for one's own server, which no stranger's host displaces."""
        return "" if self.is_own else self.host


class NameSource(Enum):
    """Where the name comes from by which somebody sits down."""

    TYPED = "typed"
    """It was given for this table: it is for whom it names, or for somebody new."""
    SETTING = "setting"
    """It is for whom it names, or else for the person who was chosen last."""
    LOGIN = "login"
    """Nobody has chosen it: it is for somebody new, where nobody is known."""


def people_path() -> Path:
    """Return the file."""
    return state_folder() / "people.json"


class PlayerCredentials:
    """Tells a server who somebody is.

    Args:
        url: the server's address.
        name: the name by which somebody sits down. It finds a person whom the server knows on this machine,
            and is what somebody new is called; it changes no known person's name.
        path: the file of all people.
        source: where the name comes from.
        is_own: whether the server is this user's own: it is the same server at any address. A stranger's
            could pass on what is proven to another address.

    """

    def __init__(
        self,
        url: str,
        name: str,
        path: Path | None = None,
        *,
        source: NameSource = NameSource.TYPED,
        is_own: bool = False,
    ) -> None:
        self._source = source
        self._is_own = is_own
        self._host, self._address = host_of(url), address_of(url)
        self._name = name
        self._path = path or people_path()
        self._server = self._secret = ""
        self._person: SavedPerson | None = None

    def answer(self, challenge: Challenge, *, is_older: bool = False) -> Enroll | Identify | Link | None:
        """Return the answer to a server's challenge; ``None`` to stay a guest.

        An unknown server learns nothing that it could use elsewhere: only a new secret of its own,
        and that only if it suggests to remember people.

        Args:
            challenge: the server's question.
            is_older: whether the server is of a version that knows older proofs only. They give nothing away.

        """
        self._server = challenge.server
        self._person = self._chosen()
        if self._person is not None:
            known, self._secret = self._person, self._person.secret
            server, nonce = challenge.server, challenge.nonce
            facts = ProofFacts(server, nonce, self._address, known.player, known.device)
            proof = older_proof(known.secret, facts) if is_older else player_proof(known.secret, facts)
            return Identify(player=known.player, device=known.device, proof=proof)
        if not (challenge.suggested and self._name):
            return None
        self._secret = secrets.token_hex(32)
        return Enroll(name=self._name, secret=self._secret, device=DEVICE)

    def identified(self, answer: Identified) -> None:
        """Keep what the server knows this person by."""
        before = self._person
        said = self._name if before is None else before.said or before.name
        person = SavedPerson(
            host=self._host,
            server=self._server,
            player=answer.player,
            device=answer.device,
            name=answer.name[:MAX_NAME_LENGTH],
            secret=self._secret,
            is_own=self._is_own or (before is not None and before.is_own),
            said="" if folded(said) == folded(answer.name) else said[:MAX_SAID],
        )
        people = self._people()
        if people[-1:] != [person]:  # the last one is who was chosen last
            old = {person.player, person.player if before is None else before.player}  # perhaps merged since
            self._save(
                [*(each for each in people if not (self._is_here(each) and each.player in old)), person]
            )
        self._person = person

    def name_at_table(self, name: str) -> str:
        """Return the name under which to sit down: the one that the server knows, for a known person."""
        return name if self._person is None else self._person.name

    def refused(self, refusal: Refused) -> None:
        """Drop whom the server does not know any more; whatever else it refuses may work again later."""
        if refusal.reason is Reason.UNKNOWN_PLAYER and self._person is not None:
            dropped = self._person.model_copy(update={"dropped": int(time.time())})
            self._save([dropped if each == self._person else each for each in self._people()])

    def forget(self) -> None:
        """Drop whom the server has just forgotten; nothing could bring them back."""
        self._save([each for each in self._people() if each != self._person])

    def _chosen(self) -> SavedPerson | None:
        """Return who sits down at the server that asks; ``None`` for somebody new."""
        here = [each for each in self._people() if each.dropped is None and self._is_here(each)]
        again = [each for each in here if self._person is not None and each.player == self._person.player]
        name = "" if self._source is NameSource.LOGIN else self._name
        found = [each for each in here if _likeness(each, name)]
        if not found and self._source is not NameSource.TYPED:
            found = [each for each in here if self._standing(each)]
        # The newest is the last; a reconnection goes on as whoever began.
        by_rank = sorted(again or found, key=lambda each: (self._standing(each), _likeness(each, name)))
        return by_rank[-1] if by_rank else None

    def _standing(self, person: SavedPerson) -> int:
        """Return how surely this server is the person's.

        A stranger's server can announce the id of one's own: what was kept there comes first.
        """
        return 2 if person.is_own else int(person.host == self._host)

    def _is_here(self, person: SavedPerson) -> bool:
        """Return whether a person was kept of the server that asks: its id alone can be copied."""
        return person.server == self._server and (self._is_own or person.host == self._host)

    def _people(self) -> list[SavedPerson]:
        return _read(self._path)

    def _save(self, people: list[SavedPerson]) -> None:
        data = [each.model_dump() for each in _bounded(people)]
        try:
            replace_file(self._path, json.dumps(data).encode())
        except OSError:
            return  # a guest from the next time on, or somebody new


class DeviceLink(PlayerCredentials):
    """Makes this machine another device of somebody whom a server knows.

    Args:
        url: the server's address.
        name: the player's name.
        code: the code that another device shows.
        path: the file of all people.

    """

    def __init__(self, url: str, name: str, code: str, path: Path | None = None) -> None:
        super().__init__(url, name, path)
        self._code = code

    def answer(self, challenge: Challenge, *, is_older: bool = False) -> Link:
        """Return the request, with a new secret."""
        self._server, self._secret = challenge.server, secrets.token_hex(32)
        return Link(name=self._name, code=self._code, secret=self._secret, device=DEVICE)


def kept_names(url: str, path: Path | None = None) -> list[str]:
    """Return the names by which this machine is known at a server's address, the newest last."""
    return [
        each.name
        for each in _read(path or people_path())
        if each.dropped is None and each.host == host_of(url)
    ]


def kept_name(url: str, said: str, path: Path | None = None) -> str:
    """Return what a server calls the person whom a name means on this machine; the name itself for nobody."""
    people = [
        each
        for each in _read(path or people_path())
        if each.dropped is None and each.host == host_of(url) and _likeness(each, said)
    ]
    people.sort(key=lambda each: _likeness(each, said))
    return people[-1].name if people else said


def kept_other(url: str, said: str, *, is_own: bool = False, path: Path | None = None) -> str:
    """Return who was chosen last at a server where this machine knows nobody by a name; empty for nobody.

    Args:
        url: the server's address.
        said: the name.
        is_own: whether the server is this user's own, which is the same at any address.
        path: the file of all people.

    """
    here = [
        each
        for each in _read(path or people_path())
        if each.dropped is None and (each.host == host_of(url) or (is_own and each.is_own))
    ]
    return "" if not here or any(_likeness(each, said) for each in here) else here[-1].name


def _bounded(people: Sequence[SavedPerson]) -> list[SavedPerson]:
    """Return whom to keep, the newest last: whoever causes many entries displaces only those."""
    oldest_dropped = time.time() - KEPT_SECONDS
    kept = [each for each in people if each.dropped is None or each.dropped > oldest_dropped]
    counts = Counter(each.source for each in kept)
    while counts:
        source, count = counts.most_common(1)[0]
        if count <= MAX_OF_HOST and len(kept) <= MAX_PEOPLE:
            break
        kept.remove(next(each for each in kept if each.source == source))
        counts[source] -= 1
    return kept


def _read(path: Path) -> list[SavedPerson]:
    people = []
    for entry in read_entries(path, MAX_BYTES):
        try:
            people.append(SavedPerson.model_validate(entry))
        except ValidationError:
            continue
    return people


def _likeness(person: SavedPerson, name: str) -> int:
    """Return how well a name names a person: 2 as the server does, 1 as this user does, 0 not at all."""
    key = folded(name)
    if not key:
        return 0
    return 2 if folded(person.name) == key else int(folded(person.said) == key)


def host_of(url: str) -> str:
    """Return the host and port of a server's address as clients send them."""
    return address_of(url).partition("://")[2]


def address_of(url: str) -> str:
    """Return scheme, host and port of a server's address, for which a proof is good."""
    parts = urlsplit(url if "://" in url else f"ws://{url}")
    netloc = parts.netloc.rpartition("@")[2].lower()
    return f"{parts.scheme}://{netloc.removesuffix(f':{DEFAULT_PORTS.get(parts.scheme, 0)}')}"


def folded(name: str) -> str:
    """Return a name as it is compared."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
