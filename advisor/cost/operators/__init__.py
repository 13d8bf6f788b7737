"""How long the operators of a step take on a card."""
