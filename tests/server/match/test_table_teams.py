"""Teams: who is in which, what they total, and who has won."""

from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.table import scoring
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import OnLeave, Options, TieBreak
from tests.support.cases import for_each
from tests.support.tables import Own, Sitting, of_type

RANKS = "A23456789TJQK"


def finish(sitting: Sitting, *points: int) -> list[ev.Event]:
    """Play a hand that ends with so many points for each of its seats, by agreement."""
    if sitting.table.view.phase is not Phase.PLAYING:
        sitting.start()
    runs = [" ".join(f"{rank}S/{pack}" for rank in RANKS[:count]) for pack, count in enumerate(points)]
    sitting.lay(runs, *[Own(["KD"])] * len(points))
    events: list[ev.Event] = []
    for seat in sitting.table.view.hand_seats:
        if not sitting.table.view.seats[seat].left:
            events += sitting.events(seat, cl.Stuck)
    return events


def teams_of(sitting: Sitting) -> list[int | None]:
    """Return the team of each player, by seats."""
    return [state.team for _, state in sorted(sitting.table.view.seats.items())]


def winners_in(events: list[ev.Event]) -> tuple[int, ...]:
    """Return who has won the match."""
    (over,) = of_type(ev.MatchOver, events)
    return over.winners


def test_teams_are_even() -> None:
    """Neighbors play against each other, and whoever comes joins the smallest team, bots too."""
    sitting = Sitting.lobby(5)
    sitting.events(0, cl.SetOptions, options=Options(teams=3))
    assert teams_of(sitting) == [0, 1, 2, 0, 1]
    sitting.events(0, cl.AddBot)
    sitting.join("Joy")
    assert teams_of(sitting) == [0, 1, 2, 0, 1, 2, 0]
    sitting.events(0, cl.SetOptions, options=Options(teams=None))
    assert teams_of(sitting) == [None] * 7


def test_players_choose_their_team_and_the_host_everybodys() -> None:
    """Nobody else can, to no team that there is not, and not for an empty seat."""
    sitting = Sitting.lobby(3, teams=2)
    assert teams_of(sitting) == [0, 1, 0]
    (moved,) = sitting.events(2, cl.SetTeam, seat=2, team=1)
    assert moved == ev.TeamSet(seq=moved.seq, seat=2, team=1)
    sitting.events(0, cl.SetTeam, seat=1, team=0)
    assert teams_of(sitting) == [0, 0, 1]
    assert sitting.refused(1, cl.SetTeam, seat=2, team=0).reason is Reason.NOT_HOST
    assert sitting.refused(0, cl.SetTeam, seat=5, team=0).reason is Reason.NOT_SEATED
    assert sitting.refused(0, cl.SetTeam, seat=0, team=2).text == "This table has 2 teams."
    sitting.events(0, cl.SetOptions, options=Options(teams=None))
    assert sitting.refused(0, cl.SetTeam, seat=0, team=1).text == "This table has no teams."


def test_one_team_plays_against_nobody() -> None:
    """A match of several begins when there is somebody in another team."""
    sitting = Sitting.lobby(2, teams=2)
    sitting.events(1, cl.SetTeam, seat=1, team=0)
    for seat in (0, 1):
        sitting.events(seat, cl.Ready)
    assert "in one team" in sitting.refused(0, cl.Start).text
    assert sitting.table.view.phase is Phase.LOBBY
    sitting.events(1, cl.SetTeam, seat=1, team=1)
    assert sitting.table.view.phase is not Phase.LOBBY


def test_teams_stay_for_the_match() -> None:
    """A late player joins the smaller team, and nobody changes teams before the match is over."""
    sitting = Sitting.lobby(3, teams=2, hands=2)
    finish(sitting, 1, 2, 3)
    assert sitting.refused(0, cl.SetTeam, seat=0, team=1).reason is Reason.NOT_NOW
    sitting.join("Joy")
    assert teams_of(sitting) == [0, 1, 0, 1]
    finish(sitting, 1, 2, 3, 4)
    before = scoring.team_totals(sitting.table.view)
    assert before == {0: 8, 1: 8}
    sitting.events(0, cl.SetTeam, seat=0, team=1)
    assert scoring.team_totals(sitting.table.view) == before
    sitting.events(0, cl.SetOptions, options=Options(teams=None))
    assert scoring.team_totals(sitting.table.view) == before


def test_points_of_a_team_add_up() -> None:
    """The winner is the team with the most points, though somebody else has the most alone."""
    sitting = Sitting.lobby(4, teams=2, hands=1)
    assert winners_in(finish(sitting, 9, 5, 1, 6)) == (1, 3)
    assert scoring.team_totals(sitting.table.view) == {0: 10, 1: 11}
    assert scoring.totals(sitting.table.view) == {0: 9, 1: 5, 2: 1, 3: 6}


def test_a_target_is_a_teams() -> None:
    """A match ends when a team's total reaches the target, or its lead that over the other team."""
    sitting = Sitting.lobby(4, teams=2, target=10)
    assert not of_type(ev.MatchOver, finish(sitting, 9, 4, 0, 4))
    assert winners_in(finish(sitting, 0, 1, 1, 2)) == (1, 3)
    lead = Sitting.lobby(4, teams=2, win_lead=5)
    assert not of_type(ev.MatchOver, finish(lead, 9, 5, 0, 0))
    assert winners_in(finish(lead, 0, 0, 1, 0)) == (0, 2)


def test_a_team_is_no_tie() -> None:
    """Partners share a win without a further hand; equal teams play one, if the table wants that."""
    sitting = Sitting.lobby(4, teams=2, hands=1, tie_break=TieBreak.HAND)
    assert not of_type(ev.MatchOver, finish(sitting, 3, 2, 4, 5))
    assert winners_in(finish(sitting, 3, 2, 4, 4)) == (0, 2)


@for_each(("on_leave", "total"), [(OnLeave.FREEZE, 9), (OnLeave.FORFEIT, 1)])
def test_leaving_costs_the_team_what_the_table_says(on_leave: OnLeave, total: int) -> None:
    """The points of whoever leaves count for the team, or not; only those who stayed win."""
    sitting = Sitting.lobby(4, teams=2, hands=1, on_leave=on_leave)
    sitting.start()
    sitting.lay([" ".join(f"{rank}S/0" for rank in RANKS[:8])], *[Own(["KD"])] * 4)
    sitting.events(0, cl.Leave)
    events = finish(sitting, 8, 0, 1, 5)
    assert scoring.team_totals(sitting.table.view) == {0: total, 1: 5}
    assert winners_in(events) == ((2,) if on_leave is OnLeave.FREEZE else (1, 3))


@for_each(
    ("options", "why"),
    [
        (Options(game="demon-a", teams=2), "a partner's screen would show your future"),
        (Options(game="sympathy", teams=2), "nobody plays it against others"),
        (Options(teams=4, seats=3), "4 teams need at least 4 seats"),
    ],
)
def test_where_there_are_no_teams(options: Options, why: str) -> None:
    """Games without opponents on one board, and tables with too few seats, have no teams, and say why."""
    refused = Sitting.lobby(2).refused(0, cl.SetOptions, options=options)
    assert (refused.reason, why in refused.text) == (Reason.BAD_OPTION, True)
