"""How fast and how big would it be there? Pure arithmetic: no input or output."""
