"""The plain client: one line per event, short typed commands; for pipes, logs and screen readers."""
