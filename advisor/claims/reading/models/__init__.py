"""Which model is meant, how large it is, what is done with it, and whether it fits."""
