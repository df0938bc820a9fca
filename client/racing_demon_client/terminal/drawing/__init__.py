"""The table as text: pure functions from a scene and a size to a picture."""
