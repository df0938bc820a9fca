"""Players whom a server remembers, by secrets of their devices."""
