"""The program's own streams: who sits there, and how lines go out."""

import argparse
import sys

from .surroundings import is_poor

__all__ = ["has_screen", "is_ascii_only", "is_terminal", "write", "write_aside"]


def write(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def write_aside(line: str) -> None:
    """Print a line where it is in nobody's way who reads the output by program."""
    sys.stderr.write(line + "\n")


def is_ascii_only(arguments: argparse.Namespace) -> bool:
    """Tell whether suits are written as letters: as asked for, or as the terminal needs it."""
    return bool(arguments.ascii) or is_poor(sys.stdout.encoding or "")


def is_terminal() -> bool:
    """Tell whether somebody sits at a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def has_screen(arguments: argparse.Namespace) -> bool:
    """Tell whether the terminal table is to be shown, and can be: Textual draws it on standard error."""
    return not arguments.plain and is_terminal() and sys.stderr.isatty()
