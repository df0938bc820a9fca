"""A bot: it joins a table, plays what brings it nearer to the end, and otherwise turns its stock.

python examples/bot.py ws://127.0.0.1:5252/v1 BCDF
"""

import asyncio
import sys

from racing_demon_client import Client, Kind, Play, RacingDemonError, Ready, Stuck, card_name
from racing_demon_protocol.wire.messages.events import HandOver, MatchOver

SECONDS_A_PLAY = 0.5


async def main(url: str, code: str) -> None:
    """Play at a table until its match is over."""
    async with await Client.join(url, code, "My bot", program=True) as me:
        await me.send(Ready(counter=me.next_counter()))
        async for message in me:  # me.view has followed every message, and holds the whole table
            if isinstance(message, HandOver):
                await me.send(Ready(counter=me.next_counter()))
            elif isinstance(message, MatchOver):
                return
            if me.waiting or (play := choose(me)) is None:
                continue
            await asyncio.sleep(SECONDS_A_PLAY)
            useful = is_useful(me, play)
            print(describe(me, play))
            await me.play(play)
            if not useful:  # the hand ends when everybody says so; a useful play takes it back
                await me.send(Stuck(counter=me.next_counter()))


def choose(me: Client) -> Play | None:
    """Return a play to the foundations, else one that uncovers cards, else a turn of the stock."""
    plays = list(me.legal_plays())  # the last one turns the stock
    up = [play for play in plays if is_up(me, play)]
    useful = [play for play in plays if is_useful(me, play)]
    return next(iter([*up, *useful, *plays[-1:]]), None)


def describe(me: Client, play: Play) -> str:
    """Return where a play takes which card, such as ``K♠: waste to tableau``."""
    board = me.view.board
    assert board is not None
    card = board.top(play.source)
    name = "nothing" if card is None else card_name(card)
    source, destination = board.piles[play.source].kind, board.piles[play.destination].kind
    return f"{name}: {source} to {destination}"


def is_up(me: Client, play: Play) -> bool:
    """Return whether a play brings a card to the foundations."""
    board = me.view.board
    return board is not None and board.piles[play.destination].kind is Kind.FOUNDATION


def is_useful(me: Client, play: Play) -> bool:
    """Return whether a play brings the hand nearer to its end."""
    board = me.view.board
    return board is not None and board.is_progress(play)


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:3]))
    except RacingDemonError as error:  # there is no such table, or no server
        raise SystemExit(str(error)) from None
