"""What the server is measured with: a load by script, bare relays beside it, and what comes of both."""
