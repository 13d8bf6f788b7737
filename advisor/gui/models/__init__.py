"""Qt item models that pages show."""
