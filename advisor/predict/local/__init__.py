"""Steps of a device that is here, from what was timed on it."""
