"""Models that transformers builds from a configuration, and the inputs that their forwards ask for."""
