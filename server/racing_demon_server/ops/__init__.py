"""Operations: metrics, logs, and garbage collection."""
