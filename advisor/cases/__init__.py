"""The published cases and their answers."""
