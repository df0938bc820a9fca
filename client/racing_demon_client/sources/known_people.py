"""The people whom this user's own server knows, and codes that let new devices be theirs.

The server is asked by its operator's command: being a table's host is not enough.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Final, NoReturn

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.saved_people import folded
from racing_demon_protocol.constants import MAX_NAME_LENGTH
from racing_demon_protocol.formatting import printable

from .operator import command_server

MAX_SHOWN: Final = 200
"""The most people that are shown: those who were here last."""
MAX_INVITED: Final = 20
"""The most people who have an invitation in the lobby."""
RENEW_SECONDS: Final = 30.0
"""The interval at which the server is asked for the code that is shown, which it renews in time."""


class KnownPerson(BaseModel):
    """Somebody whom the server knows."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Annotated[str, Field(pattern=r"^[0-9a-z]{1,16}$")]
    """The player's public id."""
    name: Annotated[str, Field(max_length=MAX_NAME_LENGTH)]
    """The name that was used last."""
    seen: Annotated[int, Field(ge=0, le=2**40)]
    """When the person was last here, in seconds since 1970."""
    merged_into: str = ""
    """Who has this player's results now; empty if nobody else."""

    def line(self) -> str:
        """Return the name, and when the person was last here."""
        seen = datetime.fromtimestamp(self.seen).astimezone()
        return f"{printable(self.name)}, last here {seen:%Y-%m-%d %H:%M}"


class Confirmation(BaseModel):
    """A code that lets another device be a known person's."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: Annotated[str, Field(max_length=MAX_NAME_LENGTH)]
    """The name to enter with it."""
    code: Annotated[str, Field(pattern=r"^[A-Z]{4,16}$")]
    """The code."""
    seconds: Annotated[int, Field(ge=1)]
    """How long it is valid."""


_PEOPLE: Final = TypeAdapter(list[KnownPerson])


class KnownPeople:
    """The people whom the server of a hosted table knows.

    Args:
        code: the table's code.
        journal: the server's journal; ``None`` for the usual one.

    """

    def __init__(self, code: str, journal: str | None) -> None:
        self._code = code
        self._journal = journal

    async def all(self) -> list[KnownPerson]:
        """Return all of them, those who were here last first.

        Raises:
            ConnectionFailed: the server cannot be asked; the text says why.

        """
        lines = (await self._ask("--json")).splitlines()
        try:
            people = _PEOPLE.validate_json(f"[{','.join(lines)}]")
        except ValidationError:
            _misunderstood()
        return [each for each in people if not each.merged_into][:MAX_SHOWN]

    async def confirm(self, person: KnownPerson) -> Confirmation:
        """Return a new code by which another device becomes a person's; it ends an earlier one.

        Raises:
            ConnectionFailed: the server cannot be asked, or has forgotten the person.

        """
        try:
            return Confirmation.model_validate_json(await self._ask(person.id, "--code", "--json"))
        except ValidationError:
            _misunderstood()

    async def _ask(self, *arguments: str) -> str:
        """Run the operator's command for players, and return what it writes."""
        return await command_server("players", *arguments, code=self._code, journal=self._journal)


def absent(people: Iterable[KnownPerson], names_here: Iterable[str]) -> list[KnownPerson]:
    """Return the people who are invited, as nobody at the table has their names."""
    here = set(map(folded, names_here))
    return [each for each in people if folded(each.name) not in here][:MAX_INVITED]


class PersonalInvitations:
    """Invitations for people whom the server knows and who are not at the table: one at a time has a code.

    So whoever comes with another phone, or after the address has changed, is the same player again.

    Args:
        people: asks the server.
        names_here: returns the names at the table.

    """

    def __init__(self, people: KnownPeople, names_here: Callable[[], Iterable[str]]) -> None:
        self._people = people
        self._names_here = names_here
        self._known: Sequence[KnownPerson] = ()
        self._shown: KnownPerson | None = None
        self._confirmed: Confirmation | None = None
        self._has_changed = asyncio.Event()

    def invited(self) -> list[KnownPerson]:
        """Return who is invited, those who were here last first."""
        return absent(self._known, self._names_here())

    def show(self, person: KnownPerson | None) -> Confirmation | None:
        """Return a person's code, which from now on is renewed; ``None`` while the server is asked for it."""
        if person != self._shown:
            self._shown, self._confirmed = person, None
            self._has_changed.set()
        return self._confirmed

    async def run(self, redraw: Callable[[], None]) -> None:
        """Ask the server until cancelled."""
        self._confirmed, is_known = None, False  # a code from before may have expired
        while True:
            with suppress(ConnectionFailed):
                if not is_known:
                    self._known, is_known = await self._people.all(), True
                self._confirmed = None if self._shown is None else await self._people.confirm(self._shown)
            redraw()
            with suppress(TimeoutError):
                async with asyncio.timeout(RENEW_SECONDS):
                    await self._has_changed.wait()
            self._has_changed.clear()


def _misunderstood() -> NoReturn:
    raise ConnectionFailed(
        "The server's answer is in an unknown format: client and server differ in version."
    )
