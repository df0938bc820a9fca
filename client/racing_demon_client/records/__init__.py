"""Records on the client: where they come from, writing, checking and rewinding them."""
