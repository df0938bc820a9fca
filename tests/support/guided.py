"""A program that looks for frames that break the decoder, guided by what they reach in its code.

``make fuzz RUNS=100000000`` runs it; arguments are libFuzzer's. It ends with an error where one is found.
"""

import random
import resource
import sys

import atheris

with atheris.instrument_imports(include=["racing_demon_protocol"]):
    from racing_demon_protocol.codec import Encoding, encode
    from tests.support.fuzzing import SEEDS, check_frame, mutant

WARM: int = 20_000
"""Runs after which the memory is looked at for the first time: caches are full by then."""


class Runs:
    """Counts runs, and follows the memory."""

    def __init__(self) -> None:
        self.number = 0
        self.good = 0
        self.size = 0

    def one(self, frame: bytes) -> None:
        """Check one frame."""
        self.number += 1
        if self.number % 2:
            # What happens in compiled code guides nobody: every other run changes a good frame instead.
            frame = mutant(random.Random(frame), list(Encoding)[len(frame) % 2])
        self.good += check_frame(frame)
        if self.number == WARM:
            self.size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if self.number % 100_000 == 0:
            self.tell()

    def tell(self) -> None:
        """Say how far it is; the memory is the fuzzer's as well, which keeps all that led it further."""
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - self.size
        sys.stderr.write(f"{self.number} runs, {self.good} messages, +{grown} KiB since run {WARM}\n")


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
