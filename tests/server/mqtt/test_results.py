"""The results that are published, read from the table's view."""

import json

from racing_demon_protocol.engine.commit_reveal import deal_seed, matches_commitment
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_server.mqtt.payloads import results
from tests.support.contributing import contribute, reveal
from tests.support.tables import SECOND, Sitting


def test_a_hand_can_be_dealt_again_from_its_result() -> None:
    """Secret, commitment, and what those have revealed who took part, give the cards that were dealt."""
    sitting = Sitting.lobby(3)
    contribute(sitting, (0, 1, 2))
    sitting.events(0, cl.Start)
    reveal(sitting, (2, 0))
    sitting.wait(5 * SECOND)  # without the third all is drawn anew
    contribute(sitting, (0, 2))
    reveal(sitting, (2, 0))
    sitting.wait(5 * SECOND)  # the countdown
    dealt = next(event for event in sitting.log if isinstance(event, ev.Dealt))
    for seat in dealt.seats:
        sitting.events(seat, cl.Stuck)
    over = next(event for event in sitting.log if isinstance(event, ev.HandOver))
    ((_, payload),) = results(sitting.mirror, over)
    told = json.loads(payload)
    secret = bytes.fromhex(told["seed"])
    assert matches_commitment(secret, told["hand_id"], told["commitment"])
    contributions = {each["seat"]: bytes.fromhex(each["value"]) for each in told["contributions"]}
    seed = deal_seed(secret, told["hand_id"], contributions)
    assert dealt.shown == Dealer(seed, sitting.rules).first_cards()


def test_a_hand_without_contributions_has_none() -> None:
    """Where nobody was asked for any, as at a table of an older server."""
    sitting = Sitting.playing(2)
    for seat in range(2):
        sitting.events(seat, cl.Stuck)
    over = next(event for event in sitting.log if isinstance(event, ev.HandOver))
    view = sitting.mirror.copy()
    view.record = view.record._replace(shuffle=None)
    ((_, payload),) = results(view, over)
    assert json.loads(payload)["contributions"] == []
