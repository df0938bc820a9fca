"""What everybody may see at a table: a fold over its events, snapshots, and the scores."""
