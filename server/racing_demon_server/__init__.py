"""The authority: deals, judges plays in the order they arrive, and tells everybody."""
