"""From a model to its operator table, under fake tensors."""
