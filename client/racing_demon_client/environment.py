"""What is around us: the user, and what the terminal can show."""

import os

__all__ = ["is_poor", "login_name", "software"]


def is_poor(encoding: str) -> bool:
    """Tell whether an output of some encoding shows no signs beyond ASCII."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "")
    # In the C locale Python writes UTF-8 all the same, whatever the terminal can show.
    return locale in {"C", "POSIX"} or "utf" not in encoding.lower()


def login_name() -> str:
    """Return the user's name on this machine, as far as it will do for a name at a table."""
    import getpass  # noqa: PLC0415 - whoever gives a name does not need it

    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "Player"
    return name if 1 <= len(name) <= 64 and name.isprintable() else "Player"


def software() -> str:
    """Return this program's name and version."""
    from importlib.metadata import version  # noqa: PLC0415 - it loads much, and few ask

    return f"racing-demon {version('racing-demon')}"
