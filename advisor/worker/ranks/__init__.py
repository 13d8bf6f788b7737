"""This process as one rank of a torch.distributed group."""
