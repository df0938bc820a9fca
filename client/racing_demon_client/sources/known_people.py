"""The people whom this user's own server knows, and codes that let new devices be theirs.

The server is asked by its operator's command: being a table's host is not enough.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.saved_people import folded
from racing_demon_protocol.constants import MAX_NAME_LENGTH
from racing_demon_protocol.formatting import printable

from .operator import UNKNOWN_FORMAT, HeldAnswer, command_server, hold_answer

MAX_SHOWN: Final = 200
"""The most people that are shown: those who were here last."""
MAX_INVITED: Final = 20
"""The most people who are missed in the lobby."""
AGAIN_SECONDS: Final = 30.0
"""How long after a question without an answer the server is asked again whom it knows."""


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
        self._shown: HeldAnswer | None = None
        self._ending: set[asyncio.Task[int]] = set()

    async def all(self) -> list[KnownPerson]:
        """Return all of them, those who were here last first.

        Raises:
            ConnectionFailed: the server cannot be asked; the text says why.

        """
        lines = (await self._ask("--json")).splitlines()
        try:
            people = _PEOPLE.validate_json(f"[{','.join(lines)}]")
        except ValidationError:
            raise ConnectionFailed(UNKNOWN_FORMAT) from None
        return [each for each in people if not each.merged_into][:MAX_SHOWN]

    async def confirm(self, person: KnownPerson) -> Confirmation:
        """Return a new code by which another device becomes a person's; it ends an earlier one.

        It is valid while this program runs, until :meth:`end_code` is called.

        Raises:
            ConnectionFailed: the server cannot be asked, or has forgotten the person.

        """
        self.end_code()
        self._shown = await hold_answer(
            "players", person.id, "--code", "--hold", "--json", code=self._code, journal=self._journal
        )
        try:
            return Confirmation.model_validate_json(self._shown.said)
        except ValidationError:
            raise ConnectionFailed(UNKNOWN_FORMAT) from None

    def end_code(self) -> None:
        """End the last code, if there is one: nobody looks at it any more."""
        shown, self._shown = self._shown, None
        if shown is not None:
            ending = asyncio.create_task(shown.end())
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """End the last code, and wait until all have ended."""
        self.end_code()
        await asyncio.gather(*self._ending)

    async def _ask(self, *arguments: str) -> str:
        """Run the operator's command for players, and return what it writes."""
        return await command_server("players", *arguments, code=self._code, journal=self._journal)


def absent(people: Iterable[KnownPerson], names_here: Iterable[str]) -> list[KnownPerson]:
    """Return the people who are missing: nobody at the table has their names."""
    here = set(map(folded, names_here))
    return [each for each in people if folded(each.name) not in here][:MAX_INVITED]


class AbsentPeople:
    """The names of the people whom the server knows and who are not at the table.

    A code for a device of theirs is another matter: who sees it can be them, so it is asked for by hand.

    Args:
        people: asks the server.
        names_here: returns the names at the table.

    """

    def __init__(self, people: KnownPeople, names_here: Callable[[], Iterable[str]]) -> None:
        self._people = people
        self._names_here = names_here
        self._known: Sequence[KnownPerson] = ()

    def names(self) -> list[str]:
        """Return who is missing, those who were here last first."""
        return [each.name for each in absent(self._known, self._names_here())]

    async def ask(self, redraw: Callable[[], None]) -> None:
        """Ask the server until it has said whom it knows."""
        while True:
            with suppress(ConnectionFailed):
                self._known = await self._people.all()
                break
            await asyncio.sleep(AGAIN_SECONDS)
        redraw()
