"""Small networks of a named shape: perceptron, recurrent, convolutional and transformer."""

from __future__ import annotations

import itertools

import torch
from torch import Tensor, nn

from advisor.core.sentences import SaidError
from advisor.worker.models.architecture import Architecture, usual_loss
from advisor.worker.models.batches import Batch
from advisor.workload.workload import TemplateModel, Workload

_RECURRENT = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}


def build(model: TemplateModel, workload: Workload, *, layer_limit: int | None = None) -> Architecture:
    """The template's module with its data and loss; raises InputError where a size is missing."""
    module, shape = _MAKERS[model.template](model, workload, layer_limit)
    return _with_loss(module, shape, model, workload, layer_limit)


class Recurrent(nn.Module):
    """Embedding, a stack of recurrent layers, and a linear head on the last step's state."""

    def __init__(self, cell: str, sizes: tuple[int, int, int], *, layers: int, classes: int) -> None:
        """Build the stack; `sizes`: vocabulary, embedding and hidden size."""
        super().__init__()
        vocabulary, embedding, hidden = sizes
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.recurrent = _RECURRENT[cell](embedding, hidden, num_layers=layers, batch_first=True)
        self.head = nn.Linear(hidden, classes)

    def forward(self, tokens: Tensor) -> Tensor:
        """Tokens (batch, length) -> logits (batch, classes)."""
        states, _ = self.recurrent(self.embedding(tokens))
        return self.head(states[:, -1])  # type: ignore[no-any-return]


class Encoder(nn.Module):
    """Token and position embedding, transformer encoder blocks, and a linear head on the mean state."""

    def __init__(self, sizes: tuple[int, int, int], *, blocks: int, heads: int, classes: int) -> None:
        """Build the blocks, their inner layers four times as wide; `sizes`: vocabulary, width and longest sequence."""
        super().__init__()
        vocabulary, width, length = sizes
        self.embedding = nn.Embedding(vocabulary, width)
        self.position = nn.Embedding(length, width)
        block = nn.TransformerEncoderLayer(width, heads, 4 * width, activation="gelu", batch_first=True)
        self.blocks = nn.TransformerEncoder(block, blocks, enable_nested_tensor=False)
        self.head = nn.Linear(width, classes)

    def forward(self, tokens: Tensor) -> Tensor:
        """Tokens (batch, length) -> logits (batch, classes)."""
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        return self.head(self.blocks(self.embedding(tokens) + self.position(positions)).mean(1))  # type: ignore[no-any-return]


def _mlp(model: TemplateModel, _workload: Workload, _limit: int | None) -> tuple[nn.Module, tuple[str, int]]:
    sizes = model.layers
    if len(sizes) < 2:  # noqa: PLR2004 - an input and an output
        raise SaidError.of("worker-mlp-layers")
    layers: list[nn.Module] = []
    for before, after in itertools.pairwise(sizes):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1]), ("features", sizes[0])


def _recurrent(model: TemplateModel, _workload: Workload, limit: int | None) -> tuple[nn.Module, tuple[str, int]]:
    hidden = model.layers[0]
    if any(size != hidden for size in model.layers):
        raise SaidError.of("worker-recurrent-layers")
    vocabulary = model.token_count
    layers = min(len(model.layers), limit or len(model.layers))
    sizes = (vocabulary, model.embedding_size or hidden, hidden)
    module = Recurrent(model.template, sizes, layers=layers, classes=model.class_count)
    return module, ("tokens", vocabulary)


def _cnn(model: TemplateModel, _workload: Workload, _limit: int | None) -> tuple[nn.Module, tuple[str, int]]:
    layers: list[nn.Module] = []
    channels = 3
    for width in model.layers:
        layers += [
            nn.Conv2d(channels, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.MaxPool2d(2, ceil_mode=True),
        ]
        channels = width
    head = nn.Linear(channels, model.class_count)
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), head), ("image", 3)


def _transformer(model: TemplateModel, workload: Workload, limit: int | None) -> tuple[nn.Module, tuple[str, int]]:
    width, vocabulary = model.layers[0], model.token_count
    heads = model.heads or max(1, width // 64)
    if any(size != width for size in model.layers) or width % heads:
        raise SaidError.of("worker-transformer-layers", heads=heads)
    blocks = min(len(model.layers), limit or len(model.layers))
    sizes = (vocabulary, width, workload.data.sequence_length or 1)
    module = Encoder(sizes, blocks=blocks, heads=heads, classes=model.class_count)
    return module, ("tokens", vocabulary)


_MAKERS = {
    "mlp": _mlp,
    "rnn": _recurrent,
    "gru": _recurrent,
    "lstm": _recurrent,
    "cnn": _cnn,
    "transformer": _transformer,
}


def _with_loss(
    module: nn.Module, shape: tuple[str, int], model: TemplateModel, workload: Workload, layer_limit: int | None
) -> Architecture:
    kind, size = shape
    classes = model.class_count
    unlimited, full = model.template in {"mlp", "cnn"}, len(model.layers)
    length, side = workload.data.sequence_length, workload.data.image_size

    def make_batch(batch_size: int) -> Batch:
        if kind == "features":
            inputs = torch.randn(batch_size, size)
        elif kind == "image":
            inputs = torch.randn(batch_size, size, side or 32, side or 32)
        else:
            inputs = torch.randint(0, size, (batch_size, length or 1))
        if classes == 1:
            return inputs, torch.randn(batch_size, 1)
        return inputs, torch.randint(0, classes, (batch_size,))

    return Architecture(
        module=module,
        make_batch=make_batch,
        loss=lambda model_, batch: usual_loss(model_(batch[0]), batch[1]),  # type: ignore[index]
        outputs=lambda model_, batch: model_(batch[0]),  # type: ignore[index]
        block_count=None if unlimited else min(full, layer_limit or full),
        full_block_count=None if unlimited else full,
    )
