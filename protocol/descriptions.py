"""Descriptions of the wire's fields, for ``schema.json`` and the wire document.

Fields of messages are described here by name, because many messages share them. Options and the words of
closed lists are described next to their definitions in the package.
"""

import ast
import inspect
import re
import textwrap
from functools import cache
from itertools import pairwise
from typing import Final

FIELDS: Final[dict[str, str]] = {
    "banned": "The names under which players were sent away who may not come back yet.",
    "bot": "The level of a bot: `easy`, `medium`, `hard` or `expert`.",
    "by": "The seat whose card arrived first; null where the play lost no race.",
    "closed": "Whether the table was closed before the match was played out; this is where it stood.",
    "by_server": "Whether the server's disk takes nothing, and the hand stands still for that.",
    "called": "The seat that has called in this hand; null where none has.",
    "came": "For each pile, how many cards came to it, where the game counts that; empty where all are 0.",
    "code": "The table's code. Capital and small letters, and blanks around it, make no difference.",
    "commitment": "A SHA-256 in hexadecimal that binds whoever sent it: see *Fair deals*.",
    "connected": "Whether a connection of this player stands.",
    "contributions": "What players add to the seed: rows `contribution`.",
    "count": "How many cards.",
    "countdown_ms": "The time from this event to `signalled`, in milliseconds.",
    "counter": "The number of the seat's command. It rises with each command.",
    "departed": "Who has left since the match was over: the seat and the name of each.",
    "depth": "How many cards stay where they are, above the ones that are meant.",
    "destination": "The number of the pile that the cards come to.",
    "elapsed_ms": "The time since the signal without pauses, in milliseconds; negative before the signal.",
    "epoch": "The name of a start of the server: see *Coming back*.",
    "grace_ms": "For how long cards may still land, in milliseconds.",
    "halted": "Whether the table stands still.",
    "hand": "The number of the hand in its match, from 1.",
    "hand_id": "What names the hand: the table's code, the number of the match, and that of the hand.",
    "hand_seats": "The seats of the current or last hand. A seat's place in this list is that in the hand.",
    "heartbeat_ms": "How long the server may wait from one ping to the next; 0: as long as it likes.",
    "host": "The host's seat; null where the host has none.",
    "kicked": "Whether the host sent the player away.",
    "late_us": "By how many microseconds the card came later than the other.",
    "left": "Whether the player has left for good; the seat stays until the next match.",
    "left_out": "The seats whose contributions were not revealed in time.",
    "level": "How well the bot plays: `easy`, `medium`, `hard` or `expert`.",
    "liberties": "For each seat of the hand, how many cards it took back or from below others; or empty.",
    "locked": "Whether the table asks for a passphrase.",
    "muted": "Whether nobody hears what the player says.",
    "name": "The player's name. The one in `joined` counts: the server cleans names, and makes them differ.",
    "newest": "The newest version of the protocol that the server speaks.",
    "next_shuffle": "Who has contributed to the seed of the next hand: see *Fair deals*.",
    "oldest": "The oldest version of the protocol that the server speaks.",
    "options": "The table's options, all of them.",
    "out": "The seat that went out; null where none has.",
    "passphrase": "What opens the table; empty where it has no passphrase.",
    "paused": "Whether the hand stands still.",
    "phase": "What the table is doing.",
    "pile": "The pile that the play was aimed at; -1 where that is none.",
    "piles": "The cards of all piles, in the order of their numbers, each bottom first; -1 is face down.",
    "points": "The points of each seat, in the order of the hand's seats.",
    "port": "The port to dial.",
    "progress": "How far a seat has come; in a snapshot, for each seat of the hand.",
    "reaction": "What is shown. Each client chooses its words, or signs.",
    "ready": "Whether the player is ready for the next deal.",
    "reason": "Why.",
    "redeals": "For each seat of the hand, how many redeals there were.",
    "results": "The finished hands of the match: rows `hand_result`.",
    "seat": "A seat's number, from 0.",
    "seated": "Whether you take a seat; without one you host and watch.",
    "seats": "The seats that take part. A seat's place in this list is that in the hand.",
    "seed": "The server's secret of the hand: 32 bytes in hexadecimal. See *Fair deals*.",
    "seen": "The number of the last event that you had seen.",
    "seq": "The number of the event: one more than that of the event before.",
    "shown": "The cards that this turned up.",
    "shuffle": "Who has contributed to the seed of the current or last hand: see *Fair deals*.",
    "since": "For each seat of the hand, the number of the event with which it came so far.",
    "software": "Which program speaks, for people.",
    "source": "The number of the pile that the cards come from.",
    "stamp": "Any number of yours.",
    "stand_in": "The level of the bot that plays for a player who is away; empty where none does.",
    "stuck": "Whether the player has said to be stuck.",
    "text": "A sentence for people.",
    "token": "The secret that opens the seat: 64 hexadecimal digits.",
    "top": "The card that this pile shows now; -1 where it is empty or face down.",
    "value": "The 32 bytes of a contribution, in hexadecimal.",
    "version": "The version of the protocol that you speak.",
    "winners": "The seats that have won the match; several share it. Empty while it goes on.",
    "within_ms": "For how long contributions may be revealed, in milliseconds.",
    # Names with a different meaning in one message.
    "accepted.counter": "The number of the command that this answers.",
    "accepted.seq": "The number of the last event of the table, after the command was carried out.",
    "caught_up.seq": "The number of the last event that you have been sent.",
    "elsewhere.port": "The port of the process that has the table, at the host that you have dialled.",
    "versions.software": "Which program speaks; the word `relaying` behind it allows `relaying`.",
    "hello.software": "Your program's name; behind it `moved` and `races`, if you know `moved`, `race_lost`.",
    "moved.host": "The name or IP address of the host that has the table.",
    "moved.port": "Its port.",
    "hosted.seat": "The host's seat; null where the host has none.",
    "joined.bot": "The level of a bot: `easy`, `medium`, `hard` or `expert`; empty for a person.",
    "join.token": "A secret that you have drawn for the seat; empty to let the server draw one.",
    "paused.seat": "The host's seat who wanted it; null where nobody did.",
    "play_cards.count": "How many cards, from the top of the source.",
    "play_cards.destination": "The pile that the cards come to; -1: the first foundation that takes them.",
    "played.count": "How many cards: from the top of the source or, negative, from its bottom.",
    "played.counter": "The number of the command that this answers; 0 where the game moved by itself.",
    "played.depth": "How many cards above (or, where `count` is negative, below) the ones taken stayed.",
    "unban.name": "The name, as the snapshot's `banned` has it.",
    "unbanned.name": "The name.",
    "played.seq": "The number of the event; on identical deals that of the event before.",
    "played.shown": "The cards that this turned up: those of the source, then those of the destination.",
    "dealt.shown": "All cards that lie face up, in the order of the piles, each bottom first.",
    "race_lost.by": "The seat whose card arrived first.",
    "race_lost.card": "The card that arrived first; -1 where it lies face down by now.",
    "race_lost.pile": "The foundation.",
    "race_lost.seat": "The seat whose card came later.",
    "refused.counter": "The number of the command that this answers; 0 where it was none of a seat.",
    "resume.seq": "The number of the last event that you have seen; 0 asks for a snapshot.",
    "ready.ready": "Whether you are ready for the next deal.",
    "say.text": "What you say.",
    "said.text": "What the player said.",
    "seat_state.bot": "The level of a bot: `easy`, `medium`, `hard` or `expert`; empty for a person.",
    "seated.counter": "The last command of this seat that the table has answered.",
    "seated.seat": "Your seat; null for a spectator.",
    "seated.token": "The secret that opens your seat again; null for a spectator.",
    "set_options.options": "The options to change. Those that it does not name stay as they are.",
    "contribution.value": "The 32 bytes, in hexadecimal; null before they are revealed.",
    "create.options": "The options that differ from their defaults.",
    "snapshot.hand": "The number of the current or last hand of the match, from 1; 0 before the first.",
    "snapshot.hand_id": "What names the current or last hand; empty before the first.",
    "snapshot.seats": "Who sits at the table: rows `seat_state`.",
    "snapshot.seq": "The number of the last event that is part of this.",
    "relaying.count": "How many watch at the relay.",
    "watchers.count": "How many watch the table without a seat.",
}
"""The meaning of each field by name, or by message and field where it differs."""


def field(message: str, name: str) -> str:
    """Return the meaning of a field of a message or row.

    Raises:
        KeyError: the field is not described.

    """
    return FIELDS.get(f"{message}.{name}") or FIELDS[name]


@cache
def beside(cls: type) -> dict[str, str]:
    """Return the descriptions below the options or members of a class."""
    (model,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(model, ast.ClassDef)
    words = {}
    for member, text in pairwise(model.body):
        if not (isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)):
            continue
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            words[member.target.id] = plain(str(text.value.value))
        elif isinstance(member, ast.Assign) and isinstance(member.value, ast.Constant):
            words[str(member.value.value)] = plain(str(text.value.value))
    return words


def plain(text: str) -> str:
    """Return a docstring as Markdown for readers who do not know Python or these sources."""
    text = re.sub(r" \((?:A\d+)\b[^)]*\)", "", inspect.cleandoc(text))
    text = re.sub(r":\w+:`[\w.~]*?(\w+)`", lambda link: f"`{wire_name(link[1])}`", text)
    return text.replace("``None``", "null").replace("``", "`")


def wire_name(name: str) -> str:
    """Return the name of a class on the wire, such as ``hand_over``."""
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")
