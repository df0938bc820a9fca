"""Which players sat at a match, and what they are called now."""

from collections.abc import Iterable
from typing import Final

from racing_demon_protocol.records.summary import MatchSummary
from racing_demon_server.players.store import PlayersStore, Seating

FORMER: Final = "A former player"
"""The name of a player who was forgotten."""


def with_players(summary: MatchSummary, seatings: Iterable[Seating]) -> MatchSummary:
    """Return a summary with the ids of its players.

    Args:
        summary: the summary of a match.
        seatings: who took which seat of its table, in order; guests, too.

    """
    seated: dict[int, str] = {}
    for seating in seatings:
        if summary.ended_ms is None or seating.at_ms <= summary.ended_ms:
            seated[seating.seat] = seating.player
    players = tuple(
        player.model_copy(update={"player": "" if player.kind else seated.get(player.seat, "")})
        for player in summary.players
    )
    return summary.model_copy(update={"players": players})


class Names:
    """Who players are now, by the ids in results: after renaming, merging and forgetting.

    Attributes:
        version: rises with every change.

    Args:
        store: keeps the players; ``None`` if there are only guests.

    """

    def __init__(self, store: PlayersStore | None) -> None:
        self._store = store
        self._names: dict[str, tuple[str, str]] = {}
        self._seen = -1
        self.version = 0

    def reload(self) -> bool:
        """Read the players again if they have changed. Return whether somebody is called something else."""
        if self._store is None or (seen := self._store.last_change()) == self._seen:
            return False
        self._seen = seen
        known = {id_: (name, into) for id_, name, into in self._store.names()}
        names = {}
        for player in known:
            now = player
            while into := known[now][1]:  # nobody is merged into themselves
                now = into
            names[player] = (now, known[now][0])
        if names == self._names:
            return False
        is_known = bool(self._names.items() - names.items())
        self._names = names
        self.version += 1
        return is_known

    def canonical(self, player: str) -> str:
        """Return who a player is now; empty for somebody who is not known."""
        return self._names.get(player, ("", ""))[0]

    def all_of(self, player: str) -> list[str]:
        """Return all ids that stand for a player in results."""
        return [each for each, (known, _) in self._names.items() if known == player]

    def applied(self, summary: MatchSummary) -> MatchSummary:
        """Return a summary with the ids and names that its players have now."""
        if self._store is None or not any(player.player for player in summary.players):
            return summary
        players = []
        for player in summary.players:
            known, name = self._names.get(player.player, (player.player, FORMER))
            changes = {"player": known, "name": name} if player.player else {}
            players.append(player.model_copy(update=changes))
        return summary.model_copy(update={"players": tuple(players)})
