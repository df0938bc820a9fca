"""The closed lists of words that travel on the wire."""

from enum import IntEnum, StrEnum

__all__ = ["BotLevel", "CloseCode", "EndReason", "Phase", "Reaction", "Reason"]


class BotLevel(StrEnum):
    """How well a bot plays, the weakest first."""

    EASY = "easy"
    """Slowly, and overlooks much."""
    MEDIUM = "medium"
    """Well, and overlooks little."""
    HARD = "hard"
    """Fast, and overlooks nothing."""
    EXPERT = "expert"
    """Plans, to go out."""


class Reason(StrEnum):
    """Why a command was refused."""

    ILLEGAL = "illegal"
    """The rules never allowed this play."""
    BEATEN = "beaten"
    """It was legal on the board that the sender had seen; somebody's card arrived first."""
    NOT_STARTED = "not_started"
    """No hand is being played yet; plays count from the signal on."""
    HAND_OVER = "hand_over"
    """The hand had ended when the command arrived."""
    NOT_YOUR_PILE = "not_your_pile"
    """The pile belongs to another seat."""
    UNKNOWN_PILE = "unknown_pile"
    """The table has no pile of that number."""
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
    """The seat's counter did not rise, and the first answer is no longer kept."""
    TABLE_FULL = "table_full"
    """All seats are taken."""
    UNKNOWN_TABLE = "unknown_table"
    """No table has this code."""
    BAD_TOKEN = "bad_token"  # noqa: S105 - the word on the wire, no secret
    """The token opens no seat at this table."""
    BAD_PASSPHRASE = "bad_passphrase"  # noqa: S105 - the word on the wire, no secret
    """The table has a passphrase, and this is not it."""
    NO_SPECTATORS = "no_spectators"
    """The table wants nobody to look on."""
    BANNED = "banned"
    """The host has sent you away; you may come back after the match, or when the host lets you."""
    MUTED = "muted"
    """The host lets nobody hear what this seat says."""
    PAUSED = "paused"
    """The hand stands still; nothing can be played until it goes on."""
    BAD_NAME = "bad_name"
    """Nothing printable is left of the name."""
    BAD_TEXT = "bad_text"
    """Nothing printable is left of what was said."""
    BAD_CONTRIBUTION = "bad_contribution"
    """The bytes are not the ones that this seat has committed to."""
    BAD_OPTION = "bad_option"
    """The options contradict each other, or the game does not know them."""
    SERVER_FULL = "server_full"
    """The server takes no more tables, from nobody or from this address, or no more bots."""
    HALTED = "halted"
    """The server's disk takes nothing at the moment."""


class Phase(StrEnum):
    """What a table is doing."""

    LOBBY = "lobby"
    """No match has begun."""
    SHUFFLING = "shuffling"
    """The next hand's cards are fixed, and its players reveal what they have contributed to the seed."""
    COUNTDOWN = "countdown"
    """The cards are dealt, and the signal has not come yet."""
    PLAYING = "playing"
    """A hand is played."""
    GRACE = "grace"
    """"Demon!" was called; cards in the air may still land."""
    TALLY = "tally"
    """A hand is over, and the match goes on."""
    OVER = "over"
    """The match is over."""


class Reaction(StrEnum):
    """What a player can show with one key. Each client chooses its words, or signs."""

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
    """No player can make any further play (seed 002; catalogue 1.8.1, first test)."""
    STUCK = "stuck"
    """All connected players said that they are stuck (catalogue 1.8.1, second test)."""
    TIME_UP = "time_up"
    """The table's time limit has passed."""
    ABANDONED = "abandoned"
    """Everybody left."""
    CLOSED = "closed"
    """The table was closed in the midst of the hand."""


class CloseCode(IntEnum):
    """Why a server closed a WebSocket, beside other codes of RFC 6455."""

    GOOD_BYE = 1000
    """Nothing more is to be said."""
    BAD_FRAME = 4000
    """A frame was not understood, or came out of turn."""
    TAKEN_OVER = 4001
    """The seat was taken up again by a newer connection."""
    VERSION = 4002
    """The client speaks no version of the protocol that the server speaks."""
    TOO_LATE = 4003
    """No table was asked for in time."""
    FLOOD = 4004
    """Far more frames a second than anybody plays."""
    TRY_AGAIN = 1013
    """The server's disk takes nothing at the moment; come back in a while."""
    FULL = 4005
    """The server takes no more connections."""
    KICKED = 4007
    """The host of the table sent this player away."""
    SERVER_ERROR = 4006
    """The server made a mistake; it wrote it down."""
