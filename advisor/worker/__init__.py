"""The child process that trains for real; the only code that imports torch."""
