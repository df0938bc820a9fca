"""The directory of tables at a broker: the records that servers publish and clients read."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from racing_demon_protocol.enums import Phase

ROOT: Final = "rd/pub"
"""The topic below which everything is public."""

NODE: Final = r"[a-z0-9]{1,32}"
"""A server's name in a topic."""

CODE: Final = r"[a-z0-9]{1,16}"
"""A table's code in a topic."""

VERSION: Final = 1
"""The version of all records; later versions only add fields while it stays."""

Number = Annotated[int, Field(strict=True, ge=-1_000_000, le=1_000_000)]
Flag = Annotated[bool, Field(strict=True)]


class ListedPlayer(BaseModel):
    """A player at a listed table; ``bot`` is a bot's level, or empty for a person."""

    model_config = ConfigDict(frozen=True)

    seat: Number
    name: Annotated[str, Field(max_length=64)]
    bot: Annotated[str, Field(max_length=16)] = ""
    host: Flag = False
    total: Number = 0


class ListedTable(BaseModel):
    """What a person needs to choose and join a table. Its texts are untrusted: clean them before printing."""

    model_config = ConfigDict(frozen=True)

    v: Annotated[int, Field(strict=True, ge=1, le=VERSION)] = VERSION
    node: Annotated[str, Field(pattern=rf"^{NODE}$")]
    code: Annotated[str, Field(pattern=r"^[A-Z0-9]{1,16}$")]
    urls: Annotated[tuple[Annotated[str, Field(max_length=256)], ...], Field(max_length=16)] = ()
    game: Annotated[str, Field(max_length=32)]
    title: Annotated[str, Field(max_length=64)] = ""
    phase: Phase
    hand: Number = 0
    hands: Number = 0
    target: Number | None = None
    taken: Number = 0
    free: Number = 0
    late_join: Flag = True
    locked: Flag = False
    spectators: Flag = True
    players: Annotated[tuple[ListedPlayer, ...], Field(max_length=8)] = ()
