"""Which tunnels there are, and what is read in the output of their programs."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from racing_demon_server.tunnel_program import (
    MAX_LINE,
    NoTunnel,
    address_in,
    tunnel_command,
    unencrypted_in,
)
from tests.support.cases import for_each

OUTPUTS = Path(__file__).parents[1] / "fixtures" / "tunnels"


def installed(*names: str) -> Callable[[str], str | None]:
    """Return what finds programs where only these are installed."""
    return lambda name: f"/usr/bin/{name}" if name in names else None


def first_address(text: str, program: str) -> str | None:
    """Return the first address in a program's output."""
    return next(filter(None, (address_in(line, program) for line in text.splitlines())), None)


@for_each(
    ("name", "program", "address"),
    [
        ("cloudflared", "cloudflared", "https://four-dashed-word-url.trycloudflare.com"),
        ("cloudflared-failed", "cloudflared", None),
        ("tailscale", "tailscale", "https://amelie-workstation.pango-lin.ts.net"),
        ("tailscale-documented", "tailscale", "https://amelie-workstation.pango-lin.ts.net"),
        ("tailscale-not-enabled", "tailscale", None),
    ],
)
def test_the_address_is_read(name: str, program: str, address: str | None) -> None:
    """As these programs print it, among addresses of their documentation and of their makers."""
    assert first_address((OUTPUTS / f"{name}.txt").read_text(), program) == address


@for_each(
    ("line", "address"),
    [
        ("t=2026 lvl=info msg=started url=https://ab12.tunnel.example", "https://ab12.tunnel.example"),
        ("\x1b[32mhttps://ab12.tunnel.example/\x1b[0m", "https://ab12.tunnel.example"),
        (
            "read https://docs.example/tunnels, or see https://ab12.tunnel.example.",
            "https://ab12.tunnel.example",
        ),
        ("http://127.0.0.1:4040 and https://localhost:3000", None),
        ("https://me:secret@evil.example", None),
        ("https://" + "a" * MAX_LINE + ".example", None),
    ],
)
def test_of_other_programs_the_first_address_without_a_path_counts(line: str, address: str | None) -> None:
    """It is https, and names a host."""
    assert address_in(line, "other") == address


@for_each(
    ("line", "address"),
    [
        ("forwarding http://ab12.tunnel.example -> 5252", "http://ab12.tunnel.example"),
        ("see http://203.0.114.7:8080/", "http://203.0.114.7:8080"),
        ("https://ab12.tunnel.example and its docs at http://tunnel.example/docs", None),
        ("http://127.0.0.1:4040, http://localhost:3000 and http://192.168.1.5", None),
    ],
)
def test_an_address_without_https_is_recognized(line: str, address: str | None) -> None:
    """Those in this network are pages of the program itself."""
    assert unencrypted_in(line, "other") == address


def test_the_first_program_that_is_installed_is_taken() -> None:
    """Cloudflare's needs no account."""
    assert tunnel_command("auto", "", installed("cloudflared", "tailscale"))[0] == "cloudflared"
    assert tunnel_command("auto", "", installed("tailscale"))[0] == "tailscale"


@for_each(
    ("text", "said"),
    [
        ("auto", "No program for tunnels is installed. cloudflared needs no account: https://"),
        ("tailscale", "tailscale is not installed. tailscale needs an account"),
        ("gone --port {port}", "The tunnel's program gone is not there."),
        ("ssh -R 80:localhost:5252 host", "must say where {port} stands"),
        ("ssh -R 80:localhost:{port} host", "ssh provides no https of its own"),
        ("ssh '{port}", "cannot be read"),
    ],
)
def test_what_cannot_be_started_is_refused(text: str, said: str) -> None:
    """In a sentence that says what to do."""
    with pytest.raises(NoTunnel, match=re.escape(said)):
        tunnel_command(text, "", installed("ssh"))


def test_ssh_may_lead_to_a_name_that_is_given() -> None:
    """The other end has https there."""
    command = tunnel_command("ssh -R 80:localhost:{port} host", "https://name.example", installed("ssh"))
    assert command == ("ssh", "-R", "80:localhost:{port}", "host")
