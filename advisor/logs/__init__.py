"""Training logs: read, and explained."""
