"""A compose file without Docker: its containers, and the networks between them. Needs root."""

import asyncio
import contextlib
import ctypes
import functools
import ipaddress
import os
import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import yaml  # type: ignore[import-untyped]

from tests.support.containers import Container, namespace
from tests.support.servers import PATIENCE

SWITCH: Final = "switch"
CLONE_FS: Final = 0x00000200
CLONE_NEWNS: Final = 0x00020000
CLONE_NEWNET: Final = 0x40000000
NAMESPACES: Final = {CLONE_NEWNET: "net", CLONE_NEWNS: "mnt"}
LAST: Final = 2_000
"""So many characters of each log are shown when something fails."""


def _interpolated(value: Any, environment: Mapping[str, str]) -> Any:
    """Return a value of the file with its variables replaced."""
    if isinstance(value, dict):
        return {name: _interpolated(each, environment) for name, each in value.items()}
    if isinstance(value, list):
        return [_interpolated(each, environment) for each in value]
    if not isinstance(value, str):
        return value
    pattern = r"\$(?:(\$)|\{(\w+):-([^}]*)\})"
    return re.sub(pattern, lambda it: it[1] or environment.get(it[2], it[3]), value)


class Compose:
    """A project.

    Attributes:
        containers: its containers, by their names.

    Args:
        file: the compose file.
        folder: an empty folder.
        environment: variables of the file.

    """

    def __init__(self, file: Path, folder: Path, environment: Mapping[str, str]) -> None:
        self._file = file
        self._folder = folder
        self._project: dict[str, Any] = _interpolated(yaml.safe_load(file.read_text()), environment)
        self.containers = {
            name: Container(name, service, folder) for name, service in self._project["services"].items()
        }
        self._networks: dict[str, ipaddress.IPv4Network] = {}

    def _networks_of(self, container: Container) -> dict[str, dict[str, Any]]:
        networks = container.service.get("networks", ["default"])
        named = networks if isinstance(networks, dict) else dict.fromkeys(networks)
        return {name: named[name] or {} for name in sorted(named)}

    def lay(self) -> None:
        """Make the networks, and connect all containers."""
        _ip("netns", "add", namespace(SWITCH))
        _ip("-n", namespace(SWITCH), "link", "set", "lo", "up")
        declared = {"default": {}, **self._project.get("networks", {})}
        for number, (name, network) in enumerate(declared.items()):
            ((config),) = network.get("ipam", {}).get("config", [{}])
            subnet = ipaddress.IPv4Network(config.get("subnet", f"172.31.24{number}.0/28"))
            self._networks[name] = subnet
            self._add_bridge(name, subnet, config)
        for container in self.containers.values():
            _ip("netns", "add", namespace(container.name))
            _ip("-n", namespace(container.name), "link", "set", "lo", "up")
        for name, subnet in self._networks.items():
            self._connect(name, subnet, declared[name])

    def _add_bridge(self, name: str, subnet: ipaddress.IPv4Network, config: dict[str, str]) -> None:
        switch = functools.partial(_ip, "-n", namespace(SWITCH))
        gateway = config.get("gateway", str(next(subnet.hosts())))
        switch("link", "add", f"br-{name}", "type", "bridge")
        switch("addr", "add", f"{gateway}/{subnet.prefixlen}", "dev", f"br-{name}")
        switch("link", "set", f"br-{name}", "up")

    def _connect(self, name: str, subnet: ipaddress.IPv4Network, network: dict[str, Any]) -> None:
        """Give each container of a network the next free address, or its own, if nobody has it."""
        ((config),) = network.get("ipam", {}).get("config", [{}])
        pool = ipaddress.IPv4Network(config.get("ip_range", str(subnet)))
        free = (str(each) for each in pool if each in list(subnet.hosts())[1:])
        wishes = {
            container: networks[name]
            for container in self.containers.values()
            if name in (networks := self._networks_of(container))
        }
        for container in sorted(wishes, key=lambda each: "ipv4_address" in wishes[each]):
            address = wishes[container].get("ipv4_address") or next(free)
            taken = {each.addresses.get(name) for each in self.containers.values()}
            assert address not in taken, f"{container.name}: Address already in use"
            container.addresses[name] = address
            self._plug(container, f"{container.name}{len(container.addresses)}", name, subnet)

    def _plug(self, container: Container, plug: str, name: str, subnet: ipaddress.IPv4Network) -> None:
        own, switch = namespace(container.name), namespace(SWITCH)
        eth = f"eth{len(container.addresses) - 1}"
        _ip("link", "add", eth, "netns", own, "type", "veth", "peer", "name", plug, "netns", switch)
        _ip("-n", switch, "link", "set", plug, "master", f"br-{name}", "up")
        _ip("-n", own, "addr", "add", f"{container.addresses[name]}/{subnet.prefixlen}", "dev", eth)
        _ip("-n", own, "link", "set", eth, "up")

    def remove(self) -> None:
        """Take the networks away."""
        for name in (SWITCH, *self.containers):
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                _ip("netns", "del", namespace(name))

    async def start(self, name: str) -> None:
        """Start a container, once those are healthy on which it depends."""
        container = self.containers[name]
        needed = container.service.get("depends_on", {})
        for other, need in needed.items():
            if need["condition"] == "service_healthy":
                await self.containers[other].healthy()
        await container.start(self._hosts(container), list(self._mounts(container)))

    def secret(self, name: str) -> Path:
        """Return where a secret is."""
        file: str = self._project["secrets"][name]["file"]
        return (self._file.parent / file).resolve()

    def volume(self, name: str) -> Path:
        """Return where the files of a volume are."""
        return self._folder / f"volume-{name}"

    @property
    def logs(self) -> str:
        """The last lines that each container has written."""
        return "".join(f"\n{each.name}:\n{each.log[-LAST:]}" for each in self.containers.values())

    def _hosts(self, container: Container) -> dict[str, str]:
        """Return the names that a container can ask for: of others in the first network that both are in."""
        found: dict[str, str] = {}
        for network in self._networks_of(container):
            for other in self.containers.values():
                if network in other.addresses:
                    aliases = self._networks_of(other)[network].get("aliases", ())
                    for name in (other.name, *aliases):
                        found.setdefault(name, other.addresses[network])
        return found

    def _mounts(self, container: Container) -> Iterator[tuple[Path, str]]:
        user = str(container.service.get("user", container.image.user)).partition(":")[0]
        for volume in container.service.get("volumes", ()):
            source, target = volume.split(":")[:2]
            if source.startswith("."):
                yield (self._file.parent / source).resolve(), target
            else:
                place = self.volume(source)
                if not place.exists():
                    place.mkdir()
                    shutil.chown(place, int(user) if user.isdigit() else user)
                yield place, target
        for secret in container.service.get("secrets", ()):
            name = secret if isinstance(secret, str) else secret["source"]
            target = name if isinstance(secret, str) else secret["target"]
            yield self.secret(name), target if target.startswith("/") else f"/run/secrets/{target}"


def _ip(*words: str) -> None:
    _run("ip", *words)


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True, timeout=PATIENCE)  # noqa: S603


@contextmanager
def _at_host(hosts: Path) -> Iterator[None]:
    """Let this thread, and what it starts meanwhile, be at the machine that has the networks."""
    libc = ctypes.CDLL(None, use_errno=True)
    here = Path.cwd()
    before = {kind: os.open(f"/proc/thread-self/ns/{name}", os.O_RDONLY) for kind, name in NAMESPACES.items()}
    switch = os.open(f"/run/netns/{namespace(SWITCH)}", os.O_RDONLY)
    try:
        _check(libc.unshare(CLONE_NEWNS))
        _run("mount", "--make-rprivate", "/")
        _run("mount", "--bind", str(hosts), "/etc/hosts")
        _check(libc.setns(switch, CLONE_NEWNET))
        yield
    finally:
        _check(libc.unshare(CLONE_FS))  # threads that were started meanwhile stay behind
        for kind, entered in before.items():
            _check(libc.setns(entered, kind))
            os.close(entered)
        os.close(switch)
        os.chdir(here)  # another namespace of mounts begins at its root


def _check(failed: int) -> None:
    if failed:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@asynccontextmanager
async def composed(
    file: Path, folder: Path, *, names: Sequence[str], front: str, **environment: str
) -> AsyncIterator[Compose]:
    """Start all that a compose file describes; end it in the end. Meanwhile this thread is at its host.

    Args:
        file: the compose file.
        folder: an empty folder.
        names: names that the host knows.
        front: the service whose address they are.
        environment: variables of the file.

    """
    project = Compose(file, folder, environment)
    async with AsyncExitStack() as stack:
        stack.callback(project.remove)
        project.lay()
        address = project.containers[front].addresses["front"]
        hosts = folder / "hosts"
        hosts.write_text(f"127.0.0.1 localhost\n{address} {' '.join(names)}\n")
        stack.enter_context(_at_host(hosts))
        for container in project.containers.values():
            stack.push_async_callback(container.kill)
        try:
            await asyncio.gather(*map(project.start, project.containers))
            yield project
        except BaseException as error:
            error.add_note(project.logs)
            raise
