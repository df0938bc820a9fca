"""The hand in docs/wire.md, dealt again from what that document says and nothing else."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from racing_demon_protocol.engine.commit_reveal import contribution_hash, deal_seed
from racing_demon_protocol.records.verify import VerificationReport, verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import decode_server
from racing_demon_protocol.wire.options import Options
from tests.support import independent_dealer
from tests.support.cases import for_each

DOCUMENT = (Path(__file__).parents[3] / "docs" / "wire.md").read_text(encoding="utf-8")
LINES = DOCUMENT.partition("<!-- generated: one hand -->")[2].split("```")[1].strip().splitlines()
ROWS: list[list[Any]] = [json.loads(line) for line in LINES]
PREPARED, CONTRIBUTED, REVEALED, COMMITTED, DEALT, OVER = 103, 104, 105, 87, 88, 93


def rows(number: int) -> list[list[Any]]:
    """Return the events of a kind, without number and place."""
    return [row[2:] for row in ROWS if row[0] == number]


def sha256(*parts: bytes) -> bytes:
    """Return a SHA-256."""
    return hashlib.sha256(b"".join(parts)).digest()


def test_the_server_s_commitment_is_as_told() -> None:
    """It is over the secret that the hand's end tells, and the hand's id."""
    ((hand_id, commitment),) = rows(PREPARED)
    secret = bytes.fromhex(rows(OVER)[0][-1])
    assert (secret, hand_id) == (bytes(range(32)), "BCDF/1/1")
    assert commitment == sha256(secret, hand_id.encode()).hex() == rows(COMMITTED)[0][2]


def test_the_players_commitments_are_as_told() -> None:
    """Each is over the server's commitment, the seat, the bytes that were revealed, and the hand's id."""
    ((hand_id, commitment),) = rows(PREPARED)
    values = {seat: bytes.fromhex(value) for seat, value in rows(REVEALED)}
    assert {0: bytes(range(32, 64)), 1: bytes(range(64, 96))} == values
    for seat, told in rows(CONTRIBUTED):
        parts = (bytes.fromhex(commitment), bytes([seat]), values[seat], hand_id.encode())
        assert told == sha256(b"racing-demon contribution 1\n", *parts).hex()


def test_the_cards_are_as_told() -> None:
    """The seed is the hash over all; with games.json it gives the cards that the deal shows."""
    values = sorted((seat, bytes.fromhex(value)) for seat, value in rows(REVEALED))
    secret = bytes.fromhex(rows(OVER)[0][-1])
    contributed = b"".join(bytes([seat]) + value for seat, value in values)
    seed = sha256(b"racing-demon deal 1\n", secret, bytes([len(values)]), contributed, b"BCDF/1/1")
    cards = independent_dealer.deal(seed, "racing-demon", 2, {})
    seats, shown, _, *_ = rows(DEALT)[0]
    assert seats == [0, 1]
    assert shown == independent_dealer.shown("racing-demon", 2, {}, cards)


def test_the_formulas_are_those_of_the_program() -> None:
    """What the document says that the two hashes begin with is what they do begin with."""
    told = re.findall(r"the text `(.*?)` and a line feed \((\d+) bytes\)", DOCUMENT)
    assert told == [("racing-demon contribution 1", "28"), ("racing-demon deal 1", "20")]
    secret, promised = bytes(32), "ab" * 32
    begin = b"racing-demon contribution 1\n" + bytes.fromhex(promised)
    hashed = sha256(begin, b"\x07", bytes(32), b"X/1/1").hex()
    assert hashed == contribution_hash(bytes(32), promised, "X/1/1", 7)
    seed = sha256(b"racing-demon deal 1\n", secret, b"\x01\x07", bytes(32), b"X/1/1")
    assert seed == deal_seed(secret, "X/1/1", {7: bytes(32)})


def test_the_hand_proves_itself() -> None:
    """As a record it is right, and somebody had contributed to its only hand."""
    table = TableState("BCDF", Options()).snapshot(0)
    assert verify([table, *map(decode_server, LINES)]) == VerificationReport(1, 0, 0, 0)


@for_each("line", LINES)
def test_a_line_of_the_hand_is_as_an_example_would_be(line: str) -> None:
    """Each event of the hand is one of the wire."""
    assert decode_server(line).seq == json.loads(line)[1]  # type: ignore[attr-defined]
