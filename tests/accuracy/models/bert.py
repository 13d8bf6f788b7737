"""BERT as the published runs train it: eager attention, GELU as one kernel, heads for SQuAD or masked words."""

import math

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

VOCABULARY = {"question-answering": 30528, "masked-lm": 30522}
POSITIONS = 512


class SelfAttention(nn.Module):
    """Scaled dot products, mask added, softmax and dropout as separate operators."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        batch, length, width = hidden.shape
        size = width // self.heads

        def by_head(linear: nn.Linear) -> Tensor:
            return linear(hidden).view(batch, length, self.heads, size).transpose(1, 2)

        query, key, value = by_head(self.query), by_head(self.key), by_head(self.value)
        scores = torch.matmul(query, key.transpose(-1, -2))
        scores = scores / math.sqrt(size)
        scores = scores + mask
        weights = self.dropout(torch.softmax(scores, -1))
        return self.output(torch.matmul(weights, value).transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    """Attention and feed-forward, each followed by a layer norm."""

    def __init__(self, width: int, heads: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.attention = SelfAttention(width, heads, dropout)
        self.attention_norm = nn.LayerNorm(width)
        self.expand = nn.Linear(width, inner)
        self.contract = nn.Linear(inner, width)
        self.output_norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        hidden = self.attention_norm(hidden + self.dropout(self.attention(hidden, mask)))
        return self.output_norm(hidden + self.dropout(self.contract(F.gelu(self.expand(hidden)))))


class Bert(nn.Module):
    """Encoder with a span head (`question-answering`) or a tied vocabulary head (`masked-lm`)."""

    def __init__(self, width: int, layers: int, heads: int, task: str, dropout: float = 0.1) -> None:
        super().__init__()
        vocabulary = VOCABULARY[task]
        self.words = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(POSITIONS, width)
        self.segments = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(width, heads, 4 * width, dropout) for _ in range(layers))
        self.task = task
        if task == "question-answering":
            self.span = nn.Linear(width, 2)
        else:
            self.transform = nn.Linear(width, width)
            self.transform_norm = nn.LayerNorm(width)
            self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, tokens: Tensor) -> Tensor:
        batch, length = tokens.shape
        hidden = self.words(tokens) + self.positions(torch.arange(length, device=tokens.device))
        hidden = self.norm(hidden + self.segments(tokens.new_zeros(tokens.shape)))
        mask = torch.zeros(batch, 1, 1, length, dtype=self.words.weight.dtype, device=tokens.device)
        hidden = self.dropout(hidden)
        for block in self.blocks:
            hidden = block(hidden, mask)
        if self.task == "question-answering":
            return self.span(hidden)
        hidden = self.transform_norm(F.gelu(self.transform(hidden)))
        return F.linear(hidden, self.words.weight, self.bias)


def build_model(width: int, layers: int, heads: int, task: str) -> nn.Module:
    return Bert(width, layers, heads, task)


def make_batch(batch_size: int, length: int, **_arguments: object) -> tuple[Tensor]:
    return (torch.zeros(batch_size, length, dtype=torch.long),)


def training_step(model: Bert, batch: tuple[Tensor]) -> Tensor:
    """SQuAD: mean cross-entropy of start and end; masked words: a sum, as the published timing run takes it."""
    output = model(batch[0])
    if model.task != "question-answering":
        return output.sum()
    logits = output.float()
    target = torch.zeros(logits.shape[0], dtype=torch.long, device=logits.device)
    return (F.cross_entropy(logits[:, :, 0], target) + F.cross_entropy(logits[:, :, 1], target)) / 2
