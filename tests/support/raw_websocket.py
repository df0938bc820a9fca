"""WebSocket handshakes and frames as bytes, for clients that keep to no rules."""

from websockets.frames import Frame, Opcode


def request(path: str, encoding: str, *headers: str) -> bytes:
    """Return the bytes of a handshake."""
    lines = [
        f"GET {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        f"Sec-WebSocket-Protocol: racing-demon.v1+{encoding}",
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def frames_of(*payloads: bytes, opcode: Opcode = Opcode.BINARY) -> bytes:
    """Return masked frames."""
    return b"".join(Frame(opcode, payload).serialize(mask=True) for payload in payloads)
