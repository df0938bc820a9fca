"""Stand-ins for programs that would download something, on a machine of :mod:`.manual_machines`.

A script of each one's name calls this file there.
"""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).parents[2]
SCRIPTS: Final = ("apt-get", "certbot", "python3", "scp")
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
SERVICES: Final = ("caddy", "mosquitto", "nginx", "prometheus")
"""The packages whose service Debian starts when they are installed."""
PYTHON: Final = "/usr/bin/python3"
INSTALLED: Final = Path("/opt/racing-demon")
TRUSTED: Final = Path("/run/trusted.pem")
"""The authorities that programs on the machine trust."""
FILES: Final = {
    "/etc/systemd/system.conf.d/trusted.conf": f"""\
[Manager]
DefaultEnvironment=SSL_CERT_FILE={TRUSTED}
""",
    "/usr/local/bin/caddyfile": """\
#!/bin/sh
{
    printf '{\\nlocal_certs\\nskip_install_trust\\nstorage file_system /var/lib/caddy\\n}\\n'
    cat /etc/caddy/Caddyfile
} >/run/caddy/Caddyfile
""",
    "/etc/systemd/system/caddy.service.d/local.conf": f"""\
[Service]
RuntimeDirectory=caddy
ExecStart=
ExecStartPre=/usr/local/bin/caddyfile
ExecStart=/usr/bin/caddy run --config /run/caddy/Caddyfile --adapter caddyfile
ExecReload=
ExecReload=/usr/local/bin/caddyfile
ExecReload=/usr/bin/caddy reload --config /run/caddy/Caddyfile --adapter caddyfile --force
ExecReload=+/bin/sh -ec 'root=/var/lib/caddy/pki/authorities/local/root.crt; \\
    until test -s $root; do sleep 0.1; done; cat $root >>{TRUSTED}'
""",
}
"""What lets Caddy make its certificates by itself, and others trust them."""


def install() -> None:
    """Put all stand-ins into their places."""
    for name in SCRIPTS:
        write_script(Path("/usr/local/sbin", name), name)
    for place, text in FILES.items():
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        Path(place).write_text(text)
        Path(place).chmod(0o755)


def main(name: str, arguments: Sequence[str]) -> None:
    """Do what a program would."""
    {"apt-get": apt_get, "certbot": certbot, "pip": pip, "python3": python3, "scp": scp}[name](arguments)


def run(*words: str) -> None:
    """Run a program."""
    subprocess.run(words, check=True)  # noqa: S603 - our own commands


def apt_get(arguments: Sequence[str]) -> None:
    """Start the services of packages; PostgreSQL's makes a database, as Debian's does."""
    for package in arguments[1:]:
        assert package in PROGRAMS, package
        if package in SERVICES:
            run("systemctl", "start", package)
        if package == "postgresql":
            version = sorted(os.listdir("/usr/lib/postgresql"))[-1]
            run("pg_createcluster", version, "main", "--start")


def python3(arguments: Sequence[str]) -> None:
    """Make an environment, whose pip is another stand-in."""
    assert arguments[:2] == ["-m", "venv"]
    run(PYTHON, "-m", "venv", "--without-pip", arguments[2])
    write_script(Path(arguments[2], "bin", "pip"), "pip")


def pip(arguments: Sequence[str]) -> None:
    """Let this checkout, and what it needs, be there in place of installed packages."""
    assert arguments[0] == "install"
    if "--requirement" in arguments:
        assert Path(arguments[-1]).exists()
        return
    if not (sources := INSTALLED / "sources").exists():
        packages = INSTALLED / "packages"
        for place, source in ((sources, CHECKOUT), (packages, sysconfig.get_path("purelib"))):
            place.mkdir()
            run("mount", "--bind", str(source), str(place))
        (site,) = INSTALLED.glob("lib/*/site-packages")
        paths = (*(sources / folder for folder in ("protocol", "server", "client")), packages)
        (site / "here.pth").write_text("\n".join(map(str, paths)))
    for program in ("racing-demon", "racing-demon-server", "rd-admin"):
        what = "racing_demon_client" if program == "racing-demon" else "racing_demon_server"
        entry = "admin" if program == "rd-admin" else "main"
        lines = f"import sys\nfrom {what}.__main__ import {entry}\nsys.exit({entry}())\n"
        (INSTALLED / "bin" / program).write_text(f"#!{INSTALLED}/bin/python3\n{lines}")
        (INSTALLED / "bin" / program).chmod(0o755)


def certbot(arguments: Sequence[str]) -> None:
    """Make a certificate of one's own."""
    name = arguments[-1]
    folder = Path("/etc/letsencrypt/live") / name
    folder.mkdir(parents=True)
    key, chain = folder / "privkey.pem", folder / "fullchain.pem"
    made = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc")
    named = ("-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}")
    run(*made, "-keyout", str(key), "-out", str(chain), *named)
    with TRUSTED.open("a") as file:
        file.write(chain.read_text())


def scp(arguments: Sequence[str]) -> None:
    """Check that there is something to copy: the machines of a test share root's folder."""
    assert list(Path(arguments[1]).iterdir())


def write_script(path: Path, name: str) -> None:
    """Write a program that is the stand-in of a name."""
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__)} {name} "$@"\n')
    path.chmod(0o755)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
