"""ResNet v1.5 and ResNeXt: the stride sits in the 3x3 convolution."""

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn


class Bottleneck(nn.Module):
    """1x1, 3x3 (grouped in ResNeXt), 1x1, and a shortcut."""

    def __init__(self, channels: int, inner: int, outer: int, stride: int, groups: int) -> None:
        super().__init__()
        self.reduce, self.reduce_norm = nn.Conv2d(channels, inner, 1, bias=False), nn.BatchNorm2d(inner)
        self.spatial = nn.Conv2d(inner, inner, 3, stride, 1, groups=groups, bias=False)
        self.spatial_norm = nn.BatchNorm2d(inner)
        self.expand, self.expand_norm = nn.Conv2d(inner, outer, 1, bias=False), nn.BatchNorm2d(outer)
        same = stride == 1 and channels == outer
        self.shortcut = (
            nn.Identity()
            if same
            else nn.Sequential(nn.Conv2d(channels, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))
        )
        self.relu = nn.ReLU(inplace=True)

    def forward(self, images: Tensor) -> Tensor:
        hidden = self.relu(self.reduce_norm(self.reduce(images)))
        hidden = self.relu(self.spatial_norm(self.spatial(hidden)))
        return self.relu(self.expand_norm(self.expand(hidden)) + self.shortcut(images))


def build_model(blocks: list[int], groups: int = 1, group_width: int = 64) -> nn.Module:
    """`blocks` a stage; 32 groups of width 4 make a ResNeXt 32x4d."""
    stages: list[nn.Module] = [
        nn.Conv2d(3, 64, 7, 2, 3, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, 1),
    ]
    channels = 64
    for stage, count in enumerate(blocks):
        outer, inner = 256 * 2**stage, groups * group_width * 2**stage
        for block in range(count):
            stride = 2 if block == 0 and stage > 0 else 1
            stages.append(Bottleneck(channels, inner, outer, stride, groups))
            channels = outer
    return nn.Sequential(*stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000))


def make_batch(batch_size: int, length: int, **_arguments: object) -> tuple[Tensor, Tensor]:
    return torch.zeros(batch_size, 3, length, length), torch.zeros(batch_size, dtype=torch.long)


def training_step(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    return F.cross_entropy(model(batch[0]).float(), batch[1])
