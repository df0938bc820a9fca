"""The wire protocol: messages, their encodings, and a table's options."""
