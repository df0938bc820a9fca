"""The journal in one SQLite file: for a server on one machine, with nothing to install."""
