"""A rehearsed evening: phones, a laptop, a television, a terminal and bots at one table.

``python -m tests.lab.evening.rehearsal FOLDER`` plays it whole. At every pause it compares what each screen
shows with the server's table. It writes ``FOLDER/evening.html``, a row of pictures for each pause, and
``evening.jpg``, the same as one picture. It exits with 1 if any screen differed.
"""

import argparse
import asyncio
import contextlib
import html
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from benchmarks.pty_program import PtyProgram, Terminals
from playwright.async_api import Browser
from playwright.async_api import TimeoutError as PlaywrightTimeout

from racing_demon_client import Client, Options
from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.cards import UNKNOWN, rank, suit
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.client import MakeHost
from racing_demon_protocol.wire.messages.events import Continued, HandOver, Paused, Signalled
from tests.support.browsers import Phone, chromium, phone
from tests.support.processes import CLIENT, server_process
from tests.support.servers import deadline, end_tasks
from tests.support.small_cards import SMALL_CARDS

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: Final = "♠♥♣♦"
FACE_DOWN: Final = "?"
SETTLE_SECONDS: Final = 30.0
"""How long screens may take to agree after a pause: a busy machine, a connection that comes back."""
POLL_SECONDS: Final = 0.1
CLOCK_SECONDS: Final = 4
"""How far a clock may be off: it runs from when its screen hears the signal, and a busy one hears it late."""
HAND_MS: Final = 25_000
"""The time limit of a hand, so that no evening depends on who gets stuck."""
WAIT_SECONDS: Final = 60.0
OFFLINE: Final = "ERR_INTERNET_DISCONNECTED"
CUT_SECONDS: Final = 3.0
STAY: Final = re.compile("^(Stay|Cancel|Keep playing)")
AT_TABLE: Final = frozenset({Phase.SHUFFLING, Phase.COUNTDOWN, Phase.PLAYING, Phase.GRACE})
BAD_WORDS: Final = re.compile(
    r"\bundefined\b|\bNaN\b|\[object|\bnull\b|\b0 others\b|"
    r"(?<![\d.:,])1 (?:hands|cards|points|others|players|plays|seconds|minutes|bots)\b"
)
"""What no screen may say: values that slipped into sentences, and wrong plurals."""
Insets = dict[str, int]
"""How far a phone keeps the edges of its screen for itself, in pixels."""
NO_INSETS: Final[Insets] = {"top": 0, "bottom": 0, "left": 0, "right": 0}
NOTCH: Final[Insets] = NO_INSETS | {"top": 47, "bottom": 34}

READ_PAGE: Final = (
    f"""async () => {{
  const smallCards = {SMALL_CARDS};"""
    """
  const box = (each) => {
    const { left, top, right, bottom } = each.getBoundingClientRect();
    return [left, top, right, bottom];
  };
  const shows = (each) => each.checkVisibility() && each.getBoundingClientRect().width > 0;
  const all = (selector, read) => [...document.querySelectorAll(selector)].filter(shows).map(read);
  const text = (each) => each.textContent.trim();
  const suit = (card) => [0, 1, 2, 3].find((number) => card.classList.contains(`s${number}`));
  const face = (card) => card.classList.contains("back") ? "?"
    : text(card.querySelector(".index")) + "♠♥♣♦"[suit(card)];
  return {
    path: location.pathname,
    screen: document.body.dataset.screen,
    words: document.body.innerText,
    status: all("#table .status", text).join(),
    slots: all("#table .slot", (slot) => ({ pile: Number(slot.dataset.pile), box: box(slot) })),
    cards: all("#table .felt .card", (card) =>
      ({ face: face(card), level: Number(card.style.zIndex), box: box(card) })),
    controls: all("#table button:not(.slot)", (each) => ({ name: each.className, box: box(each) })),
    toasts: all("#toast", (each) => [text(each) && getComputedStyle(each).opacity > 0.5, box(each)])
      .filter(([isShown]) => isShown).map(([, where]) => where),
    tally: all(".tally tbody tr", (row) =>
      [text(row.querySelector("bdi")), Number(text(row.querySelector(".total")))]),
    chips: await Promise.all(all("#table .chip", async (chip) =>
      [text(chip.querySelector(".name")), await smallCards(chip)])),
    players: all("#lobby .player", (row) =>
      [text(row.querySelector(".name")), text(row.querySelector(".who"))]),
    size: [innerWidth, innerHeight],
  };
}"""
)

Box = tuple[float, float, float, float]


class Screen(Protocol):
    """What somebody looks at."""

    name: str

    async def differences(self, view: TableState, elapsed_ms: int) -> list[str]:
        """Return in what this screen differs from the table, a sentence each."""

    async def picture(self, folder: Path, stem: str) -> str:
        """Return the screen as an element of HTML; files that it needs go into the folder."""


def face(card: int) -> str:
    """Return a card in the signs that screens show."""
    return FACE_DOWN if card == UNKNOWN else RANKS[rank(card) - 1] + SUITS[suit(card)]


def inside(inner: Box, outer: Box, slack: float = 1.5) -> bool:
    """Return whether a box lies within another."""
    low = inner[0] >= outer[0] - slack and inner[1] >= outer[1] - slack
    return low and inner[2] <= outer[2] + slack and inner[3] <= outer[3] + slack


def center_in(inner: Box, outer: Box) -> bool:
    """Return whether the middle of a box lies within another."""
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]


def overlap(one: Box, other: Box) -> bool:
    """Return whether two boxes cover each other by more than a line."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    return width > 1 and min(one[3], other[3]) - max(one[1], other[1]) > 1


def clock_seconds(text: str) -> int | None:
    """Return the time that a status line shows, in seconds."""
    found = re.search(r"\b(\d+):(\d\d)\b", text)
    return int(found[1]) * 60 + int(found[2]) if found else None


def standing(view: TableState, seat: int) -> int:
    """Return the points of a seat in the hand, as its player is shown them."""
    return scoring.points(view)[seat]


@dataclass
class PageScreen:
    """A browser at the table."""

    name: str
    phone: Phone
    insets: Insets
    is_watching: bool = False

    async def differences(self, view: TableState, elapsed_ms: int) -> list[str]:
        """Compare address, cards, points, clock, tally, players and words."""
        page: dict[str, Any] = await self.phone.page.evaluate(READ_PAGE)
        found = [f"says {bad.group()!r}" for bad in BAD_WORDS.finditer(page["words"])]
        found += [f"complains: {each}" for each in self.phone.complaints if OFFLINE not in each]
        if page["path"] != f"/{view.code}":
            found.append(f"is at the address {page['path']}")
        if (page["screen"] == "table") != (view.phase in AT_TABLE):
            return [*found, f"shows {page['screen']} while the table is at {view.phase}"]
        if page["screen"] == "table":
            return found + self._table(view, page, elapsed_ms)
        return found + self._lobby(view, page)

    def _seat(self, view: TableState) -> int | None:
        own = [state.seat for state in view.seats.values() if state.name == self.name and not state.left]
        return own[0] if own and not self.is_watching else None

    def _table(self, view: TableState, page: dict[str, Any], elapsed_ms: int) -> list[str]:
        assert view.board is not None
        found = _cards(view, page, self._seat(view)) + _miniatures(view, page["chips"])
        shown = clock_seconds(page["status"])
        if view.paused and (shown is None or abs(shown - elapsed_ms // 1000) > CLOCK_SECONDS):
            found.append(f"its clock shows {shown} s of {elapsed_ms / 1000:.1f}")
        seat = self._seat(view)
        if seat is not None and seat in view.hand_seats:
            own = re.search(r"\byou (-?\d+)", page["words"].replace("\N{MINUS SIGN}", "-"))
            points = standing(view, seat)
            if own is None or int(own[1]) != points:
                found.append(f"shows {own and own[0]} for {points} points of its own")
        elif seat is not None and "next deal" not in page["words"]:
            found.append("does not say that its player plays from the next deal")
        width, height = page["size"]
        safe = (
            self.insets["left"],
            self.insets["top"],
            width - self.insets["right"],
            height - self.insets["bottom"],
        )
        found += [
            f"pile {slot['pile']} lies partly outside at {slot['box']}"
            for slot in page["slots"]
            if not inside(slot["box"], safe)
        ]
        found += [
            f"button {each['name']} lies outside"
            for each in page["controls"]
            if not inside(each["box"], safe)
        ]
        if any(overlap(toast, card["box"]) for toast in page["toasts"] for card in page["cards"]):
            found.append("a toast covers cards")
        return found

    def _lobby(self, view: TableState, page: dict[str, Any]) -> list[str]:
        found = []
        totals = [(view.player(seat), total) for seat, total in scoring.totals(view).items()]
        if view.results and sorted(map(tuple, page["tally"])) != sorted(totals):
            found.append(f"its tally is {page['tally']} for {totals}")
        states = dict(page["players"])
        for state in view.seats.values():
            says = "ready" in states.get(state.name, "")
            if not (state.bot or state.left) and says != state.ready and state.name in states:
                found.append(f"{state.name} is {'' if state.ready else 'not '}ready, and it says otherwise")
        return found

    async def picture(self, folder: Path, stem: str) -> str:
        """Take a screenshot."""
        await self.phone.page.screenshot(path=folder / f"{stem}.jpg", type="jpeg", quality=70)
        return f'<img src="{stem}.jpg" alt="">'


def _cards(view: TableState, page: dict[str, Any], seat: int | None) -> list[str]:
    """Return where the cards of a page differ from the board, also foundations in another suit's row."""
    assert view.board is not None
    board, slots, cards = view.board, page["slots"], page["cards"]
    found = []
    for slot in slots:
        pile = board.piles[slot["pile"]]
        if view.is_private and pile.seat is not None:
            continue  # what only its player sees has nothing to be compared with
        real = [face(card) for card in board.cards[pile.number]]
        lying = sorted((card for card in cards if center_in(card["box"], slot["box"])), key=_level)
        drawn = [card["face"] for card in lying]
        is_spread = pile.kind in {Kind.TABLEAU, Kind.RESERVE} and len(drawn) > 2
        if (drawn != real) if is_spread else (drawn[-1:] != real[-1:]):
            found.append(f"pile {pile.number} ({pile.kind}) shows {drawn} for {real}")
    found += _rows(board, slots)
    expected = {pile.number for pile in board.piles if pile.seat in {None, seat}}
    if missing := expected - {slot["pile"] for slot in slots}:
        found.append(f"piles {sorted(missing)} are not shown")
    return found


def _miniatures(view: TableState, chips: list[tuple[str, list[str]]]) -> list[str]:
    """Return where the small layouts of others differ from the board; on identical deals there are none."""
    assert view.board is not None
    board, seats = view.board, {view.player(seat): seat for seat in view.hand_seats}
    found = []
    for name, drawn in chips:
        if view.is_private and drawn:
            found.append(f"shows the layout of {name}")
        piles = [board.cards[pile.number] for pile in board.piles if pile.seat == seats.get(name, -1)]
        real = [face(cards[-1]) for cards in piles if cards and cards[-1] != UNKNOWN]
        if drawn and not view.is_private and [each for each in drawn if each[-1:] in set(SUITS)] != real:
            found.append(f"shows {drawn} for the layout {real} of {name}")
    return found


def _level(card: dict[str, Any]) -> int:
    return int(card["level"])


def _rows(board: Board, slots: list[dict[str, Any]]) -> list[str]:
    """Return the shared foundations that lie in another suit's part of the grid."""
    shared = [
        slot
        for slot in slots
        if (pile := board.piles[slot["pile"]]).kind is Kind.FOUNDATION and pile.seat is None
    ]
    each = len(shared) // 4
    if not each:
        return []
    found = []
    for place, slot in enumerate(sorted(shared, key=lambda slot: (round(slot["box"][1]), slot["box"][0]))):
        top = board.cards[slot["pile"]][-1:]
        if top and suit(top[0]) != place // each:
            found.append(f"{face(top[0])} lies in the row of {SUITS[place // each]}")
    return found


@dataclass
class TerminalScreen:
    """A terminal at the table."""

    name: str
    program: PtyProgram

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.program.fd, keys.encode())

    async def differences(self, view: TableState, elapsed_ms: int) -> list[str]:
        """Compare foundations, the player's points, clock, and words."""
        text = self.program.screen.text
        found = [f"says {bad.group()!r}" for bad in BAD_WORDS.finditer(text)]
        if view.phase not in AT_TABLE or view.board is None:
            rows = [(view.player(seat), total) for seat, total in scoring.totals(view).items()]
            called = [("you" if name == self.name else name, total) for name, total in rows]
            missing = [
                f"{name} with {total} is not in its tally"
                for name, total in called
                if view.results and not re.search(rf"\b{re.escape(name)}\b.*{total}", text)
            ]
            return found + missing
        if view.paused:  # its cards are hidden then
            return found if "paused" in text.lower() else [*found, "does not say that the hand is paused"]
        shown = clock_seconds(text.splitlines()[0])
        if shown is None or abs(shown - elapsed_ms // 1000) > CLOCK_SECONDS:
            found.append(f"its clock shows {shown} s of {elapsed_ms / 1000:.1f}")
        [seat] = [state.seat for state in view.seats.values() if state.name == self.name]
        own = re.search(r"\byou (-?\d+)", text.replace("\N{MINUS SIGN}", "-"))
        if seat in view.hand_seats and (own is None or int(own[1]) != standing(view, seat)):
            found.append(f"shows {own and own[0]} for {standing(view, seat)} points of its own")
        return found + self._foundations(view.board, text)

    @staticmethod
    def _foundations(board: Board, text: str) -> list[str]:
        found = []
        tops = [board.cards[pile.number][-1] for pile in board.piles if _is_shared_foundation(board, pile)]
        for number, sign in enumerate(SUITS):
            rows = [line.partition("│")[0] for line in text.splitlines() if line.startswith(f" {sign} ")]
            drawn = sorted(re.findall(r"10|[2-9ATJQK]", " ".join(rows)))
            real = sorted(RANKS[rank(card) - 1].replace("10", "T") for card in tops if suit(card) == number)
            if [each.replace("10", "T") for each in drawn] != real:
                found.append(f"its row of {sign} shows {drawn} for {real}")
        return found

    async def picture(self, folder: Path, stem: str) -> str:
        """Return the characters."""
        return f"<pre>{html.escape(self.program.screen.text)}</pre>"


def _is_shared_foundation(board: Board, pile: Any) -> bool:
    return pile.kind is Kind.FOUNDATION and pile.seat is None and bool(board.cards[pile.number])


class Stopwatch:
    """The time of a hand, pauses not counted; moments are in seconds."""

    def __init__(self) -> None:
        self._before = 0.0
        self._since: float | None = None

    def reset(self) -> None:
        """Go back to the beginning."""
        self._before, self._since = 0.0, None

    def start(self, now: float) -> None:
        """Run from now on."""
        self._since = now

    def stop(self, now: float) -> None:
        """Stand still from now on."""
        self._before, self._since = self.elapsed_ms(now) / 1000, None

    def elapsed_ms(self, now: float) -> int:
        """Return the time so far in milliseconds."""
        running = 0.0 if self._since is None else now - self._since
        return round((self._before + running) * 1000)


@dataclass
class Moment:
    """A pause of the evening: what was compared, and how it looked."""

    title: str
    differences: dict[str, list[str]]
    pictures: dict[str, str]


class Evening:
    """A table with all kinds of screens, and what was seen on them.

    Args:
        url: the server's address.
        browser: where pages are opened.
        folder: where pictures go.
        takes_pictures: whether there are any.

    """

    def __init__(self, url: str, browser: Browser, folder: Path, *, takes_pictures: bool = True) -> None:
        self.origin = url.replace("ws://", "http://").removesuffix("/v1")
        self.moments: list[Moment] = []
        self.screens: list[Screen] = []
        self._url = url
        self._browser = browser
        self._folder = folder
        self._takes_pictures = takes_pictures
        self._stack = AsyncExitStack()
        self._organizer: Client
        self._stopwatch = Stopwatch()
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> "Evening":
        self.terminals = self._stack.enter_context(Terminals())
        self._tasks.append(asyncio.create_task(self._read_terminals()))
        return self

    async def __aexit__(self, *_: object) -> None:
        await end_tasks(self._tasks)
        await self._stack.aclose()

    @property
    def view(self) -> TableState:
        """The table as the server tells it to a spectator."""
        return self._organizer.view

    @property
    def pages(self) -> list[PageScreen]:
        """The browsers."""
        return [screen for screen in self.screens if isinstance(screen, PageScreen)]

    def page(self, name: str) -> PageScreen:
        """Return somebody's browser."""
        return next(screen for screen in self.pages if screen.name == name)

    # Who comes.

    async def open_table(self, **options: Any) -> None:
        """Open a table without a seat, whose events all screens are compared with."""
        organizer = await Client.create(self._url, "Organizer", Options(**options), seated=False)
        self._organizer = await self._stack.enter_async_context(organizer)
        self._tasks.append(asyncio.create_task(self._follow()))

    async def make_host(self, name: str) -> None:
        """Give the table to one of its players."""
        [seat] = [state.seat for state in self.view.seats.values() if state.name == name]
        await self._organizer.send(MakeHost(counter=self._organizer.next_counter(), seat=seat))
        await self.until(lambda view: view.host == seat)

    async def join(
        self, name: str, size: tuple[int, int], insets: Insets = NO_INSETS, **settings: Any
    ) -> None:
        """Let somebody join in a browser by the table's link."""
        screen = await self._browse(name, size, f"/{self.view.code}", insets, **settings)
        before = {*self.view.seats}
        await screen.phone.join(name)
        await self.until(lambda view: len(before) < len(view.seats))
        screen.name = next(state.name for seat, state in self.view.seats.items() if seat not in before)

    async def show_on_television(self) -> None:
        """Open the table's link on a television."""
        screen = await self._browse(
            "television", (1920, 1080), f"/{self.view.code}?tv", has_touch=False, is_mobile=False
        )
        screen.is_watching = True

    async def join_in_terminal(self, name: str, size: tuple[int, int] = (100, 32)) -> None:
        """Let somebody join in a terminal of their own."""
        home = self._stack.enter_context(tempfile.TemporaryDirectory())
        env = {
            **{key: text for key, text in os.environ.items() if not key.startswith("LC_")},
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "RACING_DEMON_CONFIG": home,
            "RACING_DEMON_STATE": home,
        }
        link = f"{self.origin}/{self.view.code}"
        command = [sys.executable, "-m", CLIENT, "join", link, "--name", name]
        program = self._stack.enter_context(PtyProgram(name, command, size, env))
        self.terminals.add(program.fd, program.read)
        self.screens.append(TerminalScreen(name, program))
        await self.until(lambda view: any(state.name == name for state in view.seats.values()))

    async def _browse(
        self, name: str, size: tuple[int, int], path: str, insets: Insets = NO_INSETS, **settings: Any
    ) -> PageScreen:
        width, height = size
        opened = await self._stack.enter_async_context(
            phone(
                self._browser, f"{self.origin}{path}", viewport={"width": width, "height": height}, **settings
            )
        )
        screen = PageScreen(name, opened, insets)
        if any(insets.values()):
            session = await opened.page.context.new_cdp_session(opened.page)
            wanted = insets | {f"{side}Max": size for side, size in insets.items()}
            await session.send("Emulation.setSafeAreaInsetsOverride", {"insets": wanted})
        self.screens.append(screen)
        return screen

    # What they do.

    @property
    def host(self) -> PageScreen:
        """The host's browser."""
        return self.page(self.view.host_name)

    async def choose_game(self, game: str) -> None:
        """Let the host choose another game in the lobby."""
        rules = self.host.phone.page.locator(".all-options[aria-expanded=false]")
        if await rules.count():
            await rules.tap()
        games = self.host.phone.page.locator(f".options select:has(option[value='game:{game}'])")
        await games.select_option(f"game:{game}")
        await self.host.phone.hide_rules()
        await self.until(lambda view: view.options.game == game)

    async def add_bot(self) -> None:
        """Let the host add a bot."""
        before = len(self.view.seats)
        await self.host.phone.page.tap(".add-bot")
        await self.until(lambda view: len(view.seats) == before + 1)

    async def deal(self) -> None:
        """Let everybody say that they are ready, and wait for the signal."""
        await self.make_ready()
        await self.until(lambda view: view.phase is Phase.PLAYING)

    async def make_ready(self, but: Iterable[str] = ()) -> None:
        """Let everybody who is there say that they are ready, except some."""
        for screen in self.screens:
            if screen.name not in but and not self._is_ready(screen.name):
                await self._make_ready(screen)

    async def _make_ready(self, screen: Screen) -> None:
        hand = self.view.hand_number
        if isinstance(screen, TerminalScreen):
            program = screen.program
            await self.until(lambda _: "Press Enter" in program.screen.text)
            screen.type("\r")
        elif isinstance(screen, PageScreen) and not screen.is_watching:
            if await screen.phone.page.locator("#sheet").is_visible():  # opened just as the hand was over
                await screen.phone.page.keyboard.press("Escape")
            await screen.phone.page.tap(".ready")
        await self.until(lambda view: self._is_ready(screen.name) or view.hand_number != hand)

    def _is_ready(self, name: str) -> bool:
        return all(state.ready for state in self.view.seats.values() if state.name == name)

    async def play(self, cards: int) -> None:
        """Let everybody play until so many more cards lie on the foundations, or the hand is over."""
        view, before = self.view, self._cards_up()
        taps = [asyncio.create_task(screen.phone.keep_tapping()) for screen in self._players()]
        taps.append(asyncio.create_task(self._type_keys()))
        try:
            await self.until(lambda _: self._cards_up() >= before + cards or not view.in_hand)
        finally:
            for task in taps:
                task.cancel()
            await asyncio.gather(*taps, return_exceptions=True)

    def _players(self) -> list[PageScreen]:
        seats = {self.view.seats[seat].name for seat in self.view.hand_seats}
        return [screen for screen in self.pages if screen.name in seats and not screen.is_watching]

    def _cards_up(self) -> int:
        hand = self.view.hand
        if hand is None:
            return 0
        if hand.rules.is_private:
            return sum(progress.reached for progress in hand.progress.values())
        board = hand.board
        return sum(len(board.cards[pile.number]) for pile in board.piles if pile.kind is Kind.FOUNDATION)

    async def _type_keys(self) -> None:
        """Type on the terminals as hands on a keyboard may that do not look."""
        while True:
            for keys in ("q", "w", "e", "r", "u", "i", "o", "p", " "):
                for screen in self.screens:
                    if isinstance(screen, TerminalScreen):
                        screen.type(keys)
                await asyncio.sleep(0.15)

    async def end_hand(self) -> None:
        """Wait until the hand is over: nobody gets ahead any more, or its time is up."""
        view = self.view
        async with deadline(lambda: f"{view.phase}, event {view.seq}", WAIT_SECONDS):
            while view.in_hand:
                for screen in self._players():
                    await screen.phone.page.evaluate("document.querySelector('.stuck:enabled')?.click()")
                await asyncio.sleep(POLL_SECONDS)

    async def reload(self, name: str) -> None:
        """Load somebody's page again."""
        await self.page(name).phone.page.reload()

    async def cut(self, name: str) -> None:
        """Take somebody's network away until the table has noticed, and give it back."""
        context = self.page(name).phone.page.context
        await context.set_offline(True)
        await asyncio.sleep(CUT_SECONDS)
        await context.set_offline(False)
        await self.until(lambda view: all(state.connected or state.left for state in view.seats.values()))

    async def go_back(self, name: str) -> None:
        """Press Back, and stay when the page asks."""
        page = self.page(name).phone.page
        page.once("dialog", lambda dialog: asyncio.ensure_future(dialog.dismiss()))
        await page.evaluate("history.back()")
        stay = page.locator("#sheet-items button", has_text=STAY)
        with contextlib.suppress(PlaywrightTimeout):
            await stay.tap(timeout=30_000)

    async def leave(self, name: str) -> None:
        """Give somebody's seat up."""
        page = self.page(name).phone.page
        page.once("dialog", lambda dialog: asyncio.ensure_future(dialog.accept()))
        await page.get_by_role("button", name="Menu", exact=True).tap()  # also after the end of a hand
        await page.locator("#sheet-items button", has_text="Leave the table").tap()
        with contextlib.suppress(PlaywrightTimeout):
            await page.locator("#sheet-items button", has_text="Leave").tap(timeout=30_000)
        await self.page(name).phone.see("#start")
        self.screens.remove(self.page(name))

    async def until(self, holds: Callable[[TableState], bool]) -> None:
        """Wait until something holds of the table."""
        async with deadline(lambda: f"{self.view.phase}, event {self.view.seq}", WAIT_SECONDS):
            while not holds(self.view):  # noqa: ASYNC110 - screens and server are other processes
                await asyncio.sleep(POLL_SECONDS / 4)

    # What is compared.

    async def moment(self, title: str, act: Coroutine[Any, Any, None] | None = None) -> Moment:
        """Let the host pause a hand in play, let somebody act, compare all screens, and go on."""
        is_paused = self.view.phase is Phase.PLAYING
        if is_paused:
            await self._pause()
            is_paused = self.view.paused
        if act is not None:
            await act
        moment = await self.compare(title)
        if is_paused:
            await self._press_in_menu("Continue the hand")
            await self.until(lambda view: not view.paused)
            terminals = [screen for screen in self.screens if isinstance(screen, TerminalScreen)]
            moment.differences |= await self._settled(terminals)
        return moment

    async def _pause(self) -> None:
        """Let the host pause the hand, unless it ends by itself before."""
        pressing = asyncio.create_task(self._press_in_menu("Pause the hand"))
        try:
            await self.until(lambda view: view.paused or not view.in_hand)
        finally:
            if not self.view.paused:
                pressing.cancel()
            await asyncio.gather(pressing, return_exceptions=True)
        if not self.view.paused:
            await self.host.phone.page.keyboard.press("Escape")  # the menu may be open, over the tally

    async def compare(self, title: str) -> Moment:
        """Wait until all screens agree with the table, for a while; note what still differs."""
        differences = await self._settled(self.screens)
        pictures = {}
        if self._takes_pictures:
            for number, screen in enumerate(self.screens):
                stem = f"{len(self.moments):02}-{number}"
                pictures[screen.name] = await screen.picture(self._folder, stem)
        moment = Moment(title, differences, pictures)
        self.moments.append(moment)
        sys.stdout.write(f"{title}\n")
        sys.stdout.flush()
        return moment

    async def _settled(self, screens: Iterable[Screen]) -> dict[str, list[str]]:
        """Wait for a while until screens agree with the table, and return what still differs."""
        loop = asyncio.get_running_loop()
        until = loop.time() + SETTLE_SECONDS
        differences = {"": ["was not looked at"]}
        while differences and loop.time() < until:
            await asyncio.sleep(POLL_SECONDS)
            found = []
            for screen in screens:  # some take seconds on a busy machine
                now = self._stopwatch.elapsed_ms(loop.time())
                found.append((screen.name, await screen.differences(self.view, now)))
            differences = {name: lines for name, lines in found if lines}
        return differences

    @property
    def differences(self) -> list[str]:
        """All that was not as it should be, a line each."""
        return [
            f"{moment.title}: {name} {difference}"
            for moment in self.moments
            for name, found in moment.differences.items()
            for difference in found
        ]

    async def _press_in_menu(self, text: str) -> None:
        page = self.host.phone.page
        await page.tap("#table .menu")
        await page.locator("#sheet-items button", has_text=text).tap()

    async def _follow(self) -> None:
        now = asyncio.get_running_loop().time
        async for message in self._organizer:
            if isinstance(message, Signalled):
                self._stopwatch.reset()
            if isinstance(message, Signalled | Continued):
                self._stopwatch.start(now())
            elif isinstance(message, Paused | HandOver):
                self._stopwatch.stop(now())

    async def _read_terminals(self) -> None:
        while True:
            self.terminals.drain(0.005)
            await asyncio.sleep(0.02)


async def rehearse(evening: Evening) -> None:
    """Play the evening."""
    await _gather(evening)
    await _first_match(evening)
    await evening.choose_game("demon-a-aces")
    await evening.compare("the lobby, for a game with a heap")
    await evening.deal()
    await evening.play(cards=10)
    await evening.moment("Demon, ten cards are up")
    await _host_leaves_and_returns(evening)
    await _identical_deals(evening)


async def _gather(evening: Evening) -> None:
    await evening.open_table(hands=2, turn=1, countdown_ms=500, tally_ms=600_000, time_limit_ms=HAND_MS)
    await evening.join("Ann", (390, 844), NOTCH)
    await evening.make_host("Ann")
    await evening.join("Ben", (320, 568))
    await evening.show_on_television()
    await evening.join_in_terminal("Dan")
    await evening.join("Cleo", (1280, 800), is_mobile=False)
    await evening.add_bot()
    await evening.add_bot()
    await evening.moment("the lobby, everybody is there")
    await evening.make_ready(but=["Ann"])
    await evening.moment("the lobby, all but the host are ready")


async def _first_match(evening: Evening) -> None:
    await evening.deal()
    await evening.moment("hand 1, dealt")
    await evening.play(cards=10)
    await evening.moment("hand 1, ten cards are up")
    await evening.moment("hand 1, Ben has reloaded the page", evening.reload("Ben"))
    await evening.moment("hand 1, a connection was lost and is back", evening.cut("Cleo"))
    await evening.moment("hand 1, Ben has pressed Back and stays", evening.go_back("Ben"))
    await evening.end_hand()
    await evening.compare("hand 1, the tally")
    await evening.deal()
    await evening.moment("hand 2, dealt")
    await evening.play(cards=20)
    await evening.moment("hand 2, twenty cards are up")
    await evening.moment("hand 2, Eve has come during the hand", evening.join("Eve", (390, 700)))
    await evening.end_hand()
    await evening.compare("the first match is over")


async def _host_leaves_and_returns(evening: Evening) -> None:
    await evening.leave("Ann")
    await evening.moment("Demon, the host has left")
    await evening.end_hand()
    await evening.join("Ann", (390, 844), NOTCH)
    await evening.compare("Demon, the tally, and the host is back")
    await evening.deal()
    await evening.play(cards=5)
    await evening.moment("Demon, hand 2")
    await evening.end_hand()
    await evening.compare("the second match is over")


async def _identical_deals(evening: Evening) -> None:
    await evening.choose_game("demon-a")
    await evening.deal()
    await evening.play(cards=4)
    await evening.moment("identical deals")
    await evening.end_hand()
    await evening.compare("identical deals, the tally")


PAGE: Final = """<!doctype html><meta charset="utf-8"><title>An evening</title>
<style>body{font:14px sans-serif;margin:16px}section{border-top:2px solid #888;padding:8px 0}
div{display:flex;gap:8px;align-items:start}figure{margin:0}img{max-height:420px;max-width:640px}
pre{font:7px/8px monospace;background:#111;color:#ddd;padding:4px;margin:0}li{color:#b00}</style>
"""


def report(moments: Iterable[Moment]) -> str:
    """Return the page that shows an evening, a row for each moment."""
    rows = []
    for moment in moments:
        lines = [f"{name} {each}" for name, found in moment.differences.items() for each in found]
        items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
        figures = "".join(
            f"<figure>{picture}<figcaption>{html.escape(name)}</figcaption></figure>"
            for name, picture in moment.pictures.items()
        )
        rows.append(
            f"<section><h2>{html.escape(moment.title)}</h2><ul>{items}</ul><div>{figures}</div></section>"
        )
    return PAGE + "\n".join(rows)


@asynccontextmanager
async def evening_at(
    browser: Browser, folder: Path, *, takes_pictures: bool = True
) -> AsyncIterator[Evening]:
    """Start a server, and an evening at it."""
    async with (
        server_process() as (_, url),
        Evening(url, browser, folder, takes_pictures=takes_pictures) as evening,
    ):
        yield evening


async def main(folder: Path) -> int:
    """Play the evening, write its page, and return the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    async with chromium() as browser:
        async with evening_at(browser, folder) as evening:
            try:
                await rehearse(evening)
            finally:
                (folder / "evening.html").write_text(report(evening.moments), encoding="utf-8")
                sys.stdout.writelines(f"{line}\n" for line in evening.differences)
        page = await browser.new_page(viewport={"width": 2400, "height": 1000})
        await page.goto((folder / "evening.html").absolute().as_uri())
        await page.screenshot(path=folder / "evening.jpg", type="jpeg", quality=70, full_page=True)
    sys.stdout.write(f"{len(evening.moments)} moments: {folder / 'evening.html'}\n")
    return int(bool(evening.differences))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where its page and pictures go")
    sys.exit(asyncio.run(main(parser.parse_args().folder)))
