"""Long loops in a model's Python, of which a few rounds are traced."""
