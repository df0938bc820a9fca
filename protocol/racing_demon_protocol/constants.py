"""The limits and fixed values that the server and its clients share."""

from typing import Final

MAX_SEATS: Final = 8
"""The maximum number of seats at a table."""
MAX_HANDS: Final = 100
"""The maximum number of hands in a match; with a total that ends it, it may take as many as that takes."""
MAX_TEAMS: Final = 4
"""The maximum number of teams at a table."""
TEAM_LETTERS: Final = "ABCD"
"""What people call the teams, by their numbers."""
MAX_PILES: Final = 1_024
"""The maximum number of piles in a hand."""
MAX_NAME_LENGTH: Final = 24
"""The maximum length of a player's name as shown, in characters."""
MAX_CHAT_LENGTH: Final = 200
"""The maximum length of a line of chat, in characters."""
MAX_REPORT_LENGTH: Final = 200
"""The maximum length of a report to whoever runs the server, in characters."""
MAX_NOTICE_LENGTH: Final = 200
"""The maximum length of what an operator says to all tables, in characters."""
MAX_PASSPHRASE_LENGTH: Final = 64
"""The maximum length of a passphrase, in characters."""
MAX_TEXT_LENGTH: Final = 240
"""The maximum length of a sentence on the wire, in characters."""
MAX_SPECTATORS: Final = 1_000_000
"""The greatest number of spectators of a table that is shown."""
MAX_LISTED_SPECTATORS: Final = 50
"""The most spectators that are listed to the host."""
WEBSOCKET_PATH: Final = "/v1"
"""The path of the WebSocket on a server."""
DEFAULT_PORT: Final = 5_252
"""The port of a server unless it is given another."""
MAX_PLAYS: Final = 100_000
"""The maximum number of plays in a hand, automatic ones included. Then it ends as if its time were up.

That is far above the longest hand that people play. In some games cards can go to and fro without end.
"""
