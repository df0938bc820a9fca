"""How to play in panels: said of every game, and of what a host has changed."""

from racing_demon_client.shared.guide_text import house_rules, panels_of, played
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import PRESETS


def told(**options: object) -> str:
    """Return all that the panels of a table say."""
    panels = panels_of(Options.model_validate(options))
    return " ".join(text for _, piles, said in panels for text in [*said, *(pile.label for pile in piles)])


def test_every_game_has_panels_without_gaps() -> None:
    """Each says something, and no name of an option is left where its value belongs."""
    for game in GAMES:
        panels = list(panels_of(Options(game=game)))
        assert panels, game
        for panel, _, said in panels:
            assert said, (game, panel.name)
            assert not [text for text in said if "{" in text or "None" in text], (game, said)


def test_the_panels_say_what_is_played_at_the_table() -> None:
    """The games differ in what fills a column, and how one goes out; house rules change what is said."""
    klondike, nerts = told(), told(game="classic")
    assert "Only a king" in klondike
    assert "reserve" not in klondike
    assert "Any card goes to an empty column." in nerts
    assert "Your reserve: 13 cards" in nerts
    assert "the same cards" in told(game="demon-a")
    house = told(game="classic", reserve=7, reserve_card=0, turn=1, king_bonus=5, spaces="reserve", redeals=2)
    for text in (
        "Your reserve: 7",
        "one card at a time",
        "foundation: 5 more",
        "Only the reserve",
        "over, 2",
    ):
        assert text in house, text
    for text in ("left in the reserve", "Any card goes", "as often as you like"):
        assert text not in house, text
    assert "call it" in told(call_out="shout")
    assert "100 points" in told(game="classic", target=100)


def test_house_rules_are_named() -> None:
    """A preset has none; a table has what its host has changed, but for the length of the match."""
    assert [house_rules(preset.options) for preset in PRESETS.values()] == [[]] * len(PRESETS)
    table = Options(game="classic", target=100, hands=100, reserve=12)
    assert (played(table), house_rules(table)) == ("Nerts", ["cards in the reserve: 12"])
    assert house_rules(Options(game="sultan", hands=3)) == []
