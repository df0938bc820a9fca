"""Records on the client: their sources, writing, verification and timelines."""
