"""What ``deploy/cluster`` gives to operators of several machines: each file is used as it is."""

import asyncio
import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import kubernetes_validate
import psycopg
import pytest
import yaml  # type: ignore[import-untyped]

from tests.support.deployed import DEPLOY
from tests.support.effort import usually
from tests.support.ports import free_port
from tests.support.postgres import folder_of_programs
from tests.support.processes import SERVER, server_process, started
from tests.support.servers import PATIENCE, Peer, deadline
from tests.system.test_deploy import complaints_of_systemd

FOLDER = DEPLOY / "cluster"
SCRIPTS = Path(sys.executable).parent
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
MANIFESTS = list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text()))
UNIT = FOLDER / "racing-demon-server@.service"
PROGRAM = "/opt/racing-demon/bin/racing-demon-server"
NODES = ("n1", "n2", "n3")


def run(*command: object) -> str:
    """Run a command that must succeed, and return its output."""
    ended = subprocess.run(  # noqa: S603 - our own commands
        [str(part) for part in command], check=False, capture_output=True, text=True, timeout=PATIENCE
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def pod() -> dict[str, Any]:
    """Return the container of the manifests."""
    found: dict[str, Any] = MANIFESTS[-1]["spec"]["template"]["spec"]["containers"][0]
    return found


def command_lines() -> dict[str, list[str]]:
    """Return the arguments that each file gives to the server, with placeholders filled in."""
    lines = {node: COMPOSE["services"][node]["command"] for node in NODES}
    values = {"INDEX": "0"} | {each["name"]: each["value"] for each in pod()["env"] if "value" in each}
    lines["kubernetes"] = [re.sub(r"\$\((\w+)\)", lambda it: values[it[1]], each) for each in pod()["args"]]
    text = UNIT.read_text().replace("\\\n", "")
    (line,) = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
    line = line.replace("${RACING_DEMON_JOURNAL}", "postgresql://rd@db1,db2/rd").replace("%i", "n1")
    line = line.replace("$RACING_DEMON_OPTIONS", "").replace("$RACING_DEMON_OWN", "")
    lines["systemd"] = shlex.split(line)[1:]
    return {
        name: [re.sub(r"\$\{RACING_DEMON_HOST:-(.*?)\}", r"\1", each) for each in arguments]
        for name, arguments in lines.items()
    }


def here(arguments: list[str], key: Path, url: str) -> list[str]:
    """Return arguments with this machine's key and database."""
    changed = [re.sub(r"postgresql://\S+", url, each) for each in arguments]
    changed = [
        re.sub(r"/data/control|%S\S+/control", str(key.with_name("control")), each) for each in changed
    ]
    changed = [
        re.sub(r"(/run/secrets|/etc/racing-demon|\S+CREDENTIALS_\S+)/(secrets_)?cluster-key", str(key), each)
        for each in changed
    ]
    return [each.replace("mosquitto:1883", "127.0.0.1:9") for each in changed]


@pytest.mark.long
def test_the_compose_file_passes_its_linters() -> None:
    """It follows the compose specification, and every file that it mounts exists."""
    rules = "{extends: default, rules: {line-length: {max: 120}}}"
    run(SCRIPTS / "yamllint", "--strict", "-d", rules, FOLDER)
    run(SCRIPTS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", FOLDER / "compose.yaml")
    volumes = [volume for service in COMPOSE["services"].values() for volume in service.get("volumes", [])]
    files = [volume.partition(":")[0] for volume in volumes if volume.startswith(".")]
    assert [name for name in files if not (FOLDER / name).is_file()] == []


def test_the_three_servers_differ_in_their_names_alone() -> None:
    """One line for all, but for the node and its two addresses."""
    lines = [" ".join(command_lines()[node]).replace(node, "n?", 0) for node in NODES]
    kept = {re.sub(r"--node=\S+|--inside=\S+|--public-url=\S+", "", line) for line in lines}
    assert len(kept) == 1
    assert len(set(lines)) == len(NODES)


def test_servers_believe_each_other_whose_connections_they_pass_on() -> None:
    """Each network in which servers reach each other is one of trusted proxies."""
    networks = {COMPOSE["networks"][name]["ipam"]["config"][0]["subnet"] for name in COMPOSE["networks"]}
    assert set(COMPOSE["services"]["n1"]["networks"]) == COMPOSE["networks"].keys()
    assert networks == {
        line.partition("=")[2] for line in command_lines()["n1"] if line.startswith("--proxy=")
    }


def test_bans_outlive_containers() -> None:
    """Each server has a file for the operator's commands, in a folder that stays, and so bans and reports."""
    for lines in command_lines().values():
        assert any(line.startswith("--control") for line in lines), lines
    mounted = {volume for node in NODES for volume in COMPOSE["services"][node]["volumes"]}
    assert mounted == {f"{node}-data:/data" for node in NODES}
    assert {f"{node}-data" for node in NODES} <= COMPOSE["volumes"].keys()
    servers = MANIFESTS[-1]["spec"]
    assert [each["metadata"]["name"] for each in servers["volumeClaimTemplates"]] == ["data"]
    assert {"name": "data", "mountPath": "/data"} in pod()["volumeMounts"]
    assert [each["name"] for each in servers["template"]["spec"]["volumes"]] == ["secrets"]


@pytest.mark.parametrize("version", usually(1, ["1.34", "1.28"]))
def test_the_manifests_are_what_kubernetes_knows(version: str) -> None:
    """Each object passes the schema that this version of Kubernetes publishes, with no unknown field."""
    assert {each["kind"] for each in MANIFESTS} == {
        "Ingress",
        "PodDisruptionBudget",
        "Service",
        "StatefulSet",
    }
    for manifest in MANIFESTS:
        kubernetes_validate.validate(manifest, version, strict=True)


def test_each_pod_is_reached_by_the_name_to_which_programs_are_redirected() -> None:
    """The ingress leads each server's name to a service of its own pod, and nobody to the metrics."""
    (ingress,) = (each["spec"] for each in MANIFESTS if each["kind"] == "Ingress")
    services = {each["metadata"]["name"]: each["spec"] for each in MANIFESTS if each["kind"] == "Service"}
    reached = {}
    for rule in ingress["rules"]:
        metrics, rest = rule["http"]["paths"]
        assert (metrics["path"], metrics["pathType"]) == ("/metrics", "Exact")
        assert services[metrics["backend"]["service"]["name"]]["selector"] == {"app": "racing-demon-nothing"}
        reached[rule["host"]] = services[rest["backend"]["service"]["name"]]["selector"]
    assert ingress["tls"][0]["hosts"] == list(reached)
    assert reached.pop("cards.example.org") == {"app": "racing-demon"}
    names = [each.get("statefulset.kubernetes.io/pod-name") for each in reached.values()]
    assert names == [f"racing-demon-{number}" for number in range(MANIFESTS[-1]["spec"]["replicas"])]


def test_a_budget_keeps_two_of_three_servers() -> None:
    """The budget selects the servers' pods, and lets one be away."""
    budget, servers = MANIFESTS[-2]["spec"], MANIFESTS[-1]["spec"]
    assert budget["selector"]["matchLabels"].items() <= servers["template"]["metadata"]["labels"].items()
    assert (servers["replicas"], budget["maxUnavailable"]) == (3, 1)


@pytest.mark.long
@pytest.mark.parametrize("where", usually(1, ["systemd", *NODES, "kubernetes"]))
async def test_the_server_understands_its_command_lines(where: str, tmp_path: Path) -> None:
    """Every option is one that the program has: only the database is missing here (exit code 3, not 2)."""
    key = tmp_path / "key"
    key.write_bytes(bytes(32))
    arguments = here(command_lines()[where], key, f"postgresql://rd@127.0.0.1:{free_port()}/rd")
    async with started(SERVER, *arguments, "--port", "0", env={"RACING_DEMON_MQTT_PASSWORD": "x"}) as server:
        ended = await server.end()
    assert ended.code == 3, ended.err
    assert "database" in ended.err


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
def test_systemd_understands_the_template(tmp_path: Path) -> None:
    """Nothing in it is unknown, and a server of it is as confined as one alone."""
    copy = tmp_path / "racing-demon-server@n1.service"
    copy.write_text(UNIT.read_text().replace(PROGRAM, sys.executable))
    assert complaints_of_systemd(copy) == []
    run("systemd-analyze", "security", "--offline=true", "--threshold=15", "--no-pager", copy)


@asynccontextmanager
async def replicated(folder: Path, programs: Path) -> AsyncIterator[list[int]]:
    """Run primary and standby as the compose file does, and yield their ports."""
    ports = [free_port(), free_port()]
    secret = folder / "database"
    secret.write_text("it's secret")
    user: dict[str, Any] = {}
    if os.getuid() == 0:  # PostgreSQL refuses to run as root
        folder.chmod(0o711)
        shutil.chown(folder, "nobody")
        user = {"user": "nobody", "extra_groups": []}
    for file in (FOLDER / "pg_hba.conf", FOLDER / "standby.sh"):
        (folder / file.name).write_bytes(file.read_bytes())
        (folder / file.name).chmod(0o644)
    secret.chmod(0o644)
    env = os.environ | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "POSTGRES_USER": "rd",
        "POSTGRES_PASSWORD_FILE": str(secret),
        "PRIMARY": "127.0.0.1",
        "STANDBY": "s1",
        "PGPORT": str(ports[0]),
        "LC_ALL": "C.UTF-8",
    }
    async with contextlib.AsyncExitStack() as stack:
        making = [
            "initdb",
            "-D",
            "primary",
            "-U",
            "rd",
            f"--pwfile={secret}",
            "--auth=scram-sha-256",
            "--no-sync",
        ]
        made = await asyncio.create_subprocess_exec(*making, cwd=folder, env=env, stdout=-3, **user)
        assert await made.wait() == 0
        for name, port in zip(("primary", "standby"), ports, strict=True):
            service = COMPOSE["services"][name]
            command = [each.replace("/etc/postgresql", str(folder)) for each in service["command"]]
            command += ["-c", f"port={port}", "-c", f"unix_socket_directories={folder}", "-c", "fsync=off"]
            entry = ["/bin/sh", "standby.sh"] if "entrypoint" in service else []
            log = stack.enter_context((folder / f"{name}.log").open("wb"))
            running = await asyncio.create_subprocess_exec(
                *entry, *command, cwd=folder, env=env | {"PGDATA": name}, stdout=log, stderr=log, **user
            )
            stack.push_async_callback(running.wait)
            stack.callback(running.terminate)
            async with deadline((folder / f"{name}.log").read_text):
                while True:
                    ready = await asyncio.create_subprocess_exec(
                        "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port), env=env
                    )
                    if await ready.wait() == 0:
                        break
                    assert running.returncode is None, (folder / f"{name}.log").read_text()
        yield ports


@pytest.mark.long
async def test_a_server_keeps_its_tables_at_primary_and_standby() -> None:
    """With the compose file's options a table opens, and the primary waits for the standby."""
    programs = folder_of_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with tempfile.TemporaryDirectory(prefix="racing-demon-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        key = folder / "key"
        key.write_bytes(bytes(range(32)))
        async with replicated(folder, programs) as ports:
            hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
            password = (folder / "database").read_text()
            admin = f"host=127.0.0.1 port={ports[0]} user=rd dbname=postgres"
            async with await psycopg.AsyncConnection.connect(admin, password=password, autocommit=True) as db:
                await db.execute("CREATE DATABASE rd")
                state = await (await db.execute("SELECT sync_state FROM pg_stat_replication")).fetchone()
            assert state == ("quorum",)
            url = f"postgresql://rd@{hosts}/rd?target_session_attrs=read-write"
            arguments = [*here(command_lines()["n1"], key, url), "--durability=full"]
            env = {"RACING_DEMON_MQTT_PASSWORD": "x", "PGPASSWORD": password}
            async with server_process(*arguments, env=env) as (_, place), Peer.hosting(place) as ann:
                assert ann.code
