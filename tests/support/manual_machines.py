"""Machines on which the manual's commands are executed, each with its own files and network. Needs root."""

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

CHECKOUT: Final = Path(__file__).parents[2]
SCRIPTS: Final = ("apt-get", "certbot", "journalctl", "python3", "scp", "systemctl", "systemd-run")
OWN: Final = ("/etc", "/var", "/opt", "/usr/local", "/root", str(CHECKOUT))
"""The folders whose changes are seen on one machine only."""
SECONDS: Final = 180
ENV: Final = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "CURL_CA_BUNDLE": "/run/trusted.pem",
    "RACING_DEMON_CA": "/run/trusted.pem",
}


def blocks(page: str, beginning: str, end: str = "") -> list[str]:
    """Return the commands of a page between two headings, block by block."""
    text = (CHECKOUT / "docs" / page).read_text()
    text = text[text.index(f"{beginning}\n") :]
    text = text[: text.index(f"\n{end}\n")] if end else text
    found = re.findall(r"^( *)```\n(.*?)^\1```$", text, re.DOTALL | re.MULTILINE)
    return [textwrap.dedent(block) for _, block in found]


class ManualMachine:
    """A machine.

    Args:
        namespace: its network.
        shared: a folder that is /root/racing-demon on all machines; empty for none.
        hosts: lines of ``/etc/hosts``.

    """

    def __init__(self, namespace: str, hosts: Sequence[str], shared: str = "") -> None:
        lines = "\n".join(("127.0.0.1 localhost", *hosts))
        stand_ins = f"import sys; sys.path.insert(0, {str(CHECKOUT)!r}); from pathlib import Path\n"
        stand_ins += "from tests.support.stand_ins import write_script\n"
        stand_ins += f"for name in {SCRIPTS}: write_script(Path('/usr/local/sbin', name), name)\n"
        setup = f"""
            mount -t tmpfs none /mnt
            for folder in {" ".join(OWN)}; do
                new=/mnt$folder.new work=/mnt$folder.work
                mkdir -p $new $work
                mount -t overlay none -o lowerdir=$folder,upperdir=$new,workdir=$work $folder
            done
            {f"mkdir -p /root/racing-demon; mount --bind {shared} /root/racing-demon" if shared else ""}
            mount -t tmpfs none /run
            mkdir -p /run/mosquitto /run/postgresql
            chown mosquitto /run/mosquitto
            chown postgres /run/postgresql
            : >/run/trusted.pem
            rm -rf /opt/racing-demon /etc/postgresql/* /var/lib/postgresql/*
            cat >/etc/hosts <<'END'
{lines}
END
            {sys.executable} - <<'END'
{stand_ins}
END
            echo ready
            exec sleep 100000
        """
        own = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
        command = ["ip", "netns", "exec", namespace, *own, "sh", "-ec", textwrap.dedent(setup)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text()
        self._first = children.split()[0]

    def run(self, commands: str, *, code: int = 0) -> str:
        """Execute commands from the top of the checkout, and return what they say."""
        inside = ["nsenter", "--target", self._first, "--mount", "--net", "--pid", "sh", "-ec"]
        ended = subprocess.run(  # noqa: S603 - the manual's commands
            [*inside, f"cd {CHECKOUT}\n{commands}"],
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
    return sys.platform == "linux" and os.getuid() == 0
