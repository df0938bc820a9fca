"""The browser table: its files, and the answers to requests for them."""
