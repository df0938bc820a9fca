"""The server as late in a day: whoever comes has already caused all bytes that an address may at once."""

import sys

from racing_demon_server import rate_limits
from racing_demon_server.cli import main

if __name__ == "__main__":
    for name in ("KEPT_BURST", "EVENT_BURST"):  # the second is of older versions
        setattr(rate_limits, name, 1.0)
    sys.exit(main(sys.argv[1:]))
