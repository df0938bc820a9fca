"""Tables with any options, to which people come, and from which they go, are judged by somebody else."""

import asyncio
import contextlib
import random
import sys
from collections import Counter
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final

from racing_demon_protocol.enums import BotLevel, Phase
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.table import scoring
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.enums import Durability
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.writer import DurableJournal
from tests.lab.comings.board import RACES
from tests.lab.comings.judge import Judge, Judgement, is_event
from tests.lab.comings.visitors import SNAPSHOT, Visitor, check_streams, log_of
from tests.lab.options.combinations import values_of
from tests.support.effort import amount, more_when_long
from tests.support.servers import deadline, serving_with

HANDS: Final = amount(6, 100, "RACING_DEMON_HANDS")
SEED: Final = amount(1, 1, "RACING_DEMON_SEED")
MOST_VISITORS: Final = 9
MATCH_SECONDS: Final = 200.0
MANY: Final = 1e6
"""As good as no limit."""
GENEROUS: Final[dict[str, Any]] = dict.fromkeys(
    (
        *("commands_per_second", "command_burst", "frames_per_second", "frame_burst"),
        *("units_per_connection", "units_per_address", "units_per_table"),
    ),
    MANY,
)
CHANGED: Final = (
    *("call_out", "stall_rule", "auto_first_turn", "on_leave", "late_join", "spectators", "turn", "redeals"),
    *("shuffle", "tail_rule", "waste_view", "take_back", "forced_bases", "columns", "columns_by_players"),
    *("reserve", "reserve_card", "out_bonus", "handicap", "teams", "king_bonus", "spaces", "reserve_up"),
    *("stock_shift", "turn_by_players", "match_score", "target", "win_lead", "tie_break"),
)


def draw(rng: random.Random) -> Options:
    """Draw a race, changes of some options, and times that let hands end soon."""
    options: dict[str, Any] = {
        "game": rng.choice([*RACES, "classic", "racing-demon"]),
        "hands": rng.choice([1, 2, 3]),
        "countdown_ms": rng.choice([0, 0, 50]),
        "tally_ms": 600_000,
        "time_limit_ms": rng.choice([1_000, 1_500, 2_500]),
        "pause_after_ms": rng.choice([None, None, 0, 100]),
        "watch_delay_ms": rng.choice([0, 0, 0, 100]),
        "seats": rng.choice([3, 5, 8]),
    }
    for name in rng.sample(CHANGED, rng.randint(0, 5)):
        options[name] = rng.choice(values_of(name))
    return Options(**options)


class Evening:
    """One match at one table.

    Attributes:
        visitors: all who ever were there.
        happened: what they did, and how often.

    """

    def __init__(self, url: str, rng: random.Random) -> None:
        self.visitors: list[Visitor] = []
        self.happened: Counter[str] = Counter()
        self._url = url
        self._rng = rng
        self._away: list[Visitor] = []
        self._ann: Visitor

    async def play(self, options: Options) -> Judgement | None:
        """Play a match, and judge it; return ``None`` if the table or its match is refused."""
        rng = self._rng
        try:
            self._ann = await self._come(cl.Create(name="Ann", options=options))
        except CommandRefused:
            return None
        for _ in range(rng.randint(0, 3)):
            await self._join()
        if rng.random() < 0.4:
            await self._ann.ask(cl.AddBot, level=rng.choice(list(BotLevel)))
        if rng.random() < 0.3:
            for seat in list(self._ann.view.seats):
                given = Handicap(
                    heap=rng.randint(-3, 3), delay_s=rng.choice([0, 0, 1]), points=rng.randint(-9, 9)
                )
                await self._ann.ask(cl.SetHandicap, seat=seat, handicap=given)
        if isinstance(await self._ann.ask(cl.Start), Refused):
            await self._end()
            return None
        async with deadline(self._seen, MATCH_SECONDS):
            while self._ann.view.phase is not Phase.OVER:
                await self._round()
        return await self._judged(options)

    def _seen(self) -> str:
        view = self._ann.view
        told = [frame for frame in self._ann.streams[-1] if not is_event(frame)][-3:]
        return f"{view.phase}, hand {view.hand_number} at {view.seq}: {told}; {view.options}"

    async def _judged(self, options: Options) -> Judgement:
        last = self._ann.view.seq
        present = [visitor for visitor in self.visitors if visitor.is_open]
        for visitor in present:
            await visitor.until_seq(last)
        await self._end()
        first, log = log_of(self._ann)
        may_skip = options.watch_delay_ms > 0
        self.happened["events heard"] += check_streams(self.visitors, log, may_skip=may_skip)
        shown = [
            frame
            for visitor in self.visitors
            for stream in visitor.streams
            for frame in stream
            if frame[0] == SNAPSHOT
        ]
        judge = Judge(first, log, shown, [each for visitor in self.visitors for each in visitor.refusals])
        judged = judge.follow()
        for visitor in present:
            totals = scoring.totals(visitor.view)
            assert totals == {seat: judge.totals().get(seat, 0) for seat in totals}
        return judged

    async def _end(self) -> None:
        """Let all go home, the host last: she has heard everything."""
        for visitor in reversed(self.visitors):
            if visitor.is_open:
                await visitor.close()

    # What happens in a round.

    async def _round(self) -> None:
        rng, view = self._rng, self._ann.view
        acts: list[Coroutine[Any, Any, None]] = []
        others = [visitor for visitor in self.visitors if visitor.is_open and visitor is not self._ann]
        if others and rng.random() < 0.06:
            gone = rng.choice(others)
            others.remove(gone)
            acts.append(self._go(gone))
        if others and rng.random() < 0.05:
            cut = rng.choice(others)
            others.remove(cut)
            acts.append(self._cut(cut))
        if self._away and rng.random() < 0.4:
            acts.append(self._come_back(self._away.pop()))
        if len(self.visitors) < MOST_VISITORS and rng.random() < 0.08:
            acts.append(rng.choice([self._join, self._watch])())
        if view.phase is Phase.TALLY and rng.random() < 0.4:
            acts.append(self._deal())
        acts += [visitor.strike() for visitor in [self._ann, *others] if visitor.is_playing]
        rng.shuffle(acts)
        await asyncio.gather(*acts)
        for visitor in self.visitors:
            await visitor.until_answered()
        await asyncio.sleep(0.005)

    async def _come(self, request: cl.Create | cl.Join | cl.Watch) -> Visitor:
        visitor = await Visitor.at(self._url, self._rng, request)
        self.visitors.append(visitor)
        return visitor

    async def _join(self) -> None:
        with contextlib.suppress(CommandRefused):
            await self._come(cl.Join(code=self._ann.place.code, name=f"Guest {len(self.visitors)}"))
            self.happened["joined"] += 1

    async def _watch(self) -> None:
        with contextlib.suppress(CommandRefused):
            await self._come(cl.Watch(code=self._ann.place.code))
            self.happened["watched"] += 1

    async def _go(self, visitor: Visitor) -> None:
        """Let somebody leave: a player gives the seat up, and perhaps watches; a spectator goes."""
        if visitor.is_playing:
            await visitor.leave()
            self.happened["left"] += 1
        else:
            await visitor.close()

    async def _cut(self, visitor: Visitor) -> None:
        if visitor.is_playing:
            await visitor.strike()
        visitor.cut()
        self._away.append(visitor)
        self.happened["cut off"] += 1

    async def _come_back(self, visitor: Visitor) -> None:
        with contextlib.suppress(CommandRefused):
            await visitor.come_back()
            self.happened["came back"] += 1

    async def _deal(self) -> None:
        await self._ann.send(self._ann.next(cl.Start, seen=self._ann.view.seq))


async def play(seed: int, folder: Path) -> tuple[Judgement | None, Counter[str]]:
    """Play a match with any options on a server with a journal, and judge it."""
    rng = random.Random(seed)
    journal = DurableJournal(SqliteStore(folder / f"{seed}.sqlite", Durability.NORMAL))
    try:
        async with serving_with(journal, seed=rng.randbytes(32), bot_speed=30.0, **GENEROUS) as served:
            evening = Evening(served.url, rng)
            return await evening.play(draw(rng)), evening.happened
    finally:
        await asyncio.to_thread(journal.close)


@more_when_long
async def test_who_comes_and_goes_hears_and_scores_what_all_do(tmp_path: Path) -> None:
    """All streams are equal from where each began, all plays are legal by other rules, and tallies add up."""
    done, happened, seed = Judgement(), Counter[str](), SEED
    while done.hands < HANDS:
        try:
            judged, did = await play(seed, tmp_path)
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
        seed += 1
        happened.update(did)
        if judged is None:
            happened["refused"] += 1
            continue
        done.hands += judged.hands
        done.plays += judged.plays
        done.snapshots += judged.snapshots
        done.refusals += judged.refusals
        done.ends.update(judged.ends)
    sys.stdout.write(f"\nseeds {SEED} to {seed - 1}: {done}, {dict(happened)}\n")
    assert happened["left"] > 0 < happened["came back"]
