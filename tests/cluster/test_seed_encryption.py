"""The secrets of hands in a database: masked with a key, and unmasked with it alone."""

from pathlib import Path

import pytest

from racing_demon_cluster.postgres.codes import code_of
from racing_demon_cluster.seed_encryption import (
    MIN_KEY_BYTES,
    SALT_SIZE,
    ClusterKeys,
    EncryptedSeed,
    read_keys,
)
from racing_demon_protocol.engine.commit_reveal import SEED_SIZE, commitment
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.reader import UnknownContents
from racing_demon_server.sharding import CODE_LETTERS
from tests.support.cases import for_each

OLD, NEW = bytes(range(32)), bytes(range(1, 33))
SEED, HAND = bytes(range(100, 132)), "BCDF/1/1"
PROMISE = commitment(SEED, HAND)
KEPT = EncryptedSeed(
    10872614, bytes(16), bytes.fromhex("1fc801929504d1dd1ce3a738bc9a72c88101f1b5c2935df8fffcc925350f65ab")
)
CODES = ["FJCJNQ", "RHPZXF", "FJCJNQ"]


def test_a_seed_that_was_masked_is_unmasked() -> None:
    """With the same key, table and hand; each time it is masked otherwise, and never to be seen."""
    keys = ClusterKeys([OLD])
    masked = [keys.encrypt(7, HAND, SEED) for _ in range(2)]
    assert [keys.decrypt(7, HAND, each, PROMISE) for each in masked] == [SEED, SEED]
    assert masked[0].salt != masked[1].salt
    assert masked[0].masked != masked[1].masked != SEED
    assert len(masked[0].salt) == SALT_SIZE
    for table_id, hand_id in ((8, HAND), (7, "BCDF/1/2")):
        with pytest.raises(UnknownContents, match="is not the one that was promised"):
            keys.decrypt(table_id, hand_id, masked[0], PROMISE)


def test_a_key_can_be_replaced() -> None:
    """The first one masks, and older ones unmask what they have masked; without them that cannot be."""
    kept = ClusterKeys([OLD]).encrypt(7, HAND, SEED)
    both = ClusterKeys([NEW, OLD])
    assert both.decrypt(7, HAND, kept, PROMISE) == SEED
    assert ClusterKeys([NEW]).decrypt(7, HAND, both.encrypt(7, HAND, SEED), PROMISE) == SEED
    for keys in (ClusterKeys([NEW]), ClusterKeys()):
        with pytest.raises(UnknownContents, match="needs another cluster key"):
            keys.decrypt(7, HAND, kept, PROMISE)


@for_each("size", [0, SEED_SIZE - 1, SEED_SIZE + 1])
def test_a_seed_of_another_length_is_refused(size: int) -> None:
    """A damaged row is told as such; and nothing of another length is masked."""
    keys = ClusterKeys([OLD])
    masked = keys.encrypt(7, HAND, SEED).masked + b"x"
    kept = keys.encrypt(7, HAND, SEED)._replace(masked=masked[:size])
    with pytest.raises(UnknownContents, match="is not the one that was promised"):
        keys.decrypt(7, HAND, kept, PROMISE)
    with pytest.raises(ValueError, match="zip"):
        keys.encrypt(7, HAND, bytes(size))


def test_what_is_in_databases_can_be_read_for_ever() -> None:
    """How a key is known, how it masks, and which code a number has, is the same in all versions."""
    assert ClusterKeys([OLD]).decrypt(7, HAND, KEPT, PROMISE) == SEED
    assert [code_of(number, 6, OLD) for number in (1, 2, 20**6 + 1)] == CODES


@for_each("letters", [2, 3])
def test_every_number_has_a_code_of_its_own(letters: int) -> None:
    """Until all codes of that length are used; then they come again."""
    every = len(CODE_LETTERS) ** letters
    codes = [code_of(number, letters, OLD) for number in range(every)]
    assert every == len(set(codes))
    assert {letters} == {len(code) for code in codes}
    assert codes[:5] == [code_of(every + number, letters, OLD) for number in range(5)]
    assert codes[:5] != [code_of(number, letters, NEW) for number in range(5)]


def test_keys_are_read_from_files(tmp_path: Path) -> None:
    """In their order; one that is missing or short is refused with what to do."""
    paths = [tmp_path / name for name in ("new", "old", "short", "missing")]
    for path, size in zip(paths, (MIN_KEY_BYTES, 100, MIN_KEY_BYTES - 1), strict=False):
        path.write_bytes(bytes(size))
    assert (bytes(MIN_KEY_BYTES), bytes(100)) == read_keys(paths[:2])
    with pytest.raises(JournalUnusable, match=rf"{paths[2]} is too short: it needs {MIN_KEY_BYTES} bytes"):
        read_keys(paths[:3])
    with pytest.raises(JournalUnusable, match=rf"{paths[3]} cannot be read: No such file or directory\."):
        read_keys(paths[3:])
