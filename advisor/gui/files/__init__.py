"""Files that are given to the window, and files that it writes."""
