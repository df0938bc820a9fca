import hashlib

from racing_demon_protocol.engine.commit_reveal import SEED_SIZE, commitment, matches_commitment


def _seed(number: int) -> bytes:
    return number.to_bytes(SEED_SIZE, "big")


def test_known_commitment() -> None:
    """The commitment is the SHA-256 over the seed and the hand's id, as the wire's description says."""
    expected = hashlib.sha256(bytes(range(32)) + b"TABLE/1/2").hexdigest()
    assert expected == commitment(bytes(range(32)), "TABLE/1/2")


def test_a_true_seed_keeps_its_commitment() -> None:
    """The seed that a hand was committed to is accepted."""
    assert matches_commitment(_seed(7), "T/1/1", commitment(_seed(7), "T/1/1"))


def test_one_flipped_bit_breaks_the_commitment() -> None:
    """A seed that differs in any single bit is refused."""
    published = commitment(_seed(7), "T/1/1")
    kept = [
        bit for bit in range(8 * SEED_SIZE) if matches_commitment(_seed(7 ^ 1 << bit), "T/1/1", published)
    ]
    assert kept == []


def test_a_commitment_is_for_one_hand() -> None:
    """The same seed does not keep the promise of another hand."""
    assert not matches_commitment(_seed(7), "T/1/2", commitment(_seed(7), "T/1/1"))
