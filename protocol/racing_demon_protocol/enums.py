"""The closed lists of words on the wire."""

from enum import IntEnum, StrEnum
from typing import Final


class BotLevel(StrEnum):
    """How well a bot plays, the weakest first; then one that is never the same for long."""

    BEGINNER = "beginner"
    """Very slow, and overlooks half of what there is."""
    EASY = "easy"
    """Slow, and overlooks much."""
    MEDIUM = "medium"
    """Good, and overlooks little."""
    HARD = "hard"
    """Fast, and overlooks nothing."""
    EXPERT = "expert"
    """Plans ahead to go out."""
    ADAPTIVE = "adaptive"
    """As good as the person with the fewest points, from hand to hand."""


BOTS_PLAY: Final = {
    BotLevel.BEGINNER: "plays very slowly",
    BotLevel.EASY: "plays slowly",
    BotLevel.MEDIUM: "plays well",
    BotLevel.HARD: "plays fast",
    BotLevel.EXPERT: "plans to go out",
    BotLevel.ADAPTIVE: "plays as well as the person who is behind",
}
"""What a bot of each level does, in the words of the terminal."""


class Reason(StrEnum):
    """Why a command was refused."""

    ILLEGAL = "illegal"
    """The rules never allowed this play."""
    BEATEN = "beaten"
    """The play was legal on the board that the sender had seen, but another player's card arrived first."""
    NOT_STARTED = "not_started"
    """No hand is in play yet; plays count from the signal on."""
    HAND_OVER = "hand_over"
    """The hand had ended when the command arrived."""
    NOT_YOUR_PILE = "not_your_pile"
    """The pile belongs to another seat."""
    UNKNOWN_PILE = "unknown_pile"
    """The table has no pile with that number."""
    TOO_FAST = "too_fast"
    """More commands a second than the server takes from one connection; or too much chat, too many tables or
    passphrases."""
    NOT_HOST = "not_host"
    """Only the table's host may do this."""
    NOT_SEATED = "not_seated"
    """Spectators may not do this, or the seat is not in this hand."""
    NOT_NOW = "not_now"
    """The table is in another phase."""
    REPEATED = "repeated"
    """The seat's counter did not increase, and the first answer is no longer stored."""
    TABLE_FULL = "table_full"
    """All seats are taken."""
    UNKNOWN_TABLE = "unknown_table"
    """There is no table with this code."""
    BAD_TOKEN = "bad_token"  # noqa: S105 - the word on the wire
    """The token is not valid for any seat at this table."""
    BAD_PASSPHRASE = "bad_passphrase"  # noqa: S105 - the word on the wire
    """The table has a passphrase, and this is not it."""
    NO_SPECTATORS = "no_spectators"
    """The table does not allow spectators."""
    BANNED = "banned"
    """The host has kicked you; you may return after the match, or when the host allows it."""
    MUTED = "muted"
    """The host has muted this seat."""
    PAUSED = "paused"
    """The hand is paused; no plays are accepted until it continues."""
    BAD_NAME = "bad_name"
    """The name has no printable characters."""
    BAD_TEXT = "bad_text"
    """The text has no printable characters."""
    BAD_CONTRIBUTION = "bad_contribution"
    """The bytes do not match this seat's commitment."""
    BAD_OPTION = "bad_option"
    """The options contradict each other, or do not apply to the game."""
    SERVER_FULL = "server_full"
    """The server has reached its limit of tables, in total or for this address, or of bots."""
    HALTED = "halted"
    """The server cannot write to its disk at the moment."""
    UNKNOWN_PLAYER = "unknown_player"
    """The server knows no such player, or no such device of the player; only in answer to ``identify``."""


class Phase(StrEnum):
    """The phases of a table."""

    LOBBY = "lobby"
    """No match has begun."""
    SHUFFLING = "shuffling"
    """The next hand's seed accepts no more contributions, and players reveal theirs."""
    COUNTDOWN = "countdown"
    """The cards are dealt, and the signal has not come yet."""
    PLAYING = "playing"
    """A hand is in play."""
    GRACE = "grace"
    """"Demon!" was called; unconfirmed cards may still land."""
    TALLY = "tally"
    """A hand is over, and the match goes on."""
    OVER = "over"
    """The match is over."""


class Reaction(StrEnum):
    """What a player can show with one key. Each client chooses its words or symbols."""

    WELL_PLAYED = "well_played"
    """Well played!"""
    THANKS = "thanks"
    """Thanks!"""
    OH_NO = "oh_no"
    """Oh no!"""
    LAUGH = "laugh"
    """Ha ha!"""
    HURRY = "hurry"
    """Hurry up!"""
    SORRY = "sorry"
    """Sorry!"""


class EndReason(StrEnum):
    """Why a hand ended."""

    OUT = "out"
    """A player went out."""
    DEAD = "dead"
    """No player can make any further play."""
    STUCK = "stuck"
    """All connected players declared that they are stuck."""
    TIME_UP = "time_up"
    """The table's time limit was reached."""
    ABANDONED = "abandoned"
    """Everybody left."""
    CLOSED = "closed"
    """The host ended the match during the hand, or the table was closed."""


class CloseCode(IntEnum):
    """Why a server closed a WebSocket, beside other codes of RFC 6455."""

    GOOD_BYE = 1000
    """A normal end."""
    GOING_AWAY = 1001
    """The server has stopped, or the table has ended."""
    BAD_FRAME = 4000
    """A frame was invalid, or not allowed at this point."""
    TAKEN_OVER = 4001
    """A newer connection resumed the seat."""
    VERSION = 4002
    """The client and the server have no protocol version in common."""
    TOO_LATE = 4003
    """The client did not ask for a table in time."""
    FLOOD = 4004
    """Far more frames a second than anybody plays."""
    TRY_AGAIN = 1013
    """The table cannot be entered at the moment: it is being read, or nothing can be written."""
    FULL = 4005
    """The server accepts no more connections."""
    KICKED = 4007
    """The table's host kicked this player, or the server's operator has banned the address."""
    SERVER_ERROR = 4006
    """The server encountered an internal error and logged it."""
