"""How many files a server may have open: each connection is one."""

import sys
from typing import Final

from .settings import ServerSettings

OTHER_FILES: Final = 100
"""Open files other than players' connections."""


def wanted_files(settings: ServerSettings) -> int:
    """Return how many files the limits of the settings ask for."""
    return settings.max_connections + settings.max_handshakes + OTHER_FILES


def possible_files(settings: ServerSettings) -> int:
    """Return how many of these the system allows."""
    wanted = wanted_files(settings)
    if sys.platform == "win32":
        return wanted
    import resource  # noqa: PLC0415 - not there on Windows

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return wanted if most == resource.RLIM_INFINITY else min(wanted, most)


def allow_files(settings: ServerSettings) -> int:
    """Raise the limit of open files, because the default is far lower; return how many are possible."""
    possible = possible_files(settings)
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - not there on Windows

        allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if allowed != resource.RLIM_INFINITY and allowed < possible:
            resource.setrlimit(resource.RLIMIT_NOFILE, (possible, most))
    return possible
