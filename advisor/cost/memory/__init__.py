"""How much memory a step needs on a device."""
