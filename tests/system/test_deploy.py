"""What ``deploy/`` gives to operators: each file is used as it is, not only read."""

import asyncio
import contextlib
import http.client
import json
import re
import shlex
import shutil
import ssl
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiomqtt
import pytest
import yaml  # type: ignore[import-untyped]

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Accepted
from racing_demon_protocol.wire.options import Options
from racing_demon_server.net.origin import networks, origin
from tests.support.deployed import DEPLOY, Deployed, certificates, deployed
from tests.support.ports import free_port, port_of
from tests.support.processes import CLIENT, SERVER, server_process, started, text_of
from tests.support.servers import PATIENCE, Peer, deadline, timeout

SCRIPTS = Path(sys.executable).parent
CONTAINERFILE = (DEPLOY / "Containerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
UNIT = DEPLOY / "racing-demon-server.service"
PRUNING = DEPLOY / "racing-demon-prune.service"
TIMER = DEPLOY / "racing-demon-prune.timer"
MANUAL = DEPLOY.parent / "docs" / "deploy.md"
CONTAINERS = MANUAL.with_name("containers.md")
BACKUP = DEPLOY / "racing-demon-backup.service"
BACKUP_TIMER = DEPLOY / "racing-demon-backup.timer"
PROGRAM = "/opt/racing-demon/bin/racing-demon-server"


def run(*command: object, **more: Any) -> str:
    """Run a command that must succeed, and return what it says."""
    ended: subprocess.CompletedProcess[str] = subprocess.run(  # noqa: S603 - our own commands
        [str(part) for part in command], check=False, capture_output=True, text=True, timeout=PATIENCE, **more
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


# The broker.


@pytest.fixture
async def mosquitto(tmp_path: Path) -> AsyncIterator[Deployed]:
    """Run a broker as on a machine of its own."""
    async with deployed(tmp_path, "local.conf") as running:
        yield running


async def seen(running: Deployed, account: str) -> list[str]:
    """Return the topics of all kept messages that an account can read."""
    async with running.client("server") as server, running.client(account) as reader:
        await reader.subscribe("#", qos=1)
        await reader.subscribe("$SYS/#", qos=1)
        await server.publish("rd/pub/end", "end", qos=1)
        topics: list[str] = []
        async with asyncio.timeout(PATIENCE):
            async for message in reader.messages:
                if message.topic.matches("rd/pub/end"):
                    break
                topics.append(str(message.topic))
        return sorted(topics)


async def keep(running: Deployed, account: str, *topics: str) -> None:
    """Try to have the broker keep messages."""
    async with running.client(account) as client:
        for topic in topics:
            await client.publish(topic, "words", qos=1, retain=True)


PUBLIC = "rd/pub/home/tables/bcdf"
DISCOVERY = "homeassistant/sensor/rd_home/bcdf/config"
PRIVATE = "rd/private/home"


async def test_the_server_may_publish_what_is_public(mosquitto: Deployed) -> None:
    """Its own topics and Home Assistant's are kept, and no others."""
    await keep(mosquitto, "server", PUBLIC, DISCOVERY, PRIVATE, "rd/other")
    assert await seen(mosquitto, "homeassistant") == [DISCOVERY, PUBLIC]


async def test_a_watcher_reads_the_public_topics_only(mosquitto: Deployed) -> None:
    """Not what Home Assistant is told, and not what the broker tells of itself."""
    await keep(mosquitto, "server", PUBLIC, DISCOVERY)
    assert await seen(mosquitto, "watcher") == [PUBLIC]


async def test_readers_cannot_publish(mosquitto: Deployed) -> None:
    """Whatever a reader publishes reaches nobody, not even itself."""
    for account in ("watcher", "homeassistant"):
        await keep(mosquitto, account, PUBLIC, DISCOVERY, PRIVATE, f"rd/{account}")
    assert await seen(mosquitto, "homeassistant") == []


async def test_strangers_are_refused(mosquitto: Deployed) -> None:
    """Without an account, a password or the right one nobody gets in."""
    strangers: list[dict[str, str]] = [
        {},
        {"username": "watcher"},
        {"username": "watcher", "password": "guess"},
        {"username": "ann", "password": "x"},
    ]
    for who in strangers:
        with pytest.raises(aiomqtt.MqttError, match=r"(?i)not authori[sz]ed"):
            async with mosquitto.client(**who):
                raise AssertionError(f"let in: {who}")


async def test_each_account_has_its_own_password(mosquitto: Deployed) -> None:
    """A watcher cannot pass for the server, and the broker's file has hashes only."""
    passwords = {account: mosquitto.password(account) for account in ("server", "watcher", "homeassistant")}
    assert len(set(passwords.values())) == 3
    hashes = (mosquitto.folder / "passwords").read_text()
    assert not [password for password in passwords.values() if password in hashes]
    for name in ("passwords", *passwords):
        assert (mosquitto.folder / name).stat().st_mode & 0o777 == 0o400
    with pytest.raises(aiomqtt.MqttError):
        async with mosquitto.client(username="server", password=passwords["watcher"]):
            raise AssertionError("let in")


async def test_the_broker_opens_no_other_port(tmp_path: Path) -> None:
    """With both listeners it has two ports, and not its usual one for everybody besides."""
    await certificates(tmp_path, "localhost")
    async with deployed(tmp_path, "local.conf", "tls.conf") as running:
        assert [running.port, running.tls_port] == running.opened


@pytest.mark.long
async def test_a_table_is_seen_by_a_watcher(mosquitto: Deployed) -> None:
    """The program with its account, the broker with its rules, and a watcher with theirs go together."""
    arguments = ["--mqtt", f"mqtt://server@127.0.0.1:{mosquitto.port}", "--node", "home"]
    secret = {"RACING_DEMON_MQTT_PASSWORD": mosquitto.password("server")}
    async with mosquitto.client("watcher") as watcher:
        await watcher.subscribe("rd/pub/home/#", qos=1)
        async with server_process(*arguments, env=secret) as (_, url), Peer.hosting(url) as ann:
            async with asyncio.timeout(PATIENCE):
                async for message in watcher.messages:
                    if message.topic.matches(f"rd/pub/home/tables/{ann.code.lower()}"):
                        break
            assert ann.token.encode() not in bytes(message.payload)


async def test_the_broker_can_be_reached_with_encryption(tmp_path: Path) -> None:
    """Who trusts the private authority, and uses a name that is in the certificate, gets in."""
    await certificates(tmp_path, "localhost", "127.0.0.1")
    async with deployed(tmp_path, "tls.conf") as running:
        for name in ("localhost", "127.0.0.1"):
            async with running.tls_client("watcher", name, tmp_path / "certs/ca.crt") as watcher:
                await watcher.subscribe("rd/pub/#")


@pytest.mark.long
async def test_server_and_client_meet_the_broker_with_encryption(tmp_path: Path) -> None:
    """A server publishes, and a client lists, through TLS with the private authority, and not without it."""
    await certificates(tmp_path, "localhost")
    async with deployed(tmp_path, "tls.conf") as running:
        ca = tmp_path / "certs/ca.crt"
        server = f"mqtts://server@localhost:{running.tls_port}?ca={ca}"
        secret = {"RACING_DEMON_MQTT_PASSWORD": running.password("server")}
        async with (
            running.tls_client("watcher", "localhost", ca) as watcher,
            server_process("--mqtt", server, "--node", "home", env=secret) as (_, url),
            Peer.hosting(url) as ann,
        ):
            await watcher.subscribe(f"rd/pub/home/tables/{ann.code.lower()}", qos=1)
            async with asyncio.timeout(PATIENCE):
                await anext(aiter(watcher.messages))
            own = {"RACING_DEMON_MQTT_PASSWORD": running.password("watcher")}
            place = f"mqtts://watcher@localhost:{running.tls_port}"
            listed = await text_of(CLIENT, "tables", "--mqtt", f"{place}?ca={ca}", env=own)
            assert (0, ann.code) == (listed.code, listed.out.split()[0])
            untrusted = await text_of(CLIENT, "tables", "--mqtt", place, env=own)
            assert untrusted.code == 4
            assert "certificate verify failed" in untrusted.err


async def test_certificates_are_checked(tmp_path: Path) -> None:
    """Without the authority, and by another name, there is no connection."""
    await certificates(tmp_path, "broker.example.org")
    async with deployed(tmp_path, "tls.conf") as running:
        for ca in (tmp_path / "certs/ca.crt", None):
            trust = ssl.create_default_context(cafile=ca)
            with pytest.raises(ssl.SSLCertVerificationError):
                await asyncio.open_connection("127.0.0.1", running.tls_port, ssl=trust)


# The container.


@pytest.mark.long
def test_the_files_pass_their_linters() -> None:
    """Container, compose and workflow files have nothing that linters and specifications dislike."""
    run(SCRIPTS / "hadolint", "--no-color", DEPLOY / "Containerfile")
    rules = "{extends: default, rules: {line-length: {max: 120}, document-start: disable, truthy: disable}}"
    workflow = DEPLOY.parent / ".github/workflows/release.yml"
    run(SCRIPTS / "yamllint", "--strict", "-d", rules, DEPLOY / "compose.yaml", workflow)
    run(SCRIPTS / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", workflow)
    run(SCRIPTS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", DEPLOY / "compose.yaml")


def test_what_the_container_is_made_of_is_there() -> None:
    """All that is copied exists, passes the ignore file, and is what the package is built of."""
    copied = [line.split()[1:-1] for line in CONTAINERFILE.splitlines() if re.match(r"COPY [^-]", line)]
    names = {name for line in copied for name in line}
    assert not [name for name in names if not (DEPLOY.parent / name).exists()]
    ignore = (DEPLOY / "Containerfile.dockerignore").read_text().splitlines()
    assert names == {line[1:] for line in ignore if line.startswith("!")}
    project = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    built_of = {*wheel["packages"], wheel["hooks"]["custom"]["path"], project["project"]["readme"]}
    assert not [path for path in built_of if not names & {path, path.split("/")[0]}]


@pytest.mark.long
async def test_the_container_is_well_when_the_server_is() -> None:
    """The health check passes beside a server, and fails where there is none."""
    found = re.search(r"HEALTHCHECK(?:.|\n)*?CMD (\[.*\])", CONTAINERFILE)
    assert found is not None
    _, *arguments = json.loads(found.group(1))
    async with server_process() as (server, url):
        port = url.rpartition(":")[2].partition("/")[0]
        check = [argument.replace("5252", port) for argument in arguments]
        await asyncio.to_thread(run, sys.executable, *check)
        server.stop()
        await server.end()
    with pytest.raises(AssertionError, match="refused"):
        run(sys.executable, *check)


def test_every_service_is_confined() -> None:
    """Each has a file system that it cannot write to, no capabilities to begin with, and bounds."""
    for name, service in COMPOSE["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert {"mem_limit", "pids_limit"} <= service.keys(), name
        assert "healthcheck" in service or "build" in service, name


def test_only_the_proxy_is_reached_from_elsewhere() -> None:
    """Game and broker are published for this machine, unless the operator says otherwise."""
    ports = {name: service["ports"] for name, service in COMPOSE["services"].items()}
    assert ports["server"] == ["${RACING_DEMON_LISTEN:-127.0.0.1}:5252:5252"]
    assert ports["mosquitto"] == ["127.0.0.1:1883:1883"]
    assert COMPOSE["services"]["caddy"]["profiles"] == ["internet"]


def test_compose_has_the_server_believe_caddy_alone() -> None:
    """No machine of a network that uses Docker's addresses, and no other container, can name an address."""
    (told,) = [each for each in COMPOSE["services"]["server"]["command"] if each.startswith("--proxy=")]
    (proxy,) = networks([told.removeprefix("--proxy=${RACING_DEMON_PROXY:-").removesuffix("}")])
    place = COMPOSE["services"]["caddy"]["networks"]["front"]["ipv4_address"]
    (subnet,) = networks(each["subnet"] for each in COMPOSE["networks"]["front"]["ipam"]["config"])
    assert origin(place, ["203.0.113.9"], [proxy]).counted_as == "203.0.113.9"
    for other in ("172.16.0.5", "172.18.0.1", *(str(host) for host in subnet if str(host) != place)):
        assert other == origin(other, ["203.0.113.9"], [proxy]).counted_as
    assert "front" in COMPOSE["services"]["server"]["networks"]
    assert "networks" not in COMPOSE["services"]["mosquitto"]


def test_what_compose_mounts_is_there() -> None:
    """Every file that is given to a service is in ``deploy/``."""
    volumes = [volume for service in COMPOSE["services"].values() for volume in service.get("volumes", [])]
    files = [volume.partition(":")[0] for volume in volumes if volume.startswith(".")]
    assert files
    assert not [name for name in files if not (DEPLOY / name).is_file()]


def test_the_server_takes_its_password_from_a_file(tmp_path: Path) -> None:
    """The entry point puts the secret into the environment, and passes all arguments on."""
    (tmp_path / "server").write_text("it's $ecret\n")
    (tmp_path / "racing-demon-server").write_text('#!/bin/sh\necho "$RACING_DEMON_MQTT_PASSWORD" "$@"\n')
    (tmp_path / "racing-demon-server").chmod(0o755)
    entry = COMPOSE["services"]["server"]["entrypoint"]
    line = [part.replace("$$", "$").replace("/run/secrets", str(tmp_path)) for part in entry]
    said = run(*line, "--a", "b c", env={"PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert said == "it's $ecret --a b c\n"


async def test_the_server_understands_what_compose_tells_it() -> None:
    """All flags are ones that the program has; a broker that is not there stops nothing."""
    told = [
        re.sub(r"\$\{\w+:-(.*?)\}", r"\1", argument) for argument in COMPOSE["services"]["server"]["command"]
    ]
    told = [argument.replace("mosquitto:1883", "127.0.0.1:9") for argument in told]
    async with server_process(*told, env={"RACING_DEMON_MQTT_PASSWORD": "x"}) as (_, url):
        async with Peer.hosting(url):
            pass


async def test_the_brokers_health_check(mosquitto: Deployed) -> None:
    """It is well when it turns strangers away, and not when it does not answer."""
    _, check = COMPOSE["services"]["mosquitto"]["healthcheck"]["test"]
    check = check.replace("$$", "$")
    with_port = check.replace("mosquitto_pub", f"mosquitto_pub -p {mosquitto.port}")
    await asyncio.to_thread(run, "sh", "-c", with_port)
    with pytest.raises(AssertionError, match="refused"):
        run("sh", "-c", check.replace("mosquitto_pub", "mosquitto_pub -p 9"))


# TLS in front.

NGINX = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr;
events {{ worker_connections 64; }}
http {{ access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;
fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
{site}
}}
"""
"""What a system's own nginx.conf puts around the one in ``deploy/``."""


@asynccontextmanager
async def proxied(folder: Path, port: int, plain_port: int | None = None) -> AsyncIterator[str]:
    """Run nginx in front of a server's port, as ``deploy/`` says, and give its address.

    Args:
        folder: where its files are.
        port: the server's.
        plain_port: where it answers without encryption, in place of 80; a free one if this is left out.

    """
    await certificates(folder, "localhost")
    front = free_port()
    site = (DEPLOY / "nginx.conf").read_text().replace("127.0.0.1:5252", f"127.0.0.1:{port}")
    site = site.replace("listen 443", f"listen 127.0.0.1:{front}")
    site = site.replace("listen 80;", f"listen 127.0.0.1:{plain_port or free_port()};")
    site = re.sub(r"/etc/letsencrypt\S+fullchain\.pem", f"{folder}/certs/broker.crt", site)
    site = re.sub(r"/etc/letsencrypt\S+privkey\.pem", f"{folder}/certs/broker.key", site)
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, site=site))
    command = ["nginx", "-e", "stderr", "-c", str(folder / "nginx.conf")]
    await asyncio.to_thread(run, *command, "-t")
    (folder / "nginx.pid").unlink(missing_ok=True)  # the trial leaves one, too
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE)
    try:
        async with deadline(lambda: "nginx does not listen"):
            while not (folder / "nginx.pid").exists():  # written once it listens
                assert process.returncode is None
                await asyncio.sleep(0.01)
        yield f"localhost:{front}"
    finally:
        process.terminate()
        await process.communicate()


@pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx")
async def test_players_come_in_through_a_proxy_with_encryption(tmp_path: Path) -> None:
    """Through nginx a table is opened over wss; strangers see its health and page, but no metrics."""
    plain_port = free_port()
    async with server_process() as (_, url):
        async with proxied(tmp_path, port_of(url), plain_port) as address:
            trust = ssl.create_default_context(cafile=tmp_path / "certs/ca.crt")
            request = cl.Create(name="Ann", options=Options())
            async with Peer.entered(f"wss://{address}/v1", request, ssl=trust) as ann:
                assert isinstance(await ann.ask(cl.AddBot), Accepted)
            answers = [
                await asyncio.to_thread(status_of, f"https://{address}{path}", trust)
                for path in ("/healthz", "/", "/metrics")
            ]
            connection = http.client.HTTPConnection("127.0.0.1", plain_port, timeout=PATIENCE)
            with contextlib.closing(connection):
                connection.request("GET", "/BCDF?tv", headers={"Host": "cards.example.org"})
                plain = await asyncio.to_thread(connection.getresponse)
    assert answers == [200, 200, 404]
    assert (plain.status, plain.headers["Location"]) == (301, "https://cards.example.org/BCDF?tv")


def status_of(url: str, trust: ssl.SSLContext) -> int:
    """Return the status that a URL is answered with."""
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE, context=trust) as response:  # noqa: S310 - our own
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


# The service.

NEEDS_SYSTEMD = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")


def complaints_of_systemd(*units: Path) -> list[str]:
    """Return what systemd does not understand, but for pauses that grow: they are new in version 254."""
    said = run("systemd-analyze", "verify", "--man=no", *units).splitlines()
    return [line for line in said if not re.search(r"'(RestartSteps|RestartMaxDelaySec)' in section", line)]


@NEEDS_SYSTEMD
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    """Nothing in them is unknown or contradictory; the program itself is wherever it is here."""
    copies = [tmp_path / unit.name for unit in (UNIT, PRUNING, TIMER, BACKUP, BACKUP_TIMER)]
    for copy in copies:
        copy.write_text((DEPLOY / copy.name).read_text().replace(PROGRAM, sys.executable))
    assert complaints_of_systemd(*copies) == []


@NEEDS_SYSTEMD
def test_the_units_are_confined() -> None:
    """The exposure that systemd measures, from 0 to 10, stays below 1.5."""
    for unit in (UNIT, PRUNING, BACKUP):
        run("systemd-analyze", "security", "--offline=true", "--threshold=15", "--no-pager", unit)


async def test_old_matches_are_deleted_as_the_unit_says(tmp_path: Path) -> None:
    """The unit's command line prunes the journal of a server that runs; in containers the manual's does."""
    found = re.search(rf"^ExecStart={PROGRAM} (.*)$", PRUNING.read_text(), re.MULTILINE)
    keep = re.search(r"^Environment=RACING_DEMON_KEEP=(.*)$", PRUNING.read_text(), re.MULTILINE)
    assert found is not None
    assert keep is not None
    assert keep.group(1) in re.findall(r"^RACING_DEMON_KEEP=(.*)$", CONTAINERS.read_text(), re.MULTILINE)
    assert f"matches are kept, {keep.group(1).removesuffix('d')} unless" in MANUAL.read_text()
    file = tmp_path / "journal.sqlite"
    line = found.group(1).replace("%S/racing-demon/journal.sqlite", str(file))
    arguments = shlex.split(line.replace("${RACING_DEMON_KEEP}", keep.group(1)))
    async with started(SERVER, "--host", "127.0.0.1", "--port", "0", "--journal", str(file)) as server:
        await timeout(PATIENCE, server.line("listening on"))
        said = await asyncio.to_thread(run, sys.executable, "-m", SERVER, *arguments)
    assert said.startswith("deleted: 0 matches")


def service_arguments(environment: dict[str, str]) -> list[str]:
    """Return the arguments with which the unit starts the server in an environment."""
    found = re.search(rf"^ExecStart={PROGRAM} ((?:.*\\\n)*.*)$", UNIT.read_text(), re.MULTILINE)
    assert found is not None
    line = found.group(1).replace("\\\n", "")
    return shlex.split(re.sub(r"\$([A-Z_]+)", lambda name: environment.get(name.group(1), ""), line))


async def test_each_step_of_the_manual_keeps_what_the_steps_before_it_set(
    tmp_path: Path, mosquitto: Deployed
) -> None:
    """With the lines of steps 1 to 3 it listens, knows its public name, and publishes at the broker."""
    file = tmp_path / "server.env"
    commands = re.findall(r"^(?:echo .*|cat .*?<<END\n(?:.*\n)*?END)$", MANUAL.read_text(), re.MULTILINE)
    steps = [command for command in commands if "/etc/racing-demon/server.env" in command]
    assert len(steps) == 3
    for command in steps:
        here = command.replace("/etc/racing-demon/server.env", str(file))
        here = here.replace("/etc/mosquitto/secrets", str(mosquitto.folder))
        await asyncio.to_thread(run, "sh", "-c", here.replace(":1883", f":{mosquitto.port}"))
    environment = dict(line.split("=", 1) for line in file.read_text().splitlines())
    arguments = [*service_arguments(environment), "--port", "0"]
    async with started(SERVER, *arguments, env=environment) as server, mosquitto.client("watcher") as watcher:
        said = await timeout(PATIENCE, server.line(r"listening on (ws://127\.0\.0\.1:\d+/v1)"))
        url = f"http://127.0.0.1:{port_of(said.group(1))}/healthz"
        request = urllib.request.Request(url, headers={"Host": "cards.example.org"})
        with await asyncio.to_thread(urllib.request.urlopen, request, timeout=PATIENCE) as response:
            assert response.status == 200
        await watcher.subscribe("rd/pub/home/status", qos=1)
        async with asyncio.timeout(PATIENCE):
            async for message in watcher.messages:
                if message.payload == b"online":
                    break


def test_the_unit_lets_the_server_list_the_machines_addresses() -> None:
    """Without netlink sockets it announces no table on a home network."""
    allowed = re.search(r"^RestrictAddressFamilies=(.*)$", UNIT.read_text(), re.MULTILINE)
    assert allowed is not None
    assert set(allowed.group(1).split()) == {"AF_INET", "AF_INET6", "AF_NETLINK", "AF_UNIX"}


def test_what_is_installed_has_hashes_of_the_versions_that_are_checked() -> None:
    """Pip refuses a file of another hash, and every version is the one that the checks are made with."""
    text = "".join((DEPLOY / name).read_text() for name in ("requirements.txt", "compile-requirements.txt"))
    pinned = dict(re.findall(r"^(\S+?)(?:\[\S+\])?==([^\s;]+)", text, re.M))
    checked = dict(re.findall(r"^(\S+)==(\S+)", (DEPLOY.parent / "constraints.txt").read_text(), re.M))
    names = {name.lower().replace("_", "-"): version for name, version in checked.items()}
    assert {"websockets", "psycopg", "uvloop", "hatchling", "rcssmin", "rjsmin", "mypy"} <= pinned.keys()
    assert {name: names.get(name, version) for name, version in pinned.items()} == pinned
    assert all("--hash=sha256:" in part for part in re.split(r"^(?=\S+==)", text, flags=re.M)[1:])
