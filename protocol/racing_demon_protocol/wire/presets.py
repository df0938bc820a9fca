"""Presets: well-known ways to play, each a name for some of a table's options.

Tables do not store their preset. A table belongs to one if all options that affect play or scoring are equal.
"""

from dataclasses import dataclass
from typing import Final

from racing_demon_protocol.engine.specification import StockShift

from .options import NEUTRAL, Options

LENGTH: Final = frozenset({"hands", "target", "win_lead"})
"""The options that say how long a match is."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A well-known way to play.

    Attributes:
        name: its name in commands and links.
        title: its name for people.
        text: what is special about it, in one sentence.
        source: where its rules come from.
        options: its options.

    """

    name: str
    title: str
    text: str
    source: str
    options: Options

    def deviations(self, options: Options) -> list[str]:
        """Return the names of the options that affect play or scoring and differ from this preset's."""
        return [
            name
            for name in Options.model_fields
            if name not in NEUTRAL and getattr(options, name) != getattr(self.options, name)
        ]


PRESETS: Final = {
    preset.name: preset
    for preset in (
        Preset(
            "klondike",
            "Klondike race",
            "Five hands, seven columns and no reserve; ten for going out.",
            "HowStuffWorks; the default here",
            Options(),
        ),
        Preset(
            "nerts",
            "Nerts",
            "A reserve of 13, -2 for each card left; ten for going out, to 100.",
            "most published rules, such as pagat.com",
            Options(game="classic", target=100, hands=100),
        ),
        Preset(
            "nerts-tournament",
            "Nerts, tournament",
            "Nerts to 100 points without a bonus for going out.",
            "National Nertz Association, 2009",
            Options(game="classic", target=100, hands=100, out_bonus=0),
        ),
        Preset(
            "family",
            "Family",
            "Three hands, a reserve of 10, -1 for each left; ten for going out.",
            "everything2.com, Nerts, for the -1; otherwise this project",
            Options(game="classic", hands=3, reserve=10, reserve_card=-1),
        ),
        Preset(
            "scrooge",
            "Scrooge",
            "Five hands, a reserve of 10, -1 for each left; ten for going out.",
            "schoolinspirations, Scrooge, 2021",
            Options(game="classic", reserve=10, reserve_card=-1),
        ),
        Preset(
            "guardian",
            "Guardian",
            "A reserve of 13, -1 for each left, 5 for each king; ten for going out.",
            "The Guardian, 2008",
            Options(game="classic", reserve_card=-1, king_bonus=5),
        ),
        Preset(
            "peanuts",
            "Peanuts",
            "A reserve of 11; stock tops may go to the bottom; ten for going out.",
            "exploring-etc.co.uk, Peanuts, 2009",
            Options(game="classic", reserve=11, stock_shift=StockShift.ANY_TIME),
        ),
        Preset(
            "no-penalty",
            "No penalty",
            "Five hands, a reserve of 13 that costs nothing; ten for going out.",
            "everything2.com, Racing Demon",
            Options(game="classic", reserve_card=0),
        ),
        Preset(
            "quick",
            "Quick",
            "One hand of the Klondike race, three minutes; ten for going out.",
            "this project",
            Options(hands=1, time_limit_ms=180_000),
        ),
        Preset(
            "identical",
            "Identical deals",
            "Three hands; all have the same deal, each alone; no bonus for going out.",
            "this project, with a Demon patience",
            Options(game="demon-a", hands=3),
        ),
    )
}
"""The presets by name: the two that most people look for, then the others."""


def usual_options(game: str = Options().game) -> Options:
    """Return a table's usual options: what it plays if nobody chose more than a game.

    These are the first preset's for its game, and the defaults of `Options` for the others.
    """
    usual = next(iter(PRESETS.values())).options
    return usual if game == usual.game else Options(game=game)


def preset_of(options: Options) -> Preset | None:
    """Return the preset that a match with these options belongs to, if there is one."""
    return next((preset for preset in PRESETS.values() if not preset.deviations(options)), None)


def nearest_preset(options: Options) -> Preset | None:
    """Return the preset that a table's options differ from least, if there is one for its game.

    The length of a match counts less than its rules.
    """
    alike = [preset for preset in PRESETS.values() if preset.options.game == options.game]

    def distance(preset: Preset) -> tuple[int, int]:
        deviations = preset.deviations(options)
        return len(set(deviations) - LENGTH), len(deviations)

    return min(alike, key=distance, default=None)
