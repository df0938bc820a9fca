"""The browser's table in JavaScript: files that the server reads as resources, and no Python."""
