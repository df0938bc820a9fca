"""What other packages add to the command: servers of other kinds, and journals that are no files.

They are registered as entry points, so that nothing here imports them.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Final, Protocol, cast

if TYPE_CHECKING:
    from racing_demon_server.journal.interface import JournalPart
    from racing_demon_server.players.store import PlayersStore
    from racing_demon_server.results.store import ResultsStore
    from racing_demon_server.server import Server
    from racing_demon_server.settings import ServerSettings
    from racing_demon_server.setup_check import Finding

GROUP: Final = "racing_demon_server.extensions"
"""The group of entry points; each is a module that is an :class:`Extension`."""


class Extension(Protocol):
    """What a package adds.

    Attributes:
        COMMAND: the name of its own command.
        ADVICE: what to do where a command of the journal, by its name, is for files only.

    """

    COMMAND: str
    ADVICE: Mapping[str, str]

    def add_options(self, parser: ArgumentParser) -> None:
        """Add options of the server."""

    def contradictions(self, given: Namespace) -> Iterator[str]:
        """Yield the contradictions between arguments."""

    def server(self, settings: "ServerSettings", given: Namespace) -> "Server | None":
        """Return the server that the arguments ask for; ``None`` if it is none of this package's.

        Raises:
            JournalUnusable: it cannot be opened.

        """

    def check(self, given: Namespace) -> "Iterator[Finding]":
        """Yield what is right and wrong with the setup of this package's part."""

    def add_check_options(self, parser: ArgumentParser) -> None:
        """Add options of ``journal check``."""

    def journal(self, url: str, given: Namespace) -> "JournalPart":
        """Return the journal of a URL.

        Raises:
            JournalUnusable: it cannot be opened.

        """

    def results(self, url: str) -> "tuple[ResultsStore, PlayersStore]":
        """Return the results and the players of a URL's servers, for reading.

        Raises:
            JournalUnusable: there is no driver for them.

        """

    def main(self, argv: Sequence[str]) -> int:
        """Run its own command, and return the exit code."""


def load_extensions() -> tuple[Extension, ...]:
    """Return the extensions that are installed."""
    return tuple(cast("Extension", entry.load()) for entry in metadata.entry_points(group=GROUP))
