"""One file per page of the window."""
