"""U-Net on a VGG-16 encoder (Ronneberger et al. 2015, Simonyan and Zisserman 2014): a decoder block for each pooling.

Shapes: B batch, C channels, H height, W width; the side must be a multiple of 32.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

_STAGES = ((64, 64), (128, 128), (256, 256, 256), (512, 512, 512), (512, 512, 512))
"""Widths of VGG-16's thirteen 3x3 convolutions, stage by stage; each stage ends in a pooling."""
_FILTERS = 32


def _convolution(channels: int, width: int) -> list[nn.Module]:
    return [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU(inplace=True)]


class Decoder(nn.Module):
    """Two 3x3 steps, the second an upsampling by two."""

    def __init__(self, channels: int, middle: int, width: int) -> None:
        """Widths before, between and after."""
        super().__init__()
        self.steps = nn.Sequential(
            *_convolution(channels, middle),
            nn.ConvTranspose2d(middle, width, 4, stride=2, padding=1),
            nn.ReLU(inplace=True),
        )

    def forward(self, features: Tensor) -> Tensor:
        """(B, C, H, W) -> (B, width, 2H, 2W)."""
        return self.steps(features)  # type: ignore[no-any-return]


class UNetVgg16(nn.Module):
    """VGG-16's stages downwards, decoder blocks upwards, each joined with the stage of its size."""

    def __init__(self, classes: int) -> None:
        """`classes`: channels of the mask; 1 for a binary one."""
        super().__init__()
        stages, channels = [], 3
        for widths in _STAGES:
            layers: list[nn.Module] = []
            for width in widths:
                layers += _convolution(channels, width)
                channels = width
            stages.append(nn.Sequential(*layers))
        self.encoder = nn.ModuleList(stages)
        wide = 8 * _FILTERS
        self.centre = Decoder(512, 2 * wide, wide)
        self.decoders = nn.ModuleList(
            [
                Decoder(512 + wide, 2 * wide, wide),
                Decoder(512 + wide, 2 * wide, wide),
                Decoder(256 + wide, wide, 2 * _FILTERS),
                Decoder(128 + 2 * _FILTERS, 4 * _FILTERS, _FILTERS),
            ]
        )
        self.last = nn.Sequential(*_convolution(64 + _FILTERS, _FILTERS))
        self.head = nn.Conv2d(_FILTERS, classes, 1)

    def forward(self, images: Tensor) -> Tensor:
        """Images (B, 3, H, W) -> logits (B, classes, H, W)."""
        skips, features = [], images
        for stage in self.encoder:
            features = stage(features)
            skips.append(features)
            features = functional.max_pool2d(features, 2)
        features = self.centre(features)
        for decoder, skip in zip(self.decoders, reversed(skips[1:]), strict=True):
            features = decoder(torch.cat([features, skip], 1))
        return self.head(self.last(torch.cat([features, skips[0]], 1)))  # type: ignore[no-any-return]


def build_model(classes: int = 1) -> nn.Module:
    """The network with random weights."""
    return UNetVgg16(classes)


def make_batch(batch_size: int, length: int = 256, classes: int = 1) -> tuple[Tensor, Tensor]:
    """Images of side `length` in pixels, and their masks."""
    images = torch.randn(batch_size, 3, length, length)
    if classes == 1:
        return images, torch.randint(0, 2, (batch_size, 1, length, length)).float()
    return images, torch.randint(0, classes, (batch_size, length, length))


def training_step(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    """Binary or categorical cross-entropy of each pixel."""
    images, masks = batch
    logits = model(images)
    if masks.is_floating_point():
        return functional.binary_cross_entropy_with_logits(logits, masks)
    return functional.cross_entropy(logits, masks)
