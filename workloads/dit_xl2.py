"""DiT-XL/2: a transformer that removes noise from image latents, with adaptive layer norms (Peebles & Xie 2023)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

CHANNELS, PATCH, CLASSES = 4, 2, 1000
DEPTH, WIDTH, HEADS = 28, 1152, 16
FREQUENCIES = 256


class Block(nn.Module):
    """Attention and perceptron, each shifted, scaled and gated by the condition."""

    def __init__(self) -> None:
        """Sizes of XL."""
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH, elementwise_affine=False, eps=1e-6) for _ in range(2))
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.projection = nn.Linear(WIDTH, WIDTH)
        self.perceptron = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(approximate="tanh"), nn.Linear(4 * WIDTH, WIDTH)
        )
        self.modulation = nn.Sequential(nn.SiLU(), nn.Linear(WIDTH, 6 * WIDTH))

    def forward(self, tokens: Tensor, condition: Tensor) -> Tensor:
        """Tokens (batch, length, width) and condition (batch, width) -> tokens."""
        shift, scale, gate, shift2, scale2, gate2 = self.modulation(condition).unsqueeze(1).chunk(6, dim=-1)
        batch, length, width = tokens.shape
        given = self.norms[0](tokens) * (1 + scale) + shift
        query, key, value = self.qkv(given).reshape(batch, length, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value)
        tokens = tokens + gate * self.projection(mixed.transpose(1, 2).reshape(batch, length, width))
        return tokens + gate2 * self.perceptron(self.norms[1](tokens) * (1 + scale2) + shift2)


class DiT(nn.Module):
    """Noise and its variance from noisy latents, a time step and a class."""

    def __init__(self, side: int = 32) -> None:
        """`side` of the latents."""
        super().__init__()
        self.patches = nn.Conv2d(CHANNELS, WIDTH, PATCH, stride=PATCH)
        self.positions = nn.Parameter(torch.zeros(1, (side // PATCH) ** 2, WIDTH), requires_grad=False)
        self.time = nn.Sequential(nn.Linear(FREQUENCIES, WIDTH), nn.SiLU(), nn.Linear(WIDTH, WIDTH))
        self.classes = nn.Embedding(CLASSES + 1, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(DEPTH))
        self.norm = nn.LayerNorm(WIDTH, elementwise_affine=False, eps=1e-6)
        self.modulation = nn.Sequential(nn.SiLU(), nn.Linear(WIDTH, 2 * WIDTH))
        self.head = nn.Linear(WIDTH, PATCH * PATCH * 2 * CHANNELS)

    def forward(self, latents: Tensor, times: Tensor, labels: Tensor) -> Tensor:
        """Latents (batch, 4, side, side) -> (batch, patches, 32)."""
        tokens = self.patches(latents).flatten(2).transpose(1, 2) + self.positions
        rates = torch.exp(torch.arange(FREQUENCIES // 2, device=times.device) * (-9.21 / (FREQUENCIES // 2)))
        angles = times[:, None] * rates
        waves = torch.cat([angles.cos(), angles.sin()], dim=-1).to(tokens.dtype)
        condition = self.time(waves) + self.classes(labels)
        for block in self.blocks:
            tokens = block(tokens, condition)
        shift, scale = self.modulation(condition).unsqueeze(1).chunk(2, dim=-1)
        return self.head(self.norm(tokens) * (1 + scale) + shift)


def build_model() -> nn.Module:
    """The whole network."""
    return DiT()


def make_batch(batch_size: int, length: int = 32) -> tuple[Tensor, ...]:
    """Noisy latents (batch, 4, side, side), times, classes, and the noise patch by patch."""
    latents = torch.randn(batch_size, CHANNELS, length, length)
    labels = torch.randint(0, CLASSES, (batch_size,))
    noise = torch.randn(batch_size, (length // PATCH) ** 2, PATCH * PATCH * CHANNELS)
    return latents, torch.rand(batch_size) * 1000, labels, noise


def training_step(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    """The mean squared error of the predicted noise."""
    latents, times, labels, noise = batch
    predicted = model(latents, times, labels)
    return functional.mse_loss(predicted[..., : noise.shape[-1]], noise)
