"""What travels between server and client: messages, their encodings, and a table's options."""
