"""How a person begins: which model, against which cards, one button; and where the last time ended."""
