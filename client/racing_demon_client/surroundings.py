"""What the terminal around us can show."""

import os

__all__ = ["is_poor"]


def is_poor(encoding: str) -> bool:
    """Tell whether an output of some encoding shows no signs beyond ASCII."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "")
    # In the C locale Python writes UTF-8 all the same, whatever the terminal can show.
    return locale in {"C", "POSIX"} or "utf" not in encoding.lower()
