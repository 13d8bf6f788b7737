"""Decoders fine-tuned with LoRA as the published runs do it: fused projection, rank 8 on query and value.

The head runs on pieces of 128 tokens, and the wrapper around the model turns each piece's logits into FP32, so that
the step keeps both copies. What such a step allocates differs from the same architecture in other libraries.
"""

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

HEAD_PIECE = 128
DROPOUT = 0.05
SCALE = 2.0
"""alpha 16 over rank 8."""


class RootMeanSquareNorm(nn.Module):
    """Computed in FP32, given back in the input's type."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, hidden: Tensor) -> Tensor:
        full = hidden.float()
        mean = torch.mean(full * full, dim=-1, keepdim=True)
        return (self.weight * (full * torch.rsqrt(mean + 1e-5))).to(hidden.dtype)


class AdaptedProjection(nn.Module):
    """Query, key and value in one linear layer; low-rank updates of query and value, padded with zeros for key."""

    def __init__(self, width: int, rank: int, *, bias: bool) -> None:
        super().__init__()
        self.linear = nn.Linear(width, 3 * width, bias=bias)
        self.dropout = nn.Dropout(DROPOUT)
        self.down = nn.Parameter(torch.zeros(2 * rank, width))
        self.up = nn.Parameter(torch.zeros(2 * width, rank))
        self.width = width
        places = torch.cat([torch.arange(0, width), torch.arange(2 * width, 3 * width)])
        self.register_buffer("places", places)

    def forward(self, hidden: Tensor) -> Tensor:
        frozen = self.linear(hidden)
        low = F.linear(self.dropout(hidden), self.down)
        update = F.conv1d(low.transpose(-2, -1), self.up.unsqueeze(-1), groups=2).transpose(-2, -1)
        return frozen + self._padded(update) * SCALE

    def _padded(self, update: Tensor) -> Tensor:
        update = update.transpose(0, 1)
        whole = update.new_zeros((*update.shape[:-1], 3 * self.width)).view(-1, 3 * self.width)
        whole = whole.index_copy(1, self.places, update.reshape(-1, 2 * self.width))
        return whole.view((*update.shape[:-1], 3 * self.width)).transpose(0, 1)


def rotated(hidden: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Rotary position embedding on the whole last dimension."""
    half = hidden.shape[-1] // 2
    turned = torch.cat((-hidden[..., half:], hidden[..., :half]), dim=-1)
    return ((hidden * cosine) + (turned * sine)).to(hidden.dtype)


class Attention(nn.Module):
    """Causal attention through the fused kernel."""

    def __init__(self, width: int, heads: int, rotary: int, rank: int, *, bias: bool) -> None:
        super().__init__()
        self.heads, self.rotary = heads, rotary
        self.projection = AdaptedProjection(width, rank, bias=bias)
        self.output = nn.Linear(width, width, bias=bias)

    def forward(self, hidden: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        batch, length, width = hidden.shape
        size = width // self.heads
        mixed = self.projection(hidden).view(batch, length, self.heads, 3, size).permute(0, 2, 3, 1, 4)
        query, key, value = (part.reshape(batch, -1, length, size) for part in mixed.split((1, 1, 1), dim=2))
        query, key = (
            torch.cat((rotated(part[..., : self.rotary], cosine, sine), part[..., self.rotary :]), dim=-1)
            for part in (query, key)
        )
        attended = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(attended.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    """`llama`: norms before attention and gated feed-forward, in sequence; `phi`: both beside each other."""

    def __init__(self, kind: str, width: int, heads: int, inner: int, rotary: int, rank: int) -> None:
        super().__init__()
        self.parallel = kind == "phi"
        self.norm = nn.LayerNorm(width) if self.parallel else RootMeanSquareNorm(width)
        self.attention = Attention(width, heads, rotary, rank, bias=self.parallel)
        self.expand = nn.Linear(width, inner, bias=self.parallel)
        self.contract = nn.Linear(inner, width, bias=self.parallel)
        if not self.parallel:
            self.second_norm = RootMeanSquareNorm(width)
            self.gated = nn.Linear(width, inner, bias=False)

    def forward(self, hidden: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        normed = self.norm(hidden)
        attended = self.attention(normed, cosine, sine)
        if self.parallel:
            inner = F.gelu(self.expand(normed), approximate="tanh")
            return self.contract(inner) + attended + hidden
        hidden = attended + hidden
        normed = self.second_norm(hidden)
        expanded, gated = self.expand(normed), self.gated(normed)
        return self.contract(F.silu(expanded) * gated) + hidden


class Decoder(nn.Module):
    """Returns the logits in pieces of HEAD_PIECE tokens."""

    def __init__(
        self,
        *,
        kind: str,
        width: int,
        layers: int,
        heads: int,
        inner: int,
        vocabulary: int,
        context: int,
        rotary_size: int,
        rank: int,
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(kind, width, heads, inner, rotary_size, rank) for _ in range(layers))
        self.norm = nn.LayerNorm(width) if kind == "phi" else RootMeanSquareNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=kind == "phi")
        self.register_buffer("cosine", torch.zeros(context, rotary_size))
        self.register_buffer("sine", torch.zeros(context, rotary_size))

    def forward(self, tokens: Tensor) -> list[Tensor]:
        cosine, sine = self.cosine[: tokens.shape[1]], self.sine[: tokens.shape[1]]
        hidden = self.words(tokens)
        for block in self.blocks:
            hidden = block(hidden, cosine, sine)
        return [self.head(piece) for piece in self.norm(hidden).split(HEAD_PIECE, dim=1)]


def build_model(**arguments: object) -> nn.Module:
    return Decoder(**arguments)


def trainable(model: nn.Module) -> None:
    """Only the low-rank matrices learn."""
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(name.endswith((".down", ".up")))


def make_batch(batch_size: int, length: int, **_arguments: object) -> tuple[Tensor, Tensor]:
    shape = (batch_size, length)
    return torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)


def training_step(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    """Next-token loss, piece by piece, on logits that the wrapper made FP32."""
    tokens, targets = batch
    logits = [piece.float() for piece in model(tokens)]
    logits[-1] = logits[-1][..., :-1, :]
    shifted = targets[..., 1:]
    pieces = [piece.reshape(-1, piece.shape[-1]) for piece in logits]
    wanted = [part.reshape(-1) for part in shifted.split(HEAD_PIECE, dim=1)]
    losses = [F.cross_entropy(p, w, ignore_index=-1, reduction="none") for p, w in zip(pieces, wanted, strict=True)]
    return torch.cat(losses).sum() / (shifted != -1).sum().clamp(min=1)
