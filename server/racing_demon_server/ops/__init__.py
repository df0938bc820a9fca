"""Operations: metrics, logs, the event loop, and garbage collection."""
