"""Find tables on the network and verify that they exist."""
