"""Any classifier of torchvision: cross-entropy on random classes."""

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn


def build_model(name: str) -> nn.Module:
    import torchvision

    return getattr(torchvision.models, name)()


def make_batch(batch_size: int, length: int, **_arguments: object) -> tuple[Tensor, Tensor]:
    return torch.zeros(batch_size, 3, length, length), torch.zeros(batch_size, dtype=torch.long)


def training_step(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    """The loss in FP32."""
    output = model(batch[0])
    return F.cross_entropy(output.float(), batch[1])
