"""What operators watch: metrics, logs, and the interpreter's upkeep."""
