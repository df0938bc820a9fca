"""Order in a public place: the operator's bans, and commands for a running server."""
