"""What a server says of the invitation to its table over the internet."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from racing_demon_protocol.constants import MAX_NAME_LENGTH

MAX_LINK: Final = 400
MAX_TROUBLE: Final = 800
COUNTS_AS_ONE: Final = (
    "The tunnel does not say who is who: all who come through it share the limits of one address."
)


class SeatLink(BaseModel):
    """The link by which a player who is away returns to their seat over the internet."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    name: Annotated[str, Field(max_length=MAX_NAME_LENGTH)]
    """The player's name."""
    link: Annotated[str, Field(max_length=MAX_LINK, pattern=r"^https://[!-~]+$")]
    """The link. Whoever has it can take the seat."""


class Invitation(BaseModel):
    """What the server says of its tunnel."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    link: Annotated[str, Field(max_length=MAX_LINK, pattern=r"^https://[!-~]+$")] | None = None
    """The link; ``None`` while nobody can follow it."""
    trouble: Annotated[str, Field(max_length=MAX_TROUBLE)] = ""
    """Why there is none, or why it could not be closed; empty if there is nothing to say."""
    counts_as_one: bool = False
    """Whether the tunnel does not say who is who, so that all share the limits of one address."""

    @property
    def note(self) -> str:
        """What people should know of it; empty if there is nothing."""
        return self.trouble or (COUNTS_AS_ONE if self.counts_as_one else "")

    def without_note(self) -> "Invitation":
        """Return the invitation with nothing else to know of it."""
        return self.model_copy(update={"trouble": "", "counts_as_one": False})
