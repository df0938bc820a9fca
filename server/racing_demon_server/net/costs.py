"""The cost of each message, in units. One unit is the cost of a ping: about 40 microseconds of CPU.

The kind of a message determines its cost, so clients can know it: ``docs/wire.md`` has a list. A play
also costs one for each further event that it leads to, and who opened a table pays for the thoughts of its
bots. Costs were measured with a journal, and rounded. The last ``ready`` or ``stuck`` of eight deals or
ends a hand, so each of the eight pays a part of that.
"""

from typing import Final

from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl

REQUEST: Final = 10
"""An HTTP request."""
PICTURE: Final = 60
"""A request for the QR code of a table's address, which is drawn."""
DEAR_EVENT: Final = 10
"""What each event of a play costs more, once an address has caused very many of them. They fill the disk."""
HANDSHAKE: Final = 15
"""The handshake of a WebSocket, with its connection."""

_BY_COST: Final = (
    (1, (cl.Hello, cl.Ping, cl.PlayCards)),
    (5, (cl.Call, cl.Kick, cl.MakeHost, cl.Mute, cl.Pause, cl.React, cl.Relaying, cl.Say, cl.Unban)),
    (10, (cl.Contribute, cl.PlayBest, cl.Ready, cl.Reveal, cl.Stuck)),
    (10, (cl.AddBot, cl.Leave, cl.RemoveBot, cl.SetOptions, cl.StandIn, cl.Watch)),
    (20, (cl.Join, cl.Resume)),
    (30, (cl.Create,)),
    (100, (cl.Start,)),
)
COSTS: Final[dict[type[Message], int]] = {kind: cost for cost, kinds in _BY_COST for kind in kinds}
"""The cost of each message of a client, including its frame."""
