"""The plain client: one line an event, short typed commands; for pipes, logs and screen readers."""
