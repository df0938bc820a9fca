"""The floor: a program that answers every key with one cell, and does nothing else."""

import itertools
import os
import tty


def main() -> None:
    """Answer keys until the terminal is gone."""
    tty.setraw(0)
    os.write(1, b"\x1b[?2026h\x1b[2J\x1b[6;1Hready\x1b[?2026l")
    for sign in itertools.cycle((b"#", b".")):
        if not os.read(0, 64):
            return
        os.write(1, b"\x1b[?2026h\x1b[5;9H" + sign + b"\x1b[?2026l")


if __name__ == "__main__":
    main()
