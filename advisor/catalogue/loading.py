"""What making a sample costs one core of a loader, from public sources; and what stands in for the data here."""

from __future__ import annotations

from math import ceil

DECODED_IMAGES_PER_S = 1000 / 2.541465
"""JPEG pictures of 551 x 676 pixels on average that one core decodes, without cropping, resizing or augmenting them:
torchvision's decode_jpeg, 1,000 pictures on one thread in 2.54 s; github.com/pytorch/vision, pull request 8495."""
TOKENS_PER_S = 1e6 / 1.1
"""Tokens that one core makes of text: Hugging Face tokenizers on a document of 4 MB, a million tokens in 1.1 s;
charlesxu.io/parallel-tokenizer, 2025."""
COLLATED_ROWS_PER_S = 1e6 / 2.4
"""Rows in memory that one process takes one by one and collates, at the most: a DataLoader of torch 2.13 over a
TensorDataset took 2.4 to 15 microseconds for a row of 4 to 400 numbers on a core of an AMD EPYC, November 2026. A row
that is read from a file, or made by code of its own, takes longer."""
LEAST_DECODED_SIDE = 128
"""Data sets of smaller pictures (MNIST, CIFAR, 64 x 64 ImageNet) are published as arrays: nothing is decoded."""
STAND_IN_SAMPLES = 16
"""Random samples in memory that stand for a data set that is not at hand, where a loader is timed or a script run."""


def keeping_workers(samples_per_s: float, made_per_s: float) -> int:
    """Loader workers that keep up with a device of this rate, each making `made_per_s`."""
    return max(1, ceil(samples_per_s / made_per_s))
