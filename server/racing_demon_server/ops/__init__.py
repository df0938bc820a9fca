"""Operations: metrics, logs, the event loop, and garbage collection."""

__all__ = [
    "event_loop",
    "garbage_collection",
    "histogram",
    "logs",
    "metrics",
    "optional_imports",
    "prometheus",
]
