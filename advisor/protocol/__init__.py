"""The messages between this program and its worker: requests in, events out, one JSON line each."""
