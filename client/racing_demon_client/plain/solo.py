"""A solo game in plain text: lines in, lines out."""

import secrets
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TextIO

from racing_demon_client.shared.message_text import MessageText, Write, duration
from racing_demon_client.shared.pile_names import is_racelike
from racing_demon_client.shared.rules_text import rules_of
from racing_demon_client.shared.table_view import TableView
from racing_demon_client.shared.trackers import HintFinder
from racing_demon_client.sources.solo import SoloClient, loss_text, progress_text, score_lines, win_text
from racing_demon_client.streams import read_line
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.commit_reveal import SEED_SIZE
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.formatting import pluralize
from racing_demon_protocol.wire.messages import Event

from .commands import ParseError, hint_line, parse_play
from .render import all_piles, table, wrap_lines

HELP: Final = """\
 a b       top of pile a to pile b, as many cards as fit    a b 2  two of them
 a *       the best play from pile a
 a up      pile a to the foundations        a 3  to the third foundation
 0 c       the stock's next card, unseen, to pile c      a out  off the table
 c/1 up    from under one card of pile c, where that is allowed
 fs c      back from the foundation of spades (h, c, d), where that is allowed
 t         turn the stock, or deal, or the only play there is
 shift     the stock's top card to its bottom, where that is allowed
 u, redo   undo a play, as many as you like; redo it
 hint      a play         all      send up all cards that can go up
 again     the same deal from the start     new  another deal
 b         the table again (Enter does the same)
 rules     the rules      scores   your statistics
 q         quit"""
RACELIKE: Final = " Piles: columns 1 2 3 ..., the waste w, the reserve r; f is up"


async def play_alone(
    client: SoloClient, write: Write, lines: TextIO = sys.stdin, *, ascii_only: bool = False
) -> None:
    """Play until the player quits or the input ends."""
    player = _SoloPlayer(client, write, ascii_only=ascii_only)
    player.show()
    write("? lists the commands.")
    while line := await read_line(lines):
        if line.strip().lower() in {"q", "quit"}:
            break
        try:
            player.obey(line.split())
        except (ParseError, IllegalPlay) as error:
            write(str(error))
    await client.close()


class _SoloPlayer:
    """A solo player at the keyboard."""

    def __init__(self, client: SoloClient, write: Write, *, ascii_only: bool) -> None:
        self._client = client
        self._write = write
        self._ascii = ascii_only
        self._hints = HintFinder()
        self._verbs: dict[str, Callable[[], None]] = {
            "b": self.show,
            "board": self.show,
            "t": self._turn,
            "turn": self._turn,
            "shift": lambda: self._report(client.shift()),
            "u": lambda: self._went(client.undo()),
            "undo": lambda: self._went(client.undo()),
            "redo": lambda: self._went(client.redo()),
            "again": lambda: self._went(client.restart()),
            "new": self._deal,
            "hint": self._hint,
            "all": lambda: self._went(client.play_all_up() > 0),
            "rules": lambda: self._write_all(rules_of(client.table.rules.game)),
            "scores": lambda: self._write_all(score_lines({client.table.rules.game.name: client.score})),
            "?": lambda: self._write_all(HELP.splitlines() + [RACELIKE] * self._racelike),
            "help": lambda: self._write_all(HELP.splitlines() + [RACELIKE] * self._racelike),
        }

    @property
    def _racelike(self) -> bool:
        return is_racelike(self._client.table.rules, self._client.table.seat)

    def obey(self, words: list[str]) -> None:
        """Carry out a line.

        Raises:
            ParseError: the line is not a command.
            IllegalPlay: the play is illegal.

        """
        if not words:
            self.show()
        elif len(words) == 1 and (verb := self._verbs.get(words[0].lower())):
            verb()
        else:
            table_ = self._client.table
            self._play(parse_play(" ".join(words), table_.rules, table_.board, table_.seat))

    def show(self) -> None:
        """Print the table."""
        client = self._client
        table_, view = client.table, client.view
        if self._racelike:
            self._write_all(table(TableView.of(view, client.seat), ascii_only=self._ascii))
        else:
            self._write_all(all_piles(table_.rules, table_.board, table_.seat, ascii_only=self._ascii))
        plays, took = pluralize(table_.plays, "play"), duration(client.elapsed_ms)
        state = f" {plays}, {progress_text(table_)}, {took}"
        if table_.is_won:
            state = f" {win_text(client)}"
        elif table_.caption:
            state += f"; say: {table_.caption}"
        elif table_.required_first:
            state += f". {table_.required_first}"
        elif table_.is_stuck():
            state = f" {plays}, {took}. {loss_text(client)} u: undo; again: the same deal; new: another deal"
        self._write(state)

    # Steps.

    def _play(self, play: Play) -> None:
        self._report(self._client.make(play))

    def _report(self, events: Iterable[Event]) -> None:
        client = self._client
        words = MessageText(client.view, client.seat, ascii_only=self._ascii)
        for event in events:
            self._hints.observe(event, client.view, client.seat)
            if line := words.describe(event):
                self._write(line)
        self.show()

    def _turn(self) -> None:
        table_ = self._client.table
        turn = table_.rules.stock_play(table_.board, table_.seat)
        plays = list(table_.rules.legal_plays(table_.board, table_.seat)) if turn is None else []
        if turn is None and len(plays) != 1:
            raise ParseError("There is nothing to turn.")
        self._play(turn or plays[0])

    def _hint(self) -> None:
        table_ = self._client.table
        self._hints.is_fruitless = self._hints.is_fruitless or table_.is_stuck()
        self._write(hint_line(self._hints, table_.rules, table_.board, table_.seat))

    def _deal(self) -> None:
        self._client.deal(secrets.token_bytes(SEED_SIZE))
        self._hints = HintFinder()
        self.show()

    def _went(self, moved: bool) -> None:
        if moved:
            self._hints = HintFinder()
            self.show()
        else:
            self._write("There is nothing to undo, redo or play up.")

    def _write_all(self, lines: Iterator[str] | list[str]) -> None:
        for line in wrap_lines(lines):
            self._write(line)
