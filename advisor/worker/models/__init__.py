"""A workload as a torch module with batches, loss and optimizer."""
