"""SSD300 on a ResNet-50 backbone: six maps of boxes over 8,732 anchors, hard negatives mined in the loss."""

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

ANCHORS_PER_CELL = (4, 6, 6, 6, 4, 4)
MAP_CHANNELS = (1024, 512, 512, 256, 256, 256)
EXTRA_INNER = (256, 256, 128, 128, 128)
STRIDED_EXTRAS = 3
NEGATIVES_PER_POSITIVE = 3


class Bottleneck(nn.Module):
    """1x1, 3x3, 1x1, and a shortcut."""

    def __init__(self, channels: int, inner: int, stride: int) -> None:
        super().__init__()
        outer = 4 * inner
        self.reduce, self.reduce_norm = nn.Conv2d(channels, inner, 1, bias=False), nn.BatchNorm2d(inner)
        self.spatial = nn.Conv2d(inner, inner, 3, stride, 1, bias=False)
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


def _backbone() -> nn.Sequential:
    """ResNet-50 up to its third stage, which keeps the resolution of the second: 38 x 38 cells of 1,024 channels."""
    layers: list[nn.Module] = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)]
    layers.append(nn.MaxPool2d(3, 2, 1))
    channels = 64
    for inner, blocks, first_stride in ((64, 3, 1), (128, 4, 2), (256, 6, 1)):
        for block in range(blocks):
            layers.append(Bottleneck(channels, inner, first_stride if block == 0 else 1))
            channels = 4 * inner
    return nn.Sequential(*layers)


def _extra(channels: int, inner: int, outer: int, *, strided: bool) -> nn.Sequential:
    spatial = nn.Conv2d(inner, outer, 3, stride=2 if strided else 1, padding=1 if strided else 0, bias=False)
    return nn.Sequential(
        nn.Conv2d(channels, inner, 1, bias=False),
        nn.BatchNorm2d(inner),
        nn.ReLU(inplace=True),
        spatial,
        nn.BatchNorm2d(outer),
        nn.ReLU(inplace=True),
    )


class Ssd300(nn.Module):
    """Boxes (batch, 4, anchors) and class scores (batch, classes, anchors) of 300 x 300 images."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.backbone, self.classes = _backbone(), classes
        self.extras = nn.ModuleList(
            _extra(before, inner, after, strided=number < STRIDED_EXTRAS)
            for number, (before, inner, after) in enumerate(
                zip(MAP_CHANNELS[:-1], EXTRA_INNER, MAP_CHANNELS[1:], strict=True)
            )
        )
        pairs = list(zip(MAP_CHANNELS, ANCHORS_PER_CELL, strict=True))
        self.boxes = nn.ModuleList(nn.Conv2d(channels, 4 * anchors, 3, padding=1) for channels, anchors in pairs)
        self.scores = nn.ModuleList(nn.Conv2d(channels, classes * anchors, 3, padding=1) for channels, anchors in pairs)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        maps = [self.backbone(images)]
        for extra in self.extras:
            maps.append(extra(maps[-1]))
        count = images.shape[0]
        boxes = [head(cells).reshape(count, 4, -1) for head, cells in zip(self.boxes, maps, strict=True)]
        scores = [head(cells).reshape(count, self.classes, -1) for head, cells in zip(self.scores, maps, strict=True)]
        return torch.cat(boxes, 2), torch.cat(scores, 2)


def build_model(classes: int = 81) -> nn.Module:
    return Ssd300(classes)


def make_batch(batch_size: int, length: int, **_arguments: object) -> tuple[Tensor, Tensor, Tensor]:
    anchors = 8732
    return (
        torch.zeros(batch_size, 3, length, length),
        torch.zeros(batch_size, 4, anchors),
        torch.zeros(batch_size, anchors, dtype=torch.long),
    )


def training_step(model: nn.Module, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
    images, true_boxes, true_classes = batch
    boxes, scores = model(images)
    positive = true_classes > 0
    counts = positive.sum(1)
    box_loss = (F.smooth_l1_loss(boxes.float(), true_boxes, reduction="none").sum(1) * positive.float()).sum(1)
    class_loss = F.cross_entropy(scores.float(), true_classes, reduction="none")
    hardest = class_loss.masked_fill(positive, 0.0).sort(1, descending=True)[1].sort(1)[1]
    kept = positive | (hardest < (NEGATIVES_PER_POSITIVE * counts).unsqueeze(-1))
    total = box_loss + (class_loss * kept.float()).sum(1)
    return (total * (counts > 0).float() / counts.float().clamp(min=1e-6)).mean()
