"""What a player can do, and which key does it."""
