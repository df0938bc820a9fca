"""All programs of a measurement, started together and stopped together."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from benchmarks.pty_program import ProgramEnded, PtyProgram, Terminals

ROOT: Final = Path(__file__).parents[1]
HERE: Final = Path(__file__).parent
OPPONENTS: Final = 3
START_SECONDS: Final = 30.0
STOP_SECONDS: Final = 5.0
SETTLE_SECONDS: Final = 1.0


class OtherSide:
    """The server and the opponents, in a process of their own; see ``others.py``.

    Args:
        terminals: what is drained while an answer is waited for.

    """

    def __init__(self, terminals: Terminals) -> None:
        self._terminals = terminals
        self._lines: list[str] = []
        self._rest = b""

    def __enter__(self) -> Self:
        # A session of its own: Ctrl-C is for us, and our end closes its input.
        self._process = subprocess.Popen(  # noqa: S603 - our own file, by our own interpreter
            [sys.executable, "-m", "benchmarks.others", str(OPPONENTS)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self._out = self._process.stdout.fileno()
        self._terminals.add(self._out, self._read)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()  # its server notices, and stops by itself
            self._process.wait()
        self._process.stdout.close()

    def _read(self) -> None:
        data = os.read(self._out, 4_096)
        if not data:
            raise ProgramEnded("the server, or the opponents, ended")
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._lines += [line.decode() for line in lines]

    def tell(self, line: str) -> None:
        """Ask for something; :meth:`answer` has to be called for each."""
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")

    def answer(self) -> str:
        """Return the next answer."""
        if not self._terminals.wait(lambda: bool(self._lines), START_SECONDS):
            raise ProgramEnded("the server, or the opponents, do not answer")
        return self._lines.pop(0)

    def ask(self, line: str) -> str:
        """Ask for something, and return the answer."""
        self.tell(line)
        return self.answer()


@dataclass(frozen=True, slots=True)
class Programs:
    """What runs: three programs on terminals, and the other side of the table.

    Attributes:
        terminals: drains them all.
        raw: the raw loop.
        empty: the empty application.
        table: our table, in the middle of a hand.
        others: the opponents.

    """

    terminals: Terminals
    raw: PtyProgram
    empty: PtyProgram
    table: PtyProgram
    others: OtherSide


@contextmanager
def running(size: tuple[int, int]) -> Iterator[Programs]:
    """Start all on terminals of a size, deal a hand, and stop all in the end.

    Raises:
        ProgramEnded: one of them did not come up.

    """
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-ui-"))
        stack.enter_context(faults_told(Path(folder) / "fault.txt"))
        env = surroundings(folder)
        terminals = stack.enter_context(Terminals())
        others = stack.enter_context(OtherSide(terminals))
        url, code = others.answer().split()

        def start(name: str, *arguments: str) -> PtyProgram:
            program = PtyProgram(name, [sys.executable, *arguments], size, env)
            stack.enter_context(program)
            terminals.add(program.fd, program.read)
            return program

        raw = start("the raw loop", str(HERE / "raw_loop.py"))
        empty = start("the empty application", str(HERE / "empty_app.py"))
        table = start("the table", "-m", "racing_demon_client", "join", url, code, "--name", "Bench")
        others.ask("deal")
        for program, sign in ((raw, "ready"), (empty, "ready"), (table, "hand 1/")):
            if not terminals.wait(lambda: sign in program.screen.text, START_SECONDS):  # noqa: B023
                raise ProgramEnded(f"{program.name} shows no {sign!r}:\n{program.screen.text.rstrip()}")
        terminals.drain(SETTLE_SECONDS)
        yield Programs(terminals, raw, empty, table, others)


@contextmanager
def faults_told(file: Path) -> Iterator[None]:
    """Add what our program wrote down of its fault, which goes with the folder that it is in."""
    try:
        yield
    except ProgramEnded as error:
        if not file.exists():
            raise
        raise ProgramEnded(f"{error}\n\n{file.read_text(encoding='utf-8')}") from error


def surroundings(folder: str) -> Mapping[str, str]:
    """Return an environment in which nobody's own settings or terminal matter."""
    own = {name: text for name, text in os.environ.items() if not name.startswith(("RACING_DEMON_", "LC_"))}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):  # these two even where nobody has set them: readline does
        own.pop(name, None)
    return {
        **own,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        "RACING_DEMON_CONFIG": folder,
        "RACING_DEMON_STATE": folder,
    }
