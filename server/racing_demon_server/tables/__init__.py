"""The tables of a server: each with its room, commit queue, players and spectators."""

__all__ = [
    "backlog",
    "broadcast",
    "commit",
    "committed",
    "inbox",
    "observer",
    "passphrase",
    "places",
    "registry",
    "room",
    "spectators",
    "turns",
]
