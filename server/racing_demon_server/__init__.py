"""The authoritative server: deals, judges plays in order of arrival, and broadcasts the results."""
