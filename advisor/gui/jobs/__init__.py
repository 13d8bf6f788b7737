"""The window's long work in a process of its own, so that the window never waits for it."""
