"""Facts of the trade, one row each with its source: GPUs, links, optimizers, precisions, strategies."""
