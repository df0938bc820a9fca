"""The public state of a table: a fold over its events, snapshots, and scores."""
