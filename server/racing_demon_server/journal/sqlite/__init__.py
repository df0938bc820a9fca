"""The journal in one file of SQLite: for a server on one machine, with nothing to install."""
