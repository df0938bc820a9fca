"""What stands for the images of compose files: this machine's programs, called as the images call them."""

import functools
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import yaml  # type: ignore[import-untyped]

from tests.support.deployed import DEPLOY
from tests.support.postgres import folder_of_programs

SYSTEM: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
POSTGRES: Final = """
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth=scram-sha-256 --encoding=UTF8
    echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
    options=$(shift; printf "'%s' " "$@" -c listen_addresses=)
    pg_ctl -w -o "$options" start
    exists="SELECT 1 FROM pg_database WHERE datname = '$POSTGRES_DB'"
    [ "$(psql --username="$POSTGRES_USER" -d postgres -tAc "$exists")" ] \\
        || psql --username="$POSTGRES_USER" -d postgres -c "CREATE DATABASE \\"$POSTGRES_DB\\""
    pg_ctl -w -m fast stop
fi
exec "$@"
"""
"""What the image of PostgreSQL does first: it makes the database with a server that has the same options."""


@dataclass
class Image:
    """What an image brings, where the compose file does not say otherwise."""

    environment: dict[str, str] = field(default_factory=dict)
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    user: str = "root"
    check: list[str] = field(default_factory=list)


def built() -> Image:
    """Return what the Containerfile says, with this machine's programs."""
    text = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")
    last = text.rpartition("\nFROM ")[2]
    words = functools.partial(re.findall, string=last, flags=re.MULTILINE)
    environment = dict(pair.split("=", 1) for line in words(r"^ENV (.*)$") for pair in line.split())
    environment["PATH"] = f"{Path(sys.executable).parent}:{SYSTEM}"
    (entrypoint,), (user,), (check,) = (
        words(r"^ENTRYPOINT (.*)$"),
        words(r"^USER (.*)$"),
        words(r"CMD (\[\"python.*)$"),
    )
    return Image(environment, yaml.safe_load(entrypoint), [], user, ["CMD", *yaml.safe_load(check)])


def images() -> dict[str, Image]:
    """Return what stands for each of the images."""
    programs = folder_of_programs()
    return {
        "racing-demon-server": built(),
        "caddy:2": Image(
            {"XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "/config", "HOME": "/root"},
            command=["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"],
        ),
        "eclipse-mosquitto:2": Image(),
        "postgres:16": Image(
            {"PATH": f"{programs}:{SYSTEM}", "PGDATA": "/var/lib/postgresql/data", "LC_ALL": "C.UTF-8"},
            entrypoint=["/bin/sh", "-c", POSTGRES, "entrypoint"],
        ),
    }
