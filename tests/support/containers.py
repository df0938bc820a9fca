"""A container without Docker: a process in namespaces of its own. Needs root.

It has a network namespace, a copy of this machine's files over which its volumes and secrets are mounted,
and the user and capabilities that its compose file gives it. So command lines, names, ports and files are
used as they are. The programs are this machine's own: images are neither built nor fetched, and published
ports, limits of memory and processes, and logs are Docker's business.
"""

import asyncio
import contextlib
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.support.deployed import DEPLOY
from tests.support.images import SYSTEM, images
from tests.support.namespaces import can_have_namespaces
from tests.support.servers import deadline

REPOSITORY: Final = DEPLOY.parent
ABSENT: Final = (
    "/data",
    "/config",
    "/etc/caddy",
    "/etc/mosquitto",
    "/etc/postgresql",
    "/run",
    "/var/lib/postgresql",
)
"""What may be on this machine, and is in none of the images."""
ROOT: Final = """
set -eu
mount --make-rprivate /
mount -t tmpfs tmpfs {own}
mkdir {own}/upper {own}/work {root}
mount -t overlay overlay -o lowerdir=/,upperdir={own}/upper,workdir={own}/work {root}
rm -rf {absent}
mkdir -p {root}/run/secrets {root}/run/postgresql
chmod 3777 {root}/run/postgresql
for each in dev proc sys; do mount --rbind /$each {root}/$each; done
cp {hosts} {root}/etc/hosts
{mounts}
{read_only}
exec chroot {root} setpriv {rights} -- {command}
"""


def can_have_containers() -> bool:
    """Tell whether this machine lets us make namespaces, and has the programs for it."""
    return can_have_namespaces() and all(map(shutil.which, ("unshare", "nsenter", "setpriv", "chroot")))


class Container:
    """One service, and its process.

    Attributes:
        name: the service's name.
        addresses: its address in each of its networks.
        service: what the file says of it.
        image: what its image brings.

    """

    def __init__(self, name: str, service: dict[str, Any], folder: Path) -> None:
        self.name = name
        self.addresses: dict[str, str] = {}
        self.service = service
        self.image = images()[service["image"]]
        self._folder = folder / name
        self._folder.mkdir()
        self._log = self._folder / "log"
        self._process: asyncio.subprocess.Process | None = None
        self._started = asyncio.Event()

    @property
    def log(self) -> str:
        """All that it has written."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    @property
    def _rights(self) -> list[str]:
        user, _, group = str(self.service.get("user", self.image.user)).partition(":")
        kept = [f"+{name.lower()}" for name in self.service.get("cap_add", ())]
        bounding = "" if "cap_drop" not in self.service else f"--bounding-set={','.join(['-all', *kept])}"
        secure = (
            ["--no-new-privs"] if "no-new-privileges:true" in self.service.get("security_opt", ()) else []
        )
        who = [] if user == "root" else [f"--reuid={user}", f"--regid={group or user}", "--inh-caps=-all"]
        return [each for each in (*who, "--clear-groups", bounding, *secure) if each]

    @property
    def _environment(self) -> dict[str, str]:
        own = {name: str(value) for name, value in self.service.get("environment", {}).items()}
        return {"PATH": SYSTEM, "LANG": "C.UTF-8", **self.image.environment, **own}

    async def start(self, hosts: Mapping[str, str], mounts: Sequence[tuple[Path, str]]) -> None:
        """Start its process.

        Args:
            hosts: the addresses of other names.
            mounts: what is mounted where.

        """
        own = self._folder / "own"
        own.mkdir(exist_ok=True)
        root = own / "root"
        names = "".join(f"{address} {name}\n" for name, address in hosts.items())
        (self._folder / "hosts").write_text(f"127.0.0.1 localhost\n{names}")
        entrypoint = self.service.get("entrypoint", self.image.entrypoint)
        command = [*entrypoint, *self.service.get("command", self.image.command)]
        script = ROOT.format(
            own=own,
            root=root,
            absent=" ".join(f"{root}{each}" for each in ABSENT),
            hosts=self._folder / "hosts",
            mounts="\n".join([*_reached(root), *(_mount(source, root, target) for source, target in mounts)]),
            read_only=f"mount -o remount,ro {root}" if self.service.get("read_only") else "",
            rights=shlex.join(self._rights),
            command=shlex.join(command),
        )
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *("nsenter", f"--net=/run/netns/{namespace(self.name)}", "unshare", "--mount"),
                *("/bin/sh", "-c", script),
                env=self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._started.set()

    async def run(self, *command: str) -> tuple[int, str]:
        """Run a command inside; return its exit code and its output."""
        assert self._process is not None
        inside = ("nsenter", f"--target={self._process.pid}", "--mount", "--net", "--root", "--wd")
        running = await asyncio.create_subprocess_exec(
            *(*inside, "setpriv", *self._rights, "--", *command),
            env=self._environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await running.communicate()
        assert running.returncode is not None
        return running.returncode, said.decode()

    async def healthy(self) -> None:
        """Wait until it is started, and its health check succeeds."""
        await self._started.wait()
        check = self.service.get("healthcheck", {}).get("test", self.image.check)
        command = ["/bin/sh", "-c", *check[1:]] if check[0] == "CMD-SHELL" else check[1:]
        async with deadline(lambda: self.log):
            while (await self.run(*command))[0] != 0:
                assert self._process is not None
                assert self._process.returncode is None, self.log
                await asyncio.sleep(0.1)

    async def kill(self, number: int = 9) -> None:
        """Send a signal to its process, and wait until it is gone."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)
            await self._process.wait()


def _mount(source: Path, root: Path, target: str) -> str:
    make = "mkdir -p" if source.is_dir() else "touch"
    parent = root / target.lstrip("/")
    return f"mkdir -p {parent.parent}; {make} {parent}; mount --bind {source} {parent}"


def _reached(root: Path) -> Iterator[str]:
    """Let every user reach this checkout and its Python, as all can what an image has."""
    for place in (REPOSITORY, Path(sys.executable).resolve()):
        for parent in reversed(place.parents):
            yield f"chmod a+rx {root}{parent}"


def namespace(name: str) -> str:
    """Return the name of a network namespace of ours."""
    return f"rd-{os.getpid()}-{name}"
