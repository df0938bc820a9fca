"""Machines on which the manual's commands are executed, each with systemd, files and a network of its own.

They need root, a kernel with version 2 of control groups, and a Python for all users like the tests' own.
"""

import contextlib
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.support.machines import Machines
from tests.support.stand_ins import CHECKOUT, PYTHON

SYSTEMD: Final = Path("/lib/systemd/systemd")
OWN: Final = ("/etc", "/var", "/opt", "/usr/local", "/root", "/tmp", str(CHECKOUT))  # noqa: S108 - not the host's
"""The folders whose changes are seen on one machine only."""
SECONDS: Final = 180
ENV: Final = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "CURL_CA_BUNDLE": "/run/trusted.pem",
    "RACING_DEMON_CA": "/run/trusted.pem",
}
DEVICES: Final = {"null": 3, "zero": 5, "full": 7, "random": 8, "urandom": 9}


def blocks(page: str, beginning: str, end: str = "") -> list[str]:
    """Return the commands of a page between two headings, block by block."""
    text = (CHECKOUT / "docs" / page).read_text()
    text = text[text.index(f"{beginning}\n") :]
    text = text[: text.index(f"\n{end}\n")] if end else text
    found = re.findall(r"^( *)```\n(.*?)^\1```$", text, re.DOTALL | re.MULTILINE)
    return [textwrap.dedent(block) for _, block in found]


def control_groups() -> Path | None:
    """Return where the control groups of version 2 are."""
    for line in Path("/proc/mounts").read_text().splitlines():
        _, folder, kind, *_ = line.split()
        if kind == "cgroup2":
            return Path(folder)
    return None


class ManualMachine:
    """A machine.

    Args:
        namespace: its network.
        hosts: lines of ``/etc/hosts``.
        shared: a folder that is /root/racing-demon on all machines; empty for none.

    """

    def __init__(self, namespace: str, hosts: Sequence[str], shared: str = "") -> None:
        lines = "\n".join(("127.0.0.1 localhost", *hosts))
        groups = control_groups()
        assert groups is not None
        self._group = groups / namespace
        nodes = "\n".join(f"mknod -m 666 /dev/{name} c 1 {minor}" for name, minor in DEVICES.items())
        write = f"import sys; sys.path.insert(0, {str(CHECKOUT)!r})\n"
        write += "from tests.support import stand_ins\nstand_ins.install()"
        # What systemd would change of the machine below, or clean there, it cannot: the kernel's settings
        # cannot be written, and nothing is cleaned in /tmp, where the checkout may be.
        setup = f"""
            mount -t tmpfs none /mnt
            {f"mkdir /mnt/shared; mount --bind {shared} /mnt/shared" if shared else ""}
            for folder in {" ".join(OWN)}; do
                new=/mnt$folder.new work=/mnt$folder.work
                mkdir -p $new $work
                mount -t overlay none -o lowerdir=$folder,upperdir=$new,workdir=$work $folder
            done
            {"mkdir -p /root/racing-demon; mount --bind /mnt/shared /root/racing-demon" if shared else ""}
            mount -t tmpfs none /run
            : >/run/trusted.pem
            rm -rf /opt/racing-demon /etc/postgresql/* /var/lib/postgresql/* /etc/systemd/system/*
            mkdir -p /etc/tmpfiles.d /var/log/journal
            : >/etc/tmpfiles.d/tmp.conf
            cat >/etc/hosts <<'END'
{lines}
END
            {sys.executable} - <<'END'
{write}
END
            mount --bind /proc/sys /proc/sys
            mount -o remount,bind,ro /proc/sys
            mount -t tmpfs none /dev
            {nodes.replace(chr(10), chr(10) + " " * 12)}
            mknod -m 666 /dev/tty c 5 0
            mkdir /dev/pts /dev/shm
            mount -t devpts none -o newinstance,ptmxmode=666 /dev/pts
            mount -t tmpfs none -o mode=1777 /dev/shm
            ln -s pts/ptmx /dev/ptmx
            ln -s /proc/self/fd /dev/fd
            mount -t tmpfs none /sys/fs/cgroup
            mount -t cgroup2 none /sys/fs/cgroup
            mount --make-rshared /
            echo ready
            exec env -i container=other {SYSTEMD} --log-target=journal --unit=basic.target
        """
        self._group.mkdir()
        own = ("unshare", "--mount", "--pid", "--uts", "--ipc", "--cgroup", "--fork", "--kill-child")
        command = [
            "ip",
            "netns",
            "exec",
            namespace,
            *own,
            "--mount-proc",
            "sh",
            "-ec",
            textwrap.dedent(setup),
        ]
        here = f'echo $$ >{self._group}/cgroup.procs; exec "$@"'
        self._process = subprocess.Popen(  # noqa: S603 - our own
            ["/bin/sh", "-ec", here, "sh", *command], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text()
        self._first = children.split()[0]
        self.run("until systemctl is-active --quiet basic.target; do sleep 0.1; done")

    def run(self, commands: str, *, code: int = 0) -> str:
        """Execute commands from the top of the checkout, and return what they say."""
        inside = [
            "nsenter",
            "--target",
            self._first,
            "--mount",
            "--net",
            "--pid",
            "--uts",
            "--ipc",
            "--cgroup",
        ]
        ended = subprocess.run(  # noqa: S603 - the manual's commands
            [*inside, "sh", "-ec", f"cd {CHECKOUT}\n{commands}"],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            env=ENV,
        )
        assert ended.returncode == code, f"{commands}\n{ended.stdout}"
        return ended.stdout

    def python(self, code: str) -> str:
        """Run a script on it that uses this checkout."""
        paths = ":".join(str(CHECKOUT / each) for each in ("", "protocol", "server", "client"))
        return self.run(f"PYTHONPATH={paths} {sys.executable} - <<'END'\n{code}\nEND")

    def end(self) -> None:
        """End all that runs there."""
        self._process.kill()
        self._process.communicate()
        for folder, _, _ in os.walk(self._group, topdown=False):
            until_removed(Path(folder))


def until_removed(group: Path) -> None:
    """Remove a control group, as soon as its last process has ended."""
    while True:
        with contextlib.suppress(OSError):
            group.rmdir()
        if not group.exists():
            return
        os.sched_yield()


@contextmanager
def manual_machines(
    names: Sequence[str], network: str, shared: str = ""
) -> Iterator[dict[str, ManualMachine]]:
    """Run machines that reach each other by their names."""
    with contextlib.ExitStack() as stack:
        machines = Machines(names, network)
        stack.callback(machines.remove)
        machines.lay()
        hosts = [f"{machines.address(name)} {name} {name}.cards.example.org" for name in names]
        found = {}
        for name in names:
            here = [*hosts, "127.0.0.1 cards.example.org"]
            found[name] = ManualMachine(machines.namespace(name), here, shared)
            stack.callback(found[name].end)
        yield found


def may_run() -> bool:
    """Return whether this user may make such machines here."""
    if sys.platform != "linux" or os.getuid() or not SYSTEMD.exists() or control_groups() is None:
        return False
    ours = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return Path(PYTHON).resolve().name == ours
