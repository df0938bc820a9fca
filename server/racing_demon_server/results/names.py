"""Which players sat at a match, and what they are called now."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from racing_demon_protocol.records.summary import MatchSummary
from racing_demon_server.journal.matches import FORMER
from racing_demon_server.players.store import PlayersStore, Seating

Paced = Callable[[Iterable[Any]], Iterator[Any]]


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
        gone: ids that have become nobody's, or another player, whose results may be others' until they are
            made anew.

    Args:
        store: keeps the players; ``None`` if there are only guests.
        paced: yields what it is given, and rests now and then.

    """

    def __init__(self, store: PlayersStore | None, paced: Paced = iter) -> None:
        self._store = store
        self._paced = paced
        self._players: dict[str, tuple[str, str]] = {}
        self._seen: int | None = None
        self.version = 0
        self.gone = set[str]()

    def reload(self) -> bool:
        """Read the players that have changed. Return whether somebody is another player now.

        New names change nobody: sums have none.
        """
        store = self._store
        if store is None or (last := store.last_change()) == self._seen:
            return False
        if self._seen is None or not store.has_changes_since(self._seen):
            former, self._players = self._players, {}
            for player, name, into in self._paced(store.names()):
                self._put(player, name, into)
            self._seen = last
            self.version += 1
            self.gone.update(store.former_players())
            return any(self.canonical(player) != _canonical(former, player) for player in former)
        is_other = False
        while found := store.changes(self._seen):
            self._seen = found[-1][0]
            for player in self._paced({player for _, player, _ in found}):
                is_other |= self._reload_one(store, player)
        return is_other

    def _reload_one(self, store: PlayersStore, player: str) -> bool:
        known, former = store.player(player), self._players.get(player)
        if known is None:
            self._players.pop(player, None)
            self.gone.add(player)
        else:
            self._put(player, known.name, known.merged_into)
            if former is None or (former[1] and not known.merged_into):  # perhaps split off
                self.gone.add(player)
        self.version += self._players.get(player) != former
        return former is not None and former[1] != ("" if known is None else known.merged_into)

    def _put(self, player: str, name: str, into: str) -> None:
        self._players[player] = name, into

    def canonical(self, player: str) -> str:
        """Return who a player is now; empty for somebody who is not known."""
        return _canonical(self._players, player)

    def name(self, player: str) -> str:
        """Return what a player is called now; empty for somebody who is not known."""
        return self._players.get(player, ("", ""))[0]

    def met_ms(self, player: str) -> int | None:
        """Return when a player was met first, in milliseconds since 1970; ``None`` for nobody known."""
        known = None if self._store is None else self._store.player(player)
        return None if known is None else known.created_ms

    def shown(self, player: str) -> str:
        """Return what a player is called now; a former one for somebody who is not known."""
        return self.name(player) or FORMER

    def former(self, summary: MatchSummary) -> frozenset[int]:
        """Return the seats of players who were forgotten."""
        if self._store is None:
            return frozenset()
        return frozenset(
            each.seat for each in summary.players if each.player and each.player not in self._players
        )

    def identified(self, summary: MatchSummary) -> MatchSummary:
        """Return a summary with the ids that its players have now, for sums."""
        if self._store is None:
            return summary
        ids = {each.player: self.canonical(each.player) or each.player for each in summary.players}
        if all(player == known for player, known in ids.items()):
            return summary
        players = [each.model_copy(update={"player": ids[each.player]}) for each in summary.players]
        return summary.model_copy(update={"players": tuple(players)})

    def applied(self, summary: MatchSummary) -> MatchSummary:
        """Return a summary with the ids and names that its players have now."""
        if self._store is None or not any(player.player for player in summary.players):
            return summary
        players = []
        for player in summary.players:
            known = self.canonical(player.player)
            name = self._players[known][0] if known else FORMER
            changes = {"player": known or player.player, "name": name} if player.player else {}
            players.append(player.model_copy(update=changes))
        return summary.model_copy(update={"players": tuple(players)})


def _canonical(players: Mapping[str, tuple[str, str]], player: str) -> str:
    """Return who a player is now; empty for somebody who is not known."""
    while into := players.get(player, ("", ""))[1]:  # nobody is merged into themselves
        player = into
    return player if player in players else ""
