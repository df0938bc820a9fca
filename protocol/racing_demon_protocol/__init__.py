"""What server and client must agree on: cards, board, rules, games, messages. Pure: no I/O, no clock."""
