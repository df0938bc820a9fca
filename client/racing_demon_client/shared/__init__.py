"""What the terminal table and plain text have in common: words, pile names, rules as text."""
