"""The analysis of a hand as lines: one player's in full, or one line for each player."""

from collections.abc import Sequence
from statistics import median
from typing import Final

from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.formatting import format_duration, join_words, pluralize
from racing_demon_protocol.records.analysis import BuriedCard, Faster, Race, SeatAnalysis
from racing_demon_protocol.records.moments import HandMoment
from racing_demon_protocol.table.state import TableState

from .message_text import MessageText

DIGITS: Final = 32
"""How many digits of a hash are shown, enough to compare by eye."""
MAX_EXAMPLES: Final = 3
"""How many examples of each kind are named."""
LEAST_US: Final = 50_000
"""A shorter time is not told: people would say that there was none."""


def analysis_lines(analysis: Sequence[SeatAnalysis], seat: int | None, words: MessageText) -> list[str]:
    """Return the lines after a hand: a player's own analysis, or one line per player for spectators."""
    own = [each for each in analysis if each.seat == seat]
    return full(own[0], words) if own else [summary(each, words) for each in analysis]


def full(analysis: SeatAnalysis, words: MessageText, ping_ms: float | None = None) -> list[str]:
    """Return one player's analysis in full.

    Args:
        analysis: the analysis.
        words: the wording of names and cards.
        ping_ms: how long that player's way to the server and back takes, if it is known.

    """
    lines = [moment_text(moment, words) for moment in analysis.moments]
    lines.append(f"races: {len(analysis.won)} won, {len(analysis.lost)} lost{_lost(analysis.lost, words)}")
    lines += _faster(analysis.faster)
    if ping_ms is not None:
        lines += _distance(analysis.lost, ping_ms)
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


def moment_text(moment: HandMoment, words: MessageText) -> str:
    """Return what cost a player most, in sentences."""
    time = seconds_text(moment.waited_us) if moment.waited_us >= LEAST_US else ""
    text = f"{_whose(moment.seat, words, 'your')} {words.card(moment.card)} could go up"
    text = f"{text} for {time}" if time else text
    if moment.winner is not None:
        text += f"; {_whose(moment.winner, words, 'yours')} went instead."
    else:
        text += ", and never did." if moment.points else " before it did."
    text += f" That cost {pluralize(moment.points, 'point')}." if moment.points else ""
    text += "" if moment.opened is None else f" Beneath it lay the {words.card(moment.opened)}."
    return text[0].upper() + text[1:]


def _whose(seat: int, words: MessageText, own: str) -> str:
    name = words.player_name(seat)
    return own if name == "you" else f"{name}'s"


def seconds_text(microseconds: int) -> str:
    """Return a time as people say it, such as ``9.3 seconds`` or ``1:05 minutes``."""
    tenths = (microseconds + 50_000) // 100_000
    seconds = (tenths + 5) // 10
    if seconds >= 60:
        return f"{seconds // 60}:{seconds % 60:02} minutes"
    number = f"{tenths / 10:g}" if tenths < 100 else f"{seconds}"
    return f"{number} second{'' if number == '1' else 's'}"


def _faster(steps: Sequence[Faster]) -> list[str]:
    """Return what being faster would have been worth, and that others would have answered."""
    most = next((each for each in steps if each.cards), steps[-1] if steps else None)
    if most is None or not most.races:
        return []
    close = f"{_lost_by(most.races)} by {most.by_us / 1_000_000:g} s or less"
    whose = "its card" if most.races == 1 else "their cards"
    if not most.cards:
        return [f"{close}; {whose} went up later"]
    gains = join_words([f"{pluralize(each.cards, 'card')} by {each.by_us / 1_000_000:g} s" for each in steps])
    return [
        f"{close}; {whose if most.races == 1 else f'{most.cards} of {whose}'} never went up",
        f"being faster would have brought {gains}, had nobody answered; others would have",
    ]


def _distance(lost: Sequence[Race], ping_ms: float) -> list[str]:
    """Return how many races the way to the server has decided."""
    late = [race.late_us for race in lost if race.late_us is not None]
    races = sum(late_us < ping_ms * 1_000 for late_us in late)
    way = f"your way to the server and back takes ({ping_ms:.0f} ms)"
    return [f"{_lost_by(races)} by less than {way}: that is distance, not speed"] if races else []


def _lost_by(races: int) -> str:
    return f"{pluralize(races, 'race')} {'was' if races == 1 else 'were'} lost"


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
