"""The authority: deals, judges plays in the order they arrive, and tells everybody."""

__version__: str


def __getattr__(name: str) -> str:
    """Return the version, which takes long to find out, when it is asked for."""
    if name != "__version__":
        raise AttributeError(name)
    from importlib.metadata import version  # noqa: PLC0415

    return version("racing-demon")
