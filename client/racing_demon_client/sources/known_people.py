"""The people whom this user's own server knows, and codes that let new devices be theirs.

The server is asked by its operator's command, over a socket that only its user may open: being a table's host
is not enough.
"""

import asyncio
import sys
from contextlib import suppress
from typing import Annotated, Final, NoReturn

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from racing_demon_client.errors import ConnectionFailed
from racing_demon_protocol.constants import MAX_NAME_LENGTH

ANSWER_SECONDS: Final = 15.0
MAX_ERROR_TEXT: Final = 2_000
MAX_SHOWN: Final = 200
"""The most people that are shown: those who were here last."""


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
        command = [sys.executable, "-m", "racing_demon_server", "players", *arguments, "--table", self._code]
        if self._journal is not None:
            command += ["--journal", self._journal]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
        )
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                said, errors = await process.communicate()
        except TimeoutError:
            raise ConnectionFailed("The server of this table does not answer.") from None
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):  # it may end at this moment
                    process.kill()
                await process.wait()
        if process.returncode != 0:
            text = errors.decode(errors="replace")[-MAX_ERROR_TEXT:].strip()
            raise ConnectionFailed(
                text.removeprefix("racing-demon-server: ") or "The server cannot be asked for people."
            )
        return said.decode(errors="replace")


def _misunderstood() -> NoReturn:
    raise ConnectionFailed(
        "The server's answer is in an unknown format: client and server differ in version."
    )
