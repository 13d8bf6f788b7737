"""Prints whether torch can use CUDA here."""

import torch

print("yes" if torch.cuda.is_available() else "no", flush=True)
