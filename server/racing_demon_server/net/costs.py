"""The cost of each message, in units. One unit is the cost of a ping: about 40 microseconds of CPU.

The kind of a message determines its cost, so clients can know it: ``protocol/README.md`` has a list. Costs
were measured with a journal, and rounded. The last ``ready`` or ``stuck`` of eight deals or ends a hand,
so each of the eight pays a part of that.
"""

from typing import Final

from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl

REQUEST: Final = 10
"""An HTTP request."""
PICTURE: Final = 60
"""A request for the QR code of a table's address, which is drawn."""
HANDSHAKE: Final = 15
"""The handshake of a WebSocket, with its connection."""

COSTS: Final[dict[type[Message], int]] = {
    cl.Hello: 1,
    cl.Ping: 1,
    cl.PlayCards: 1,
    cl.Call: 5,
    cl.Kick: 5,
    cl.MakeHost: 5,
    cl.Mute: 5,
    cl.Pause: 5,
    cl.React: 5,
    cl.Relaying: 5,
    cl.Say: 5,
    cl.Unban: 5,
    cl.AddBot: 10,
    cl.Contribute: 10,
    cl.Leave: 10,
    cl.PlayBest: 10,
    cl.Ready: 10,
    cl.RemoveBot: 10,
    cl.Reveal: 10,
    cl.SetOptions: 10,
    cl.StandIn: 10,
    cl.Stuck: 10,
    cl.Watch: 10,
    cl.Join: 20,
    cl.Resume: 20,
    cl.Create: 30,
    cl.Start: 100,
}
"""The cost of each message of a client, including its frame."""
