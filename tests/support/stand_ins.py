"""Stand-ins for programs of the manual that would download something, or need systemd as the first process.

A script of each one's name calls this file on a machine of :mod:`.manual_machines`.
"""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).parents[2]
UNITS: Final = Path("/etc/systemd/system")
PROGRAMS: Final = {
    "caddy": "caddy",
    "certbot": "openssl",
    "curl": "curl",
    "mosquitto": "mosquitto",
    "mosquitto-clients": "mosquitto_sub",
    "nginx": "nginx",
    "openssl": "openssl",
    "postgresql": "pg_createcluster",
    "prometheus": "prometheus",
    "python3-venv": "python3",
}
"""A program of each package that the manual has one install."""
SERVICES: Final = {
    "caddy": ["caddy", "run", "--config", "/run/Caddyfile", "--adapter", "caddyfile"],
    "mosquitto": ["mosquitto", "-c", "/etc/mosquitto/mosquitto.conf"],
    "nginx": ["nginx", "-g", "daemon off;"],
    "prometheus": [
        "prometheus",
        "--config.file=/etc/prometheus/prometheus.yml",
        "--storage.tsdb.path=/var/lib/prometheus",
    ],
}
"""What Debian's units start."""
CADDY_ROOT: Final = Path("/var/lib/caddy/pki/authorities/local/root.crt")
TRUSTED: Final = Path("/run/trusted.pem")
"""The authorities that programs on the machine trust."""
SECONDS: Final = 90.0

Settings = dict[str, list[str]]
"""The settings of a unit, each with all its values."""


def main(name: str, arguments: Sequence[str]) -> int:
    """Do what a program would."""
    return {
        "apt-get": apt_get,
        "certbot": certbot,
        "journalctl": journalctl,
        "pip": pip,
        "python3": python3,
        "scp": scp,
        "systemctl": systemctl,
        "systemd-run": systemd_run,
    }[name](arguments)


def run(*words: str, check: bool = True, env: dict[str, str] | None = None) -> int:
    """Run a program, and return its exit code."""
    return subprocess.run(words, check=check, env=env).returncode  # noqa: S603 - our own commands


# Downloads and certificates.


def apt_get(arguments: Sequence[str]) -> int:
    """Check that the packages are there; PostgreSQL's makes a database, as Debian's does."""
    for package in arguments[1:]:
        assert shutil.which(PROGRAMS[package]), package
        if package == "postgresql":
            version = sorted(os.listdir("/usr/lib/postgresql"))[-1]
            run("pg_createcluster", version, "main", "--start")
    return 0


def python3(arguments: Sequence[str]) -> int:
    """Make an environment, whose pip is another stand-in."""
    assert arguments[:2] == ["-m", "venv"]
    programs = Path(arguments[2]) / "bin"
    programs.mkdir(parents=True)
    write_script(programs / "pip", "pip")
    return 0


def pip(arguments: Sequence[str]) -> int:
    """Put this checkout's programs where the installed ones would be."""
    assert arguments[0] == "install"
    if "--requirement" in arguments:
        assert Path(arguments[-1]).exists()
        return 0
    for program in ("racing-demon", "racing-demon-server", "rd-admin"):
        what = "racing_demon_client" if program == "racing-demon" else "racing_demon_server"
        entry = "admin" if program == "rd-admin" else "main"
        installed = Path("/opt/racing-demon/bin") / program
        run = f"import sys; from {what}.__main__ import {entry}; sys.exit({entry}())"
        paths = ":".join(str(CHECKOUT / folder) for folder in ("protocol", "server", "client"))
        installed.write_text(f'#!/bin/sh\nPYTHONPATH={paths} exec {sys.executable} -c "{run}" "$@"\n')
        installed.chmod(0o755)
    return 0


def certbot(arguments: Sequence[str]) -> int:
    """Make a certificate of one's own."""
    name = arguments[-1]
    folder = Path("/etc/letsencrypt/live") / name
    folder.mkdir(parents=True)
    key, chain = folder / "privkey.pem", folder / "fullchain.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc"]
    named = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    run(*made, "-keyout", str(key), "-out", str(chain), *named)
    trust(chain)
    return 0


def scp(arguments: Sequence[str]) -> int:
    """Check that there is something to copy: the machines of a test share root's folder."""
    assert list(Path(arguments[1]).iterdir())
    return 0


def trust(certificate: Path) -> None:
    """Let the programs of this machine trust an authority."""
    with TRUSTED.open("a") as file:
        file.write(certificate.read_text())


# Systemd.


def systemctl(arguments: Sequence[str]) -> int:
    """Start and stop what units say."""
    command, *units = [each for each in arguments if each != "--now"]
    for unit in units:
        if command in {"stop", "restart", "reload"}:
            stop(unit)
        if command in {"enable", "start", "restart", "reload"}:
            start(unit.removesuffix(".timer"))
    return 0


def journalctl(arguments: Sequence[str]) -> int:
    """Print what a unit has said."""
    sys.stdout.write(log_of(arguments[arguments.index("-u") + 1]).read_text())
    return 0


def systemd_run(arguments: Sequence[str]) -> int:
    """Run a command with the settings that are named, and wait for it."""
    settings: Settings = defaultdict(list)
    words = list(arguments)
    while words[0].startswith("--"):
        option, _, value = words.pop(0).partition("=")
        if option == "--property":
            name, _, value = value.partition("=")
            settings[name].append(value)
        elif option == "--setenv":
            settings["Environment"].append(value)
    return run(*words, env=environment(settings, "check"), check=False)


def start(unit: str) -> None:
    """Start a unit, and wait until it is there."""
    if unit == "postgresql":
        run("pg_ctlcluster", *cluster(), "start")
        return
    own = unit not in SERVICES
    settings = settings_of(unit) if own else defaultdict(list)
    if own and any(not Path(each).exists() for each in settings["ConditionPathExists"]):
        return
    for folder in " ".join(settings["StateDirectory"]).split():
        Path("/var/lib", folder).mkdir(mode=0o700, exist_ok=True)
    env = environment(settings, unit)
    if unit == "caddy":
        text = Path("/etc/caddy/Caddyfile").read_text()
        Path("/run/Caddyfile").write_text(
            f"{{\nlocal_certs\nskip_install_trust\nstorage file_system /var/lib/caddy\n}}\n{text}"
        )
    words = expanded(settings["ExecStart"][-1], env) if own else SERVICES[unit]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified, log_of(unit).open("ab") as log:
        place = f"/run/notify-{unit}"
        Path(place).unlink(missing_ok=True)
        notified.bind(place)
        notified.settimeout(SECONDS)
        process = subprocess.Popen(  # noqa: S603 - what our own units say
            words, env={**env, "NOTIFY_SOCKET": place}, stdout=log, stderr=log, start_new_session=True
        )
        Path(f"/run/started-{unit}.pid").write_text(str(process.pid))
        if settings["Type"] == ["oneshot"]:
            assert process.wait(SECONDS) == 0, log_of(unit).read_text()
        elif settings["Type"] == ["notify"]:
            while b"READY=1" not in notified.recv(4_096):
                pass
        elif unit == "caddy":
            until(CADDY_ROOT.exists)
            trust(CADDY_ROOT)


def stop(unit: str) -> None:
    """Stop a unit, and wait until it has ended."""
    if unit == "postgresql":
        run("pg_ctlcluster", *cluster(), "stop", "-m", "fast", check=False)
        return
    try:
        number = int(Path(f"/run/started-{unit}.pid").read_text())
        os.kill(number, signal.SIGTERM)
    except (FileNotFoundError, ProcessLookupError):
        return
    until(lambda: has_ended(number))


def has_ended(number: int) -> bool:
    """Return whether a process has ended; nobody may have asked how."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def until(is_true: object) -> None:
    """Wait until something is true."""
    assert callable(is_true)
    end = time.monotonic() + SECONDS
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.05)


def cluster() -> list[str]:
    """Return what Debian calls the database of this machine."""
    return [sorted(os.listdir("/etc/postgresql"))[-1], "main"]


def log_of(unit: str) -> Path:
    """Return the file of what a unit says."""
    return Path("/var/log") / f"{unit}.said"


def settings_of(unit: str) -> Settings:
    """Return the settings of a unit of ours."""
    name, _, instance = unit.removesuffix(".service").partition("@")
    file = UNITS / f"{name}{'@' if instance else ''}.service"
    settings: Settings = defaultdict(list)
    text = re.sub(r"^#.*\n", "", file.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    for line in text.splitlines():
        key, is_setting, value = line.partition("=")
        if is_setting:
            told = value.replace("%S", "/var/lib").replace("%i", instance).replace("%%", "%")
            settings[key].append(told)
    return settings


def environment(settings: Settings, unit: str) -> dict[str, str]:
    """Return the environment of a unit's program, with its credentials in place."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "LANG": "C.UTF-8",
        "SSL_CERT_FILE": str(TRUSTED),
    }
    env |= dict(each.split("=", 1) for each in settings["Environment"])
    for each in settings["EnvironmentFile"]:
        file = Path(each.removeprefix("-"))
        if file.exists() or not each.startswith("-"):
            env |= dict(line.split("=", 1) for line in file.read_text().splitlines() if "=" in line)
    for each in settings["LoadCredential"]:
        name, _, path = each.partition(":")
        folder = Path("/run/credentials") / f"{unit.removesuffix('.service')}.service"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in Path(path).iterdir():
            shutil.copy(file, folder / f"{name}_{file.name}")
        env["CREDENTIALS_DIRECTORY"] = str(folder)
    return env


def expanded(line: str, env: dict[str, str]) -> list[str]:
    """Return the words of a command line as systemd makes them: a variable that is a word may be several."""
    words = []
    for word in shlex.split(line):
        if found := re.fullmatch(r"\$(\w+)", word):
            words += env.get(found[1], "").split()
        else:
            words.append(re.sub(r"\$\{(\w+)\}", lambda name: env.get(name[1], ""), word))
    return words


def write_script(path: Path, name: str) -> None:
    """Write a program that is the stand-in of a name."""
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__)} {name} "$@"\n')
    path.chmod(0o755)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
