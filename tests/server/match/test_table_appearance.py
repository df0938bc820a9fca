"""Names and colours that players choose at the table."""

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.table.appearance import seat_colors
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.capabilities import APPEARANCE
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.tables import Sitting, of_type


def test_a_player_takes_another_name_and_a_free_colour() -> None:
    """The name is cleaned and made to differ, as for who joins; snapshots know both, and so do records.

    Whoever takes the seat whose colour is taken gets the first that is free, which nobody else can take.
    """
    sitting = Sitting.lobby(2)
    view = sitting.table.view
    before = sitting.seq
    assert sitting.refused(0, cl.SetAppearance, name="Zoe", color=1).reason is Reason.NOT_NOW
    assert sitting.refused(0, cl.SetAppearance, name="\u200b", color=0).reason is Reason.BAD_NAME
    sitting.events(0, cl.SetAppearance, name=view.seats[0].name, color=0)
    assert (sitting.seq, APPEARANCE in view.extensions) == (before, False)

    sitting.events(0, cl.SetAppearance, name=f" {view.seats[1].name}", color=2)
    (changed,) = of_type(ev.AppearanceSet, sitting.log)
    assert (changed.name, changed.color) == (f"{view.seats[1].name} 2", 2)
    assert APPEARANCE in view.extensions
    sitting.join("Fay")
    assert seat_colors(view.seats) == {0: 2, 1: 1, 2: 0}
    assert sitting.refused(1, cl.SetAppearance, name="Ben", color=0).reason is Reason.NOT_NOW
    assert TableState.from_snapshot(view.snapshot(0)).seats == view.seats


def test_names_and_colours_stay_within_a_match() -> None:
    """What is remembered of a match has one name for each."""
    sitting = Sitting.playing(2)
    assert sitting.refused(0, cl.SetAppearance, name="Zoe", color=5).reason is Reason.NOT_NOW


def test_nobody_is_shown_what_their_client_does_not_know() -> None:
    """Whose client is older has to update first; who comes to such a table, too."""
    sitting = Sitting.lobby(2)
    sitting.table.ask_who_lacks(lambda words: ["Ben"] if APPEARANCE in words else [])
    refused = sitting.refused(0, cl.SetAppearance, name="Zoe", color=5)
    assert (refused.reason, "Ben must update first" in refused.text) == (Reason.BAD_OPTION, True)
