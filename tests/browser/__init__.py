"""The browser's table, in a real browser at a real server."""
