"""Runs a tunnel's program, and ends it with the server.

Standard input is a pipe that the server holds open and never writes to. It ends with the server, however the
server ends; then the program's whole process group is ended. On Linux, the program also dies with this guard.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Final

ENDING_SECONDS: Final = 2.0
NOT_FOUND: Final = 127
PARENT_DEATH_SIGNAL: Final = 1
"""``PR_SET_PDEATHSIG`` of Linux: see prctl(2). It outlasts the start of another program."""
IS_POSIX: Final = sys.platform != "win32"
RUN: Final = "--run"


def main(argv: Sequence[str]) -> int:
    """Run a command until it ends or standard input does, and return its exit code."""
    if argv[:1] == [RUN]:
        return _become(int(argv[1]), argv[2:])
    own = [sys.executable, "-m", __spec__.name, RUN, str(os.getpid())] if sys.platform == "linux" else []
    try:
        program = subprocess.Popen([*own, *argv], stdin=subprocess.DEVNULL, start_new_session=IS_POSIX)  # noqa: S603
    except OSError as error:
        return _missing(argv[0], error)
    threading.Thread(target=_watch_stdin, args=(program,), daemon=True).start()
    code = program.wait()
    _signal(program, kill=True)  # whatever it has started
    return code


def _become(parent: int, command: Sequence[str]) -> int:
    """Become the program, and die with the parent."""
    import ctypes  # noqa: PLC0415 - only here

    ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it has died before
        return 0
    try:
        os.execvp(command[0], list(command))  # noqa: S606 - the user's own command
    except OSError as error:
        return _missing(command[0], error)


def _missing(name: str, error: OSError) -> int:
    sys.stdout.write(f"{name} cannot be run: {error.strerror}\n")
    sys.stdout.flush()
    return NOT_FOUND


def _watch_stdin(program: "subprocess.Popen[bytes]") -> None:
    """End the program when standard input ends."""
    with contextlib.suppress(OSError):
        while os.read(0, 1_024):
            pass
    _signal(program, kill=False)
    with contextlib.suppress(subprocess.TimeoutExpired):
        program.wait(ENDING_SECONDS)
    _signal(program, kill=True)


def _signal(program: "subprocess.Popen[bytes]", *, kill: bool) -> None:
    """End the program's process group; where there are none, the program."""
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            program.kill() if kill else program.terminate()
        else:
            os.killpg(program.pid, signal.SIGKILL if kill else signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
