"""The browser's table: the files of its page, and how they are answered."""
