"""Games that are not built in sequences, one module for each kind."""
