"""The journal in a PostgreSQL database: for many servers, each of which owns some of the tables."""
