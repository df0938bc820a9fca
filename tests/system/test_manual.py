"""Every command of the operator's manual, executed as it is written."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.support.manual_machines import ManualMachine, blocks, manual_machines, may_run
from tests.support.stand_ins import CHECKOUT, PROGRAMS

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not may_run(), reason="needs Linux, root and systemd, for machines of its own"),
    pytest.mark.skipif(not all(map(shutil.which, PROGRAMS.values())), reason="needs the manual's programs"),
]

GUEST: Final = """
import asyncio
from racing_demon_protocol.wire.messages import client as cl
from tests.support.people import SECRETS, enrolled
from tests.support.servers import Peer

async def visit():
    async with Peer.connect("ws://127.0.0.1:5252/v1") as ann:
        await enrolled(ann, "Ann", SECRETS[0])
        print(await ann.enter(cl.Create(name="Ann", seated=True)))
        await ann.ask(cl.Report, text="a report")

asyncio.run(visit())
"""
"""Somebody who becomes known at the server of a machine, opens a table, and reports it."""
SPECTATOR: Final = """
import asyncio
from racing_demon_protocol.wire.messages import client as cl
from tests.support.clusters import until_back

asyncio.run(until_back("ws://127.0.0.1:5252/v1", cl.Watch(code="CODE")))
"""
"""Somebody who watches the table, wherever it is by now, and comes back while it is on its way."""
SCRAPED: Final = "'http://127.0.0.1:9090/api/v1/query?query=up'"
"""What Prometheus says of the server."""
HEALTHY: Final = '"status": "ok"'


@contextmanager
def machine(name: str, shared: Path) -> Iterator[ManualMachine]:
    """Run one machine."""
    with manual_machines([name], "10.0.0", str(shared)) as found:
        yield found[name]


def tried(here: ManualMachine, block: str) -> str:
    """Execute a block. What lasts until somebody ends it is ended."""
    lines = []
    for line in block.splitlines():
        if line.startswith("mosquitto_sub"):
            lines.append(f"timeout --signal=INT 10 {line} -C 1")
        elif line.startswith("racing-demon host"):
            lines.append(f"printf 'quit\\n' | timeout 60 /opt/racing-demon/bin/{line} --plain")
        else:
            lines.append(line)
    return here.run("\n".join(lines))


def test_one_machine_by_the_manual(tmp_path: Path) -> None:
    """From nothing to TLS, a broker, alerts and copies; then all of it on another machine, from the copy."""
    with machine("one", tmp_path) as here:
        for block in blocks("deploy.md", "## 1. One server", "## 2. TLS in front"):
            assert HEALTHY in tried(here, block)
        for block in blocks("deploy.md", "## 2. TLS in front", "### Several processes behind it"):
            if "nginx" in block:
                here.run("systemctl stop caddy")
            said = tried(here, block)
            assert "problem " not in said
            assert "curl" not in block or HEALTHY in said
        broker = blocks("deploy.md", "## 3. A broker, if you want one", "## Look after it")
        published = "".join(tried(here, block) for block in broker)
        assert "rd/pub/home/status online" in published
        here.python(GUEST)
        code = here.run("rd-admin tables").split("\n")[1].split()[0]
        for begins, ends in (("## Look after it", "## Watch it"), ("## Watch it", "## What to buy")):
            for block in blocks("deploy.md", begins, ends):
                tried(here, block)
        here.run("systemctl start racing-demon-backup racing-demon-prune")  # as their timers do at night
        assert len(here.run("find /var/lib/racing-demon-backups/ -name journal.sqlite").split()) == 1
        until_scraped = (
            "until curl -s 'http://127.0.0.1:9090/api/v1/query?query=up' | grep -q '\"1\"'; do sleep 1; done"
        )
        here.run(until_scraped)
        here.run("rd-admin ban 203.0.113.9; rd-admin say hello")
        copying, restoring, pruning = blocks("backup.md", "# Backup and restore")
        tried(here, copying)
        here.run("cp -r /root/copy* /root/racing-demon")
        for block in (restoring, pruning):
            tried(here, block)
        assert code in here.run("rd-admin tables")
    with machine("other", tmp_path) as there:
        for block in blocks("deploy.md", "## 1. One server", "## 2. TLS in front"):
            tried(there, block)
        there.run("cp -r /root/racing-demon/copy* /root")
        tried(there, restoring)
        assert code in there.run("rd-admin tables")
        assert "Ann" in there.run("rd-admin players")
        assert "203.0.113.9" in there.run("rd-admin bans")
        assert "a report" in there.run("rd-admin reports")


STEP_1: Final = ("deploy.md", "## 1. One server", "## 2. TLS in front")
SERVICE: Final = "racing-demon-server"
"""The unit of step 1."""
UNTIL_HEALTHY: Final = (
    f"until curl -s http://127.0.0.1:5252/healthz | grep -q '{HEALTHY}'; do sleep 0.1; done"
)


def restarted_after(here: ManualMachine, fault: str) -> str:
    """Do something to a service's process, and return the result that systemd saw once it is well again."""
    number = f"systemctl show -P MainPID {SERVICE}"
    before = here.run(number).strip()
    here.run(f"kill -{fault} {before}")
    here.run(f"until test $({number}) != {before} -a $({number}) != 0; do sleep 0.1; done\n{UNTIL_HEALTHY}")
    return here.run(f"journalctl --no-pager --unit {SERVICE} | grep -e 'Main process exited' -e Watchdog")


def test_the_service_does_all_that_it_may_and_ends_as_its_unit_says(tmp_path: Path) -> None:
    """In its sandbox a service announces tables and reads secrets; it comes back, but for a wrong option."""
    with manual_machines(["home", "guest"], "10.0.0", str(tmp_path)) as there:
        home, guest = there.values()
        for machine in there.values():
            machine.run("\n".join(line for line in blocks(*STEP_1)[0].splitlines() if "curl" not in line))
        secrets = f"/run/credentials/{SERVICE}.service/secrets_webhook"
        webhook = f"--webhook http://127.0.0.1:9090/ --webhook-secret {secrets}"
        said = home.run(
            f"""
            echo whsec_$(openssl rand -base64 32) >/etc/racing-demon/secrets/webhook
            echo 'RACING_DEMON_OPTIONS=--host 0.0.0.0 {webhook}' >/etc/racing-demon/server.env
            rd-check || true
            systemctl restart {SERVICE}
            """
        )
        assert "cannot be read" not in said
        home.python(GUEST)
        code = home.run("rd-admin tables").split("\n")[1].split()[0]
        assert code in guest.run(f"until /opt/racing-demon/bin/racing-demon tables | grep {code}; do :; done")
        assert "status=9/KILL" in restarted_after(home, "KILL")
        assert "Watchdog timeout" in restarted_after(home, "STOP")
        assert code in home.run("rd-admin tables")
        home.run(
            f"echo RACING_DEMON_SITE=--nonsense >>/etc/racing-demon/server.env\nsystemctl restart {SERVICE}",
            code=1,
        )
        assert "failed" in home.run(f"systemctl show -P SubState {SERVICE}")
        assert "unrecognized arguments: --nonsense" in home.run("rd-check || true")


def test_several_processes_behind_a_proxy_by_the_manual(tmp_path: Path) -> None:
    """Whoever dials the name is redirected to the port of the process that has the table."""
    with machine("one", tmp_path) as here:
        step, (tls, *_) = blocks(*STEP_1)[0], blocks("deploy.md", "## 2. TLS in front")
        address = here.run("hostname --all-ip-addresses").strip()
        here.run(
            step.replace("--host 127.0.0.1'", "--host 127.0.0.1 --name cards.example.org --processes 2'")
        )
        page = (CHECKOUT / "docs" / "deploy.md").read_text()
        (of_a_port,) = re.findall(r"```text\n(cards\.example\.org:5253.*?)```", page, re.DOTALL)
        for port in ("5252", "5253"):
            text = of_a_port.replace("5253", port).replace("203.0.113.5", address)
            here.run(f"cat >>/tmp/ports <<'END'\n{text}END")
        here.run(f"sed -i 's/^127.0.0.1 cards/{address} cards/' /etc/hosts")
        here.run(tls.replace("systemctl reload", "cat /tmp/ports >>/etc/caddy/Caddyfile\nsystemctl reload"))
        here.python(GUEST.replace("5252", "5253"))
        code = here.run("rd-admin tables").split("\n")[1].split()[0]
        watching = f"/opt/racing-demon/bin/racing-demon watch wss://cards.example.org/{code} --plain"
        assert "lobby; Ann" in here.run(f"timeout --signal=INT 10 {watching} || true")


def runbook(title: str, until: str) -> list[str]:
    """Return the commands of a runbook."""
    return blocks("deploy.md", f"### Runbook: {title}", until)


def of_second(block: str) -> str:
    """Return the commands for the second server, by the first one's."""
    return block.replace("n1", "n2").replace("10.0.0.3", "10.0.0.4")


def until_healthy(*machines: ManualMachine) -> None:
    """Wait until servers are well."""
    for each in machines:
        each.run(f"until curl -s http://127.0.0.1:5252/healthz | grep -q '{HEALTHY}'; do sleep 0.2; done")


def test_several_machines_by_the_manual(tmp_path: Path) -> None:
    """A database with a standby, two servers, and each runbook; a table lives through all that it may."""
    with manual_machines(["db1", "db2", "n1", "n2"], "10.0.0", str(tmp_path)) as there:
        db1, db2, n1, n2 = there.values()
        secrets, copying, access, standby, waiting = blocks(
            "deploy.md", "### The database", "### The servers"
        )
        for block in (secrets, copying, access):
            db1.run(block)
        db2.run(f"apt-get install postgresql openssl\n{access}\n{standby}")
        following = "runuser -u postgres -- psql -c 'TABLE pg_stat_replication'"
        db1.run(f"until {following} | grep -q s1; do sleep 0.1; done")
        assert "s1" in db1.run(waiting)

        proxy, setting_up, status = blocks("deploy.md", "### The servers", "### Runbook: an upgrade")
        n1.run(blocks(*STEP_1)[0])  # it was one server before
        n1.run(f"systemctl disable --now {SERVICE}")
        for machine, own in ((n1, str), (n2, of_second)):
            machine.run(own(proxy))
            said = machine.run(own(setting_up))
            assert HEALTHY in said
            assert "problem " not in said
        assert all(name in n2.run(status) for name in ("n1", "n2"))
        n1.python(GUEST)
        code = n1.run("rd-admin tables").split("\n")[1].split()[0]

        (upgrade,) = runbook("an upgrade", "### Runbook: a server is dead, or goes away")
        for block, machine in ((upgrade, n1), (of_second(upgrade), n2)):
            machine.run(block)
            until_healthy(machine)
        (drain,) = runbook("a server is dead, or goes away", "### Runbook: the primary is dead")
        n1.run(drain)
        n2.run("until systemctl show -P SubState racing-demon-server@n2 | grep -q dead; do sleep 0.2; done")
        n2.run("systemctl start racing-demon-server@n2")

        promoting, renewing, waiting = runbook("the primary is dead", "### Runbook: a new key")
        db1.run("systemctl stop postgresql")
        db2.run(promoting)
        db1.run(renewing)
        db2.run(waiting)
        until_healthy(n1, n2)

        making, after, before, alone = runbook("a new key", "### Runbook: somebody misbehaves")
        n1.run(making)
        for block in (after, before):
            n1.run(block)
            n2.run(of_second(block))
            until_healthy(n1, n2)
        n1.python(SPECTATOR.replace("CODE", code))
        for machine in (n1, n2):  # it would wait for a server with the old key
            machine.run("rd-admin close --all")
        n1.run(alone)
        n2.run(of_second(alone))
        until_healthy(n1, n2)
        (banning,) = runbook("somebody misbehaves", "### What its log says")
        assert "at all servers" in n2.run(banning)
