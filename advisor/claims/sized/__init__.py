"""Claims about a model that is named by its size alone: its memory, and its speed."""
