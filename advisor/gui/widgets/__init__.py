"""Small parts that pages are made of; each knows the theme and nothing of the session."""
