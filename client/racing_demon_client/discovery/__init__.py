"""Finding tables on the network, and asking whether they are really there."""
