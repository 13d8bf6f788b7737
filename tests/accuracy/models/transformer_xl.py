"""Transformer-XL (memory transformer) base on WikiText-103, with an adaptive or a full softmax.

The labs that publish timings train it with a full softmax over all 267,735 words; the original has an adaptive one.
"""

import math

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

CUTOFFS = (0, 19997, 39997, 199997, 267735)
TOKEN_SHARES = (1.0, 0.035, 0.03, 0.003)
"""Share of WikiText-103's tokens that reach each cluster (the first is computed for all)."""
HEAD_SIZE = 64


class Layer(nn.Module):
    """Relative attention over memory and present, feed-forward, layer norms after each."""

    def __init__(self, width: int, heads: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * heads * HEAD_SIZE, bias=False)
        self.relative = nn.Linear(width, heads * HEAD_SIZE, bias=False)
        self.output = nn.Linear(heads * HEAD_SIZE, width, bias=False)
        self.attention_norm = nn.LayerNorm(width)
        self.expand, self.contract = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, hidden: Tensor, memory: Tensor, places: Tensor, word_bias: Tensor, place_bias: Tensor, mask: Tensor
    ) -> Tensor:
        length, batch, _ = hidden.shape
        query, key, value = self.qkv(torch.cat([memory, hidden], 0)).chunk(3, -1)
        reach = key.shape[0]
        query = query[-length:].reshape(length, batch, self.heads, HEAD_SIZE)
        key = key.reshape(reach, batch, self.heads, HEAD_SIZE)
        value = value.reshape(reach, batch, self.heads, HEAD_SIZE)
        relative = self.relative(places).view(reach, self.heads, HEAD_SIZE)
        content = torch.einsum("ibnd,jbnd->bnij", query + word_bias, key)
        position = self._shifted(torch.einsum("ibnd,jnd->bnij", query + place_bias, relative))
        scores = torch.add(content, position).masked_fill(mask, -1e4)  # the scale is fused into the sum
        weights = torch.softmax(scores, 3)
        mixed = torch.einsum("bnij,jbnd->ibnd", weights, value).reshape(length, batch, -1)
        hidden = self.attention_norm(hidden + self.dropout(self.output(mixed)))
        inner = self.dropout(F.relu(self.expand(hidden)))
        return self.norm(hidden + self.dropout(self.contract(inner)))

    @staticmethod
    def _shifted(scores: Tensor) -> Tensor:
        """Rows moved so that column j stands for distance i - j."""
        batch, heads, length, reach = scores.shape
        zero = scores.new_zeros((batch, heads, length, 1))
        padded = torch.cat([zero, scores], 3).view(batch, heads, reach + 1, length)
        return padded.narrow(2, 1, reach).reshape(batch, heads, length, reach)


class TransformerXl(nn.Module):
    """The whole network; its output is the summed loss, since the softmax is part of it."""

    def __init__(self, *, layers: int, width: int, heads: int, inner: int, adaptive: bool) -> None:
        super().__init__()
        words = CUTOFFS[-1]
        self.embedding = nn.Embedding(words, width)
        self.layers = nn.ModuleList(Layer(width, heads, inner, 0.1) for _ in range(layers))
        self.word_bias = nn.Parameter(torch.zeros(heads, HEAD_SIZE))
        self.place_bias = nn.Parameter(torch.zeros(heads, HEAD_SIZE))
        self.output_bias = nn.Parameter(torch.zeros(words))
        self.cluster_weight = nn.Parameter(torch.zeros(3, width))
        self.cluster_bias = nn.Parameter(torch.zeros(3))
        self.dropout = nn.Dropout(0.1)
        self.width, self.adaptive = width, adaptive

    def forward(self, tokens: Tensor) -> Tensor:
        length, batch = tokens.shape
        hidden = self.dropout(self.embedding(tokens) * math.sqrt(self.width))
        memory = hidden.new_zeros((length, batch, self.width))
        places = self.dropout(hidden.new_zeros((2 * length, 1, self.width)))
        mask = torch.zeros(length, 2 * length, dtype=torch.bool, device=tokens.device)
        for layer in self.layers:
            hidden = layer(hidden, memory, places[:, 0], self.word_bias, self.place_bias, mask)
        hidden = self.dropout(hidden).reshape(length * batch, self.width)
        return self._adaptive_loss(hidden) if self.adaptive else self._full_loss(hidden)

    def _full_loss(self, hidden: Tensor) -> Tensor:
        target = torch.zeros(hidden.shape[0], 1, dtype=torch.long, device=hidden.device)
        scores = F.log_softmax(F.linear(hidden, self.embedding.weight, self.output_bias), -1)
        return -scores.gather(1, target).float().sum()

    def _adaptive_loss(self, hidden: Tensor) -> Tensor:
        total = torch.zeros((), device=hidden.device)
        for cluster in range(4):
            weight = self.embedding.weight[CUTOFFS[cluster] : CUTOFFS[cluster + 1]]
            bias = self.output_bias[CUTOFFS[cluster] : CUTOFFS[cluster + 1]]
            chosen = hidden
            if cluster == 0:
                weight = torch.cat([weight, self.cluster_weight], 0)
                bias = torch.cat([bias, self.cluster_bias], 0)
            else:
                count = max(8, int(hidden.shape[0] * TOKEN_SHARES[cluster]))
                chosen = hidden.index_select(0, torch.zeros(count, dtype=torch.long, device=hidden.device))
            scores = F.log_softmax(F.linear(chosen, weight, bias), 1)
            target = torch.zeros(chosen.shape[0], 1, dtype=torch.long, device=hidden.device)
            total = total + scores.gather(1, target).float().sum()
        return -total


def build_model(*, adaptive: bool) -> nn.Module:
    return TransformerXl(layers=16, width=512, heads=8, inner=2048, adaptive=adaptive)


def make_batch(batch_size: int, length: int, **_arguments: object) -> tuple[Tensor]:
    """Tokens, time first."""
    return (torch.zeros(length, batch_size, dtype=torch.long),)


def training_step(model: nn.Module, batch: tuple[Tensor]) -> Tensor:
    return model(batch[0])
