"""Receive what a server's webhook tells, check who has sent it, and pass the results on to a chat.

(umask 077; echo whsec_$(openssl rand -base64 32) > webhook.secret)
python examples/webhook_receiver.py 8080 webhook.secret https://chat.example.org/hooks/…
racing-demon-server --webhook http://127.0.0.1:8080/ --webhook-secret webhook.secret --webhook-names

The chat gets ``{"text": "…"}``, as Slack, Mattermost and Rocket.Chat expect it. Without its address, all
is only printed. docs/webhook.md describes the requests.
"""

import base64
import hmac
import json
import re
import sys
import time
from collections import deque
from collections.abc import Mapping
from email.message import Message
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

MAX_BODY = 65_536
MAX_AGE_SECONDS = 300
SECONDS_TO_POST = 5  # the server waits for ten
MAX_KNOWN = 10_000
# A chat reads marks in a name: <!channel>, @here, [a link](…), *bold*. Their wide forms mean nothing to it.
MARKS = str.maketrans({mark: chr(ord(mark) + 0xFEE0) for mark in "!#&()*/:<>@[\\]_`|~"})


def is_genuine(headers: Message, body: bytes, secret: str) -> bool:
    """Return whether a request was signed with the secret, and not long ago."""
    name, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not re.fullmatch(r"[0-9]{1,12}", at) or abs(time.time() - int(at)) > MAX_AGE_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{name}.{at}.".encode() + body, "sha256")
    signature = headers.get("webhook-signature", "").encode()  # in ASCII only if it is one
    return hmac.compare_digest(b"v1," + base64.b64encode(digest), signature)


def sentence(kind: str, data: Mapping[str, Any]) -> str:
    """Return what has happened as a sentence; empty for what the chat does not need."""
    if kind == "match.begun":
        return f"A match begins at table {data['code']}: {', '.join(map(player, data['players']))}"
    if kind == "match.over":
        winners = " and ".join(map(player, data["winners"])) or "Nobody"
        scores = sorted(data["scores"], key=lambda score: -score["total"])
        points = ", ".join(f"{player(score)} {score['total']}" for score in scores)
        return f"{winners} won at table {data['code']}: {points}"
    return ""


def player(row: Mapping[str, Any]) -> str:
    """Return a player's name as plain text; without --webhook-names there is only the seat."""
    return (row.get("name") or f"seat {row['seat'] + 1}").translate(MARKS)


def post(chat: str, text: str) -> None:
    """Send a text to the chat."""
    body = json.dumps({"text": text}).encode()
    request = Request(chat, body, {"Content-Type": "application/json"})  # noqa: S310 - your own chat
    with urlopen(request, timeout=SECONDS_TO_POST) as answer:  # noqa: S310
        answer.read()


def main(port: str, secret_file: str, chat: str = "") -> None:
    """Receive for as long as the program runs."""
    secret, known = Path(secret_file).read_text(encoding="ascii").strip(), deque[str](maxlen=MAX_KNOWN)

    class Receiver(BaseHTTPRequestHandler):
        timeout = SECONDS_TO_POST

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            is_short = re.fullmatch(r"[0-9]{1,5}", length) and int(length) <= MAX_BODY
            body = self.rfile.read(int(length)) if is_short else b""
            self.send_response(self.take(body))
            self.end_headers()

        def take(self, body: bytes) -> int:
            """Return the status of the answer: 2xx ends the server's attempts."""
            if not is_genuine(self.headers, body, secret):
                return 401
            name = self.headers["webhook-id"]
            if name not in known:  # a notice may come twice
                try:
                    told = json.loads(body)
                    text = sentence(told["type"], told["data"])
                except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
                    print(f"no notice: {error!r}", file=sys.stderr, flush=True)
                    return 400
                try:
                    if text and chat:
                        post(chat, text)
                except OSError:
                    return 503  # the server sends it again later
                if text:
                    print(text, flush=True)
                known.append(name)
            return 204

        def log_message(self, *_: object) -> None:
            """Be quiet."""

    with HTTPServer(("127.0.0.1", int(port)), Receiver) as server:
        print(f"receiving at http://127.0.0.1:{server.server_port}/", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:4])
