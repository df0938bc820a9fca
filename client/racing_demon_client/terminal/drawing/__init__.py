"""The table as text: from a scene and a size to a picture, without any library of terminals."""
