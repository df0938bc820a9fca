"""The user's environment: the login name, and what the terminal can show."""

import os


def is_poor(encoding: str) -> bool:
    """Return whether an output with this encoding is limited to ASCII."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "")
    # In the C locale Python writes UTF-8 even if the terminal cannot show it.
    return locale in {"C", "POSIX"} or "utf" not in encoding.lower()


def login_name() -> str:
    """Return the user's login name if it is suitable for a player, otherwise ``Player``."""
    import getpass  # noqa: PLC0415 - unused when a name is given

    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "Player"
    return name if 1 <= len(name) <= 64 and name.isprintable() else "Player"


def software() -> str:
    """Return this program's name and version."""
    from importlib.metadata import version  # noqa: PLC0415 - a slow import that is rarely needed

    return f"racing-demon {version('racing-demon')}"
