"""Post the result of each match to a chat: read them from an MQTT broker, and send them to a webhook.

python examples/chat_results.py broker.local https://chat.example.org/hooks/…

The webhook gets ``{"text": "…"}``, as Slack, Mattermost and Rocket.Chat expect it. The server publishes with
``racing-demon-server --mqtt mqtt://broker.local``; docs/mqtt.md describes the topics.
"""

import asyncio
import json
import sys
from collections import deque
from typing import Any
from urllib.request import Request, urlopen

import aiomqtt

MATCHES = "rd/pub/+/tables/+/matches"
SECONDS_TO_POST = 10
MAX_POSTED = 1_000
# A chat reads marks in a name: <!channel>, @here, [a link](…), *bold*. Their wide forms mean nothing to it.
MARKS = str.maketrans({mark: chr(ord(mark) + 0xFEE0) for mark in "!#&()*/:<>@[\\]_`|~"})


async def main(broker: str, webhook: str) -> None:
    """Post results for as long as the broker is there."""
    host, _, port = broker.partition(":")
    posted = deque[str](maxlen=MAX_POSTED)
    async with aiomqtt.Client(host, int(port or 1883)) as client:
        await client.subscribe(MATCHES, qos=1)
        async for message in client.messages:
            if not isinstance(message.payload, bytes):
                continue
            try:
                result = json.loads(message.payload)
                name, text = f"{message.topic} {result['match']}", sentence(result)
            except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
                print(f"no result: {message.topic} ({error!r})", file=sys.stderr)
                continue
            if name not in posted:  # QoS 1 may deliver twice
                posted.append(name)
                await asyncio.to_thread(post, webhook, text)


def sentence(result: dict[str, Any]) -> str:
    """Return a result as a sentence: the winners, then everybody's points."""
    winners = " and ".join(map(player, result["winners"])) or "Nobody"
    scores = sorted(result["scores"], key=lambda score: -score["total"])
    points = ", ".join(f"{player(score)} {score['total']}" for score in scores)
    return f"{winners} won at table {result['code']}: {points}"


def player(row: dict[str, Any]) -> str:
    """Return a player's name as plain text."""
    return str(row["name"]).translate(MARKS)


def post(webhook: str, text: str) -> None:
    """Send a text to the chat."""
    body = json.dumps({"text": text}).encode()
    request = Request(webhook, body, {"Content-Type": "application/json"})  # noqa: S310 - your own webhook
    with urlopen(request, timeout=SECONDS_TO_POST) as answer:  # noqa: S310
        answer.read()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
