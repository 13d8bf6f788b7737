"""What is said to have been changed on the same cards, and what was before."""
