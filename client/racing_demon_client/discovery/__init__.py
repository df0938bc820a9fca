"""Find tables on the network and verify that they exist."""

__all__ = ["finder", "mdns", "network_interfaces", "qr"]
