"""What a server remembers of its matches after their events are gone, and who may see it."""
