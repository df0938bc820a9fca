"""A program that looks for frames that break the decoder, guided by what they reach in its code.

Each run decodes what libFuzzer has found in every way there is, and 200 neighbors of it as a client's:
what the fuzzer does between two frames takes longer than to decode one.
"""

import random
import resource
import sys

import atheris

with atheris.instrument_imports(include=["racing_demon_protocol"]):
    from racing_demon_protocol.wire.codec import Encoding, decode_client, encode
    from tests.lab.fuzzing.frames import SEEDS, check_decoding, check_frame, mutant, neighbors

WAYS: int = 4
"""Binary and text, as a client's and as a server's."""
NEIGHBORS: int = 200
WARM: int = 20_000
"""Runs after which the memory is looked at for the first time: caches are full by then."""
LARGE: int = 4_096
"""KiB that no frame should take."""


class Runs:
    """Counts runs, and by how much the peak of the memory rose while frames were decoded, in KiB.

    Between two frames the fuzzer takes memory for itself, for all that led it further.
    """

    def __init__(self) -> None:
        self.number = 0
        self.decoded = 0
        self.good = 0
        self.grown = 0

    def one(self, frame: bytes) -> None:
        """Check one frame."""
        self.number += 1
        if self.number % 2:
            # What happens in compiled code guides nobody: every other run changes a good frame instead.
            frame = mutant(random.Random(frame), list(Encoding)[len(frame) % 2])
        before = peak()
        self.good += check_frame(frame)
        self.decoded += WAYS
        if frame:
            for near in neighbors(random.Random(frame), frame, NEIGHBORS):
                self.good += check_decoding(decode_client, near)
            self.decoded += NEIGHBORS
        grown = peak() - before
        if self.number > WARM:
            self.grown += grown
        if grown > LARGE:
            sys.stderr.write(f"run {self.number} took {grown} KiB: {frame[:64].hex()}... of {len(frame)}\n")
        if self.number % 10_000 == 0:
            text = (
                f"{self.number} runs, {self.decoded} decodings, {self.good} messages, "
                f"+{self.grown} KiB since run {WARM}"
            )
            sys.stderr.write(f"{text}\n")


def peak() -> int:
    """Return the most memory that this process has had, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    from pathlib import Path
    from tempfile import mkdtemp

    corpus = Path(mkdtemp(prefix="racing-demon-corpus-"))
    for number, message in enumerate(SEEDS):
        for encoding in Encoding:
            encoded = encode(message, encoding)
            (corpus / f"{number}-{encoding.name}").write_bytes(
                encoded.encode() if isinstance(encoded, str) else encoded
            )
    runs = Runs()
    atheris.Setup([*sys.argv, "-max_len=4200", "-print_final_stats=1", str(corpus)], runs.one)
    atheris.Fuzz()
