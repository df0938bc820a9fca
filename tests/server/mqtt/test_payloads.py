"""What the payloads hold, field by field."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from racing_demon_protocol.constants import MAX_NAME_LENGTH
from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import HandResult
from racing_demon_server.mqtt.payloads import demon_config, record, results, state, table_config
from racing_demon_server.mqtt.topics import Sensor, Topics
from tests.support.cases import for_each
from tests.support.contributing import contribute, reveal
from tests.support.tables import SECOND, Own, Sitting, of_type

COMMON = {
    "availability_topic": "rd/pub/hall/status",
    "device": {"identifiers": ["rd_hall"], "name": "Racing Demon hall"},
}


def _results(sitting: Sitting, event: Event) -> list[tuple[str, Any]]:
    return [(kind, json.loads(payload)) for kind, payload in results(sitting.mirror, event)]


def _won(**options: Any) -> Sitting:
    """Return a match of one hand whose first seat has played its last reserve card."""
    sitting = Sitting.lobby(2, hands=1, game="classic", **options)
    contribute(sitting, [0, 1])
    sitting.events(0, cl.Start)
    reveal(sitting, [1, 0])
    sitting.wait(5 * SECOND)
    sitting.lay(["AS"], Own(["KC"], reserve="2S"), Own(["KD"], reserve="3H"))
    sitting.play(0, sitting.reserve(0))
    return sitting


# Home Assistant.


def test_a_tables_sensor_is_described_in_full() -> None:
    """Its names, topics and template, and the device that it belongs to."""
    assert json.loads(table_config(Topics("hall"), "BcDF", Sensor.PHASE)) == {
        "name": "Table BCDF",
        "unique_id": "rd_hall_bcdf",
        "icon": "mdi:cards-playing",
        "state_topic": "rd/pub/hall/tables/bcdf/state",
        "value_template": "{{ value_json.phase }}",
        "json_attributes_topic": "rd/pub/hall/tables/bcdf/state",
        **COMMON,
    }


@for_each(
    ("sensor", "icon", "more"),
    [
        (Sensor.LEADER, "mdi:crown", {}),
        (Sensor.POINTS, "mdi:counter", {"unit_of_measurement": "points", "state_class": "measurement"}),
        (
            Sensor.PLAYERS,
            "mdi:account-group",
            {"unit_of_measurement": "players", "state_class": "measurement"},
        ),
    ],
)
def test_who_leads_with_how_much_is_described_in_full(
    sensor: Sensor, icon: str, more: dict[str, str]
) -> None:
    """Each is a sensor of its own, which reads the state that the table has at the broker anyway."""
    assert json.loads(table_config(Topics("hall"), "BcDF", sensor)) == {
        "name": f"Table BCDF {sensor}",
        "unique_id": f"rd_hall_bcdf_{sensor}",
        "icon": icon,
        "state_topic": "rd/pub/hall/tables/bcdf/state",
        "value_template": f"{{{{ value_json.{sensor} }}}}",
        **more,
        **COMMON,
    }


def test_the_demon_is_described_in_full() -> None:
    """The event of the whole node, of the same device."""
    assert json.loads(demon_config(Topics("hall"))) == {
        "name": "Demon!",
        "unique_id": "rd_hall_demon",
        "icon": "mdi:cards-playing-outline",
        "state_topic": "rd/pub/hall/demon",
        "event_types": ["demon"],
        **COMMON,
    }


# Records and states.


def test_a_record_is_told_in_full() -> None:
    """Everything that somebody needs to find a table in mid-match; who has left is not named."""
    sitting = Sitting.playing(3, hands=4, target=90, seats=5, late_join=False, countdown_ms=0)
    for seat in (0, 1, 2):
        sitting.events(seat, cl.Stuck)
    sitting.events(2, cl.Leave)
    view = sitting.table.view
    (points,) = [result.points for result in view.results]
    assert json.loads(record(view, "hall", ["ws://192.0.2.1:5252", "ws://[2001:db8::1]:5252"])) == {
        "v": 1,
        "node": "hall",
        "code": "TEST",
        "urls": ["ws://192.0.2.1:5252", "ws://[2001:db8::1]:5252"],
        "game": "racing-demon",
        "title": "Klondike race",
        "phase": "tally",
        "hand": 1,
        "hands": 4,
        "target": 90,
        "taken": 2,
        "free": 2,
        "late_join": False,
        "locked": False,
        "spectators": True,
        "players": [
            {"seat": 0, "name": "Ann", "bot": "", "host": True, "total": points[0]},
            {"seat": 1, "name": "Ben", "bot": "", "host": False, "total": points[1]},
        ],
    }


def test_teams_are_told_with_their_totals() -> None:
    """Where there are teams, a state has the seats and the total of each; elsewhere none are named."""
    sitting = Sitting.playing(3, hands=4, teams=2, countdown_ms=0)
    for seat in (0, 1, 2):
        sitting.events(seat, cl.Stuck)
    (points,) = [result.points for result in sitting.table.view.results]
    assert json.loads(state(sitting.table.view))["teams"] == [
        {"team": 0, "seats": [0, 2], "total": points[0] + points[2]},
        {"team": 1, "seats": [1], "total": points[1]},
    ]
    assert "teams" not in json.loads(state(Sitting.playing(2).table.view))


def test_between_matches_all_other_seats_are_free() -> None:
    """A seat whose player has left counts as taken only while its match is played."""
    sitting = Sitting.lobby(2, seats=3)
    sitting.events(1, cl.Leave)
    told = json.loads(record(sitting.table.view, "hall", []))
    assert (told["taken"], told["free"], told["urls"]) == (1, 2, [])
    assert [player["total"] for player in told["players"]] == [0]


def test_no_seat_is_free_at_a_locked_table() -> None:
    """Nobody is sent there who would be refused."""
    sitting = Sitting.lobby(2, seats=3)
    sitting.events(0, cl.CloseEntry)
    assert json.loads(record(sitting.table.view, "hall", []))["free"] == 0


def test_a_state_is_told_in_full() -> None:
    """The phase, and the points of the hand and of the match."""
    sitting = _won(call_out="shout")
    told = json.loads(state(sitting.mirror))
    scores = told.pop("scores")
    leads = {"leader": None, "points": None, "players": 2}
    phase = {"v": 1, "code": "TEST", "phase": "playing", "paused": False, "hand": 1, "hands": 1}
    assert told == phase | leads
    assert [(score["seat"], score["name"], score["total"]) for score in scores] == [
        (0, "Ann", 0),
        (1, "Ben", 0),
    ]
    assert scores[0]["points"] > scores[1]["points"]


def test_a_state_has_the_totals_of_the_match() -> None:
    """Those of the finished hands, beside the points of the hand that is played."""
    sitting = Sitting.lobby(2, hands=3, game="classic")
    sitting.start()
    sitting.lay(["AS"], Own(["KC"], reserve="2S"), Own(["KD"], reserve="3H"))
    sitting.play(0, sitting.reserve(0))
    (result,) = sitting.mirror.results
    sitting.wait(60 * SECOND)
    told = json.loads(state(sitting.mirror))
    assert (told["hand"], told["phase"]) == (2, "playing")
    assert list(result.points) == [score["total"] for score in told["scores"]]
    assert result.points[0] > result.points[1]
    assert (told["leader"], told["points"], told["players"]) == ("Ann", result.points[0], 2)


def test_all_who_lead_are_named() -> None:
    """Several that have the same total, or a team."""
    sitting = Sitting.lobby(3, hands=3)
    sitting.start()
    for seat in range(3):
        sitting.events(seat, cl.Stuck)
    points = sitting.mirror.results[0].points
    told = json.loads(state(sitting.mirror))
    assert points[0] == points[1] == points[2]
    assert (told["leader"], told["points"]) == ("Ann and Ben and Cat", points[0])


NAMES = json.loads((Path(__file__).parents[2] / "client" / "names.json").read_text())
LONGEST_STATE = 255
"""Of a sensor in Home Assistant; of a longer one it shows nothing."""


def test_names_are_values_and_no_part_of_a_description() -> None:
    """Whatever is typed arrives as it is; templates are made of our own words."""
    sitting = Sitting.lobby(2)
    for name in [called for _, called, _ in NAMES if called]:
        sitting.mirror.record = sitting.mirror.record.with_seat(1, name=name)
        payload = state(sitting.mirror)
        assert payload.isascii()
        assert [each["name"] for each in json.loads(payload)["scores"]] == ["Ann", name]
    described = b"".join(table_config(Topics("hall"), "BCDF", sensor) for sensor in Sensor)
    templates = {f"{{{{ value_json.{sensor} }}}}" for sensor in Sensor}
    assert set(re.findall(r"{{.*?}}", described.decode())) == templates


def test_all_who_lead_fit_into_a_state() -> None:
    """Eight players with the longest names, none of whom has a point more than the others."""
    sitting = Sitting.lobby(8)
    for seat in sitting.mirror.seats:
        sitting.mirror.record = sitting.mirror.record.with_seat(seat, name=f"{seat}" * MAX_NAME_LENGTH)
    sitting.mirror.record = sitting.mirror.record._replace(
        results=(HandResult(hand=1, seats=tuple(range(8)), points=(0,) * 8, reason=EndReason.STUCK),)
    )
    leader = json.loads(state(sitting.mirror))["leader"]
    assert leader.count(" and ") == 7
    assert len(leader) <= LONGEST_STATE


def test_a_seat_that_has_played_no_hand_has_no_points() -> None:
    """In the lobby nobody has any, and a player who has come in mid-match has none beside the others."""
    sitting = Sitting.lobby(2, game="classic", seats=3)
    told = json.loads(state(sitting.mirror))
    assert [(score["points"], score["total"]) for score in told["scores"]] == [(0, 0), (0, 0)]
    sitting.start()
    sitting.join("Eve")
    told = json.loads(state(sitting.mirror))
    assert tuple(told["scores"][2].values()) == (2, "Eve", 0, 0)
    assert [player["total"] for player in json.loads(record(sitting.mirror, "hall", []))["players"][2:]] == [
        0
    ]


@for_each("closed", [{"spectators": False}, {}])
def test_nobody_is_named_where_nobody_may_look(closed: dict[str, Any]) -> None:
    """Without spectators, or with a passphrase, the broker learns that there is a table, and its phase."""
    sitting = Sitting.lobby(2, **closed)
    view = sitting.table.view
    view.record = view.record._replace(locked=not closed)
    assert json.loads(state(view))["scores"] == json.loads(record(view, "hall", []))["players"] == []
    assert (json.loads(record(view, "hall", []))["taken"], json.loads(state(view))["phase"]) == (2, "lobby")


@for_each("closed", [{"spectators": False}, {}])
def test_nobody_leads_where_nobody_may_look(closed: dict[str, Any]) -> None:
    """The number of the players is told, as it is in the directory."""
    sitting = Sitting.lobby(2, hands=2, **closed)
    sitting.start()
    for seat in range(2):
        sitting.events(seat, cl.Stuck)
    sitting.mirror.record = sitting.mirror.record._replace(locked=not closed)
    told = json.loads(state(sitting.mirror))
    assert (told["leader"], told["points"], told["players"]) == (None, None, 2)


# Topics.


def test_the_topics_of_a_node() -> None:
    """All are named after the node, and a table's after its code in small letters."""
    topics = Topics("hall")
    assert (topics.status, topics.demon) == ("rd/pub/hall/status", "rd/pub/hall/demon")
    assert topics.demon_config == "homeassistant/event/rd_hall/demon/config"
    assert topics.table("BCDF") == "rd/pub/hall/tables/bcdf"
    assert topics.table("BCDF", "events") == "rd/pub/hall/tables/bcdf/events"
    assert topics.sensor_config("BCDF") == "homeassistant/sensor/rd_hall/bcdf/config"
    assert topics.retained("BCDF") == [
        "rd/pub/hall/tables/bcdf",
        "rd/pub/hall/tables/bcdf/state",
        "rd/pub/hall/tables/bcdf/snapshot",
    ]
    assert topics.filters() == [
        "rd/pub/hall/tables/+",
        "rd/pub/hall/tables/+/state",
        "rd/pub/hall/tables/+/snapshot",
        "homeassistant/sensor/rd_hall/+/config",
    ]
    mine = [*topics.retained("BCDF"), topics.sensor_config("BCDF")]
    assert [topics.code_of(topic) for topic in mine] == ["BCDF"] * 4
    others = [*Topics("hall2").retained("BCDF"), topics.table("BCDF", "events"), topics.status, "x" + mine[0]]
    assert [topics.code_of(topic) for topic in others] == [None] * len(others)


@for_each("word", ["", "Hall", "a/b", "+", "#", "x" * 33, "ä"])
def test_no_topic_is_made_of_other_words(word: str) -> None:
    """Neither a node nor a code may say more than one level of a topic."""
    with pytest.raises(ValueError, match="a node's name has 1 to 32 small letters and digits"):
        Topics(word)
    if word != "Hall":  # codes are told in small letters
        with pytest.raises(ValueError, match="a code has 1 to 16 letters and digits"):
            Topics("hall").table(word)


# Results.


def test_a_hand_a_match_and_a_demon_are_told_in_full() -> None:
    """Whoever goes out without a call makes all three; each names its table, its game and its seats."""
    sitting = _won()
    (over,) = of_type(ev.HandOver, sitting.log)
    (ended,) = of_type(ev.MatchOver, sitting.log)
    view = sitting.mirror
    heading = {"v": 1, "code": "TEST", "game": "classic", "casual": False}
    ann, ben = over.points
    assert ann > ben
    assert view.shuffle is not None
    revealed = view.shuffle.revealed()
    assert _results(sitting, over) == [
        ("demon", {"event_type": "demon", "code": "TEST", "seat": 0, "name": "Ann"}),
        (
            "hands",
            {
                **heading,
                "hand": 1,
                "hand_id": "TEST/1/1",
                "reason": "out",
                "out": 0,
                "elapsed_ms": over.elapsed_ms,
                "scores": [
                    {"seat": 0, "name": "Ann", "points": ann, "total": ann},
                    {"seat": 1, "name": "Ben", "points": ben, "total": ben},
                ],
                "commitment": view.commitment,
                "seed": over.seed,
                "contributions": [{"seat": seat, "value": value.hex()} for seat, value in revealed.items()],
            },
        ),
    ]
    assert {0, 1} == revealed.keys()
    assert _results(sitting, ended) == [
        (
            "matches",
            {
                **heading,
                "match": "TEST/1",
                "hands": 1,
                "winners": [{"seat": 0, "name": "Ann"}],
                "scores": [
                    {"seat": 0, "name": "Ann", "total": ann},
                    {"seat": 1, "name": "Ben", "total": ben},
                ],
            },
        )
    ]


def test_a_call_is_the_demon_and_the_end_is_not() -> None:
    """Where players call, the call fires the event, and the hand's end does not fire it again."""
    sitting = _won(call_out="shout")
    (called,) = of_type(ev.Called, sitting.events(0, cl.Call))
    assert _results(sitting, called) == [
        ("demon", {"event_type": "demon", "code": "TEST", "seat": 0, "name": "Ann"})
    ]
    sitting.wait(60 * SECOND)
    (over,) = of_type(ev.HandOver, sitting.log)
    assert [kind for kind, _ in _results(sitting, over)] == ["hands"]
    assert _results(sitting, of_type(ev.Signalled, sitting.log)[0]) == []
