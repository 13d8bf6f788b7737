"""Files that are given to the window."""
