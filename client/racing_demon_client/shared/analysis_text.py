"""The analysis of a hand as lines: one player's in full, or one line for each player."""

from collections.abc import Sequence
from statistics import median
from typing import Final

from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.formatting import format_duration, pluralize
from racing_demon_protocol.records.analysis import BuriedCard, Race, SeatAnalysis
from racing_demon_protocol.table.state import TableState

from .message_text import MessageText

DIGITS: Final = 32
"""How many digits of a hash are shown, enough to compare by eye."""
MAX_EXAMPLES: Final = 3
"""How many examples of each kind are named."""


def analysis_lines(analysis: Sequence[SeatAnalysis], seat: int | None, words: MessageText) -> list[str]:
    """Return the lines after a hand: a player's own analysis, or one line per player for spectators."""
    own = [each for each in analysis if each.seat == seat]
    return full(own[0], words) if own else [summary(each, words) for each in analysis]


def full(analysis: SeatAnalysis, words: MessageText) -> list[str]:
    """Return one player's analysis in full."""
    lines = [f"races: {len(analysis.won)} won, {len(analysis.lost)} lost{_lost(analysis.lost, words)}"]
    if analysis.waits:
        longest = ", ".join(
            f"{words.card(made.card)} {format_duration(made.waited_us)}"
            for made in analysis.waits[:MAX_EXAMPLES]
        )
        lines.append(
            f"plays up: {len(analysis.waits)}, ready for {_typical(analysis)} as a rule; longest {longest}"
        )
    if analysis.unused:
        ready = ", ".join(words.card(chance.card) for chance in analysis.unused[:MAX_EXAMPLES])
        lines.append(f"could still have gone up: {ready}{_more(len(analysis.unused))}")
    buried = ", ".join(_place(each, words) for each in analysis.buried[:MAX_EXAMPLES])
    buried = f": {buried}{_more(len(analysis.buried))}" if buried else ""
    lines.append(
        f"left: {analysis.in_hand} in stock and waste, {analysis.face_down} face down in the columns{buried}"
    )
    return lines


def summary(analysis: SeatAnalysis, words: MessageText) -> str:
    """Return one player's analysis in one line."""
    waited = f"; plays up ready for {_typical(analysis)}" if analysis.waits else ""
    return (
        f"{words.player_name(analysis.seat)}: races {len(analysis.won)} won, {len(analysis.lost)} lost"
        f"{waited}; "
        f"{pluralize(analysis.face_down, 'card')} buried"
    )


def hashes(view: TableState, secret: str, words: MessageText) -> list[str]:
    """Return the beginnings of everything that determines a deal, one per line, for comparison.

    Args:
        view: the table.
        secret: the server's secret for the last hand; empty until it is revealed.
        words: the wording of names.

    """
    lines = [] if view.commitment is None else [f"{'the server, before':20} {view.commitment[:DIGITS]}"]
    for each in view.contributions:
        value = "nothing" if each.value is None else each.value[:DIGITS]
        lines.append(f"{words.player_name(each.seat)[:20]:20} {value}")
    if secret and view.is_between_hands:
        lines.append(f"{'the server, after':20} {secret[:DIGITS]}")
    return lines


def _lost(races: Sequence[Race], words: MessageText) -> str:
    """Return the lost races: the closest first, then those that the player had the longest time for."""
    ordered = sorted(races, key=lambda race: (race.late_us is None, race.late_us or -race.open_us))
    shown = ", ".join(_race(race, words) for race in ordered[:MAX_EXAMPLES])
    return f": {shown}{_more(len(races))}" if shown else ""


def _race(race: Race, words: MessageText) -> str:
    card = f"{words.card(race.card)} " if race.card != UNKNOWN else ""
    if race.late_us is not None:
        return f"{card}to {words.player_name(race.winner)} by {format_duration(race.late_us)}"
    return f"{card}to {words.player_name(race.winner)} (ready for {format_duration(race.open_us)})"


def _place(buried: BuriedCard, words: MessageText) -> str:
    return f"{words.card(buried.card)} under {buried.below} in column {buried.column + 1}"


def _typical(analysis: SeatAnalysis) -> str:
    return format_duration(int(median(made.waited_us for made in analysis.waits)))


def _more(number: int) -> str:
    return f" and {number - MAX_EXAMPLES} more" if number > MAX_EXAMPLES else ""
