"""The network of Stable Diffusion 1 that removes noise: latents an eighth of the picture, a text of 77 tokens."""

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

_TOKENS, _TEXT_WIDTH = 77, 768


class Denoiser(nn.Module):
    """One call of the network, as a pipeline makes it for every step."""

    def __init__(self, input_channels: int) -> None:
        super().__init__()
        from diffusers import UNet2DConditionModel

        self.network = UNet2DConditionModel(
            sample_size=64, in_channels=input_channels, cross_attention_dim=_TEXT_WIDTH, attention_head_dim=8
        )

    def forward(self, latents: Tensor, times: Tensor, text: Tensor) -> Tensor:
        """Latents (batch, channels, side, side), times (batch), text (batch, tokens, width) -> noise."""
        noise: Tensor = self.network(latents, times, encoder_hidden_states=text).sample
        return noise


def build_model(input_channels: int = 4) -> nn.Module:
    return Denoiser(input_channels)


def make_batch(batch_size: int, length: int, input_channels: int = 4) -> tuple[Tensor, ...]:
    """`length` pixels a side; the last is the noise to be found."""
    side = length // 8
    latents, noise = (torch.zeros(batch_size, channels, side, side) for channels in (input_channels, 4))
    return latents, torch.zeros(batch_size), torch.zeros(batch_size, _TOKENS, _TEXT_WIDTH), noise


def training_step(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    """The mean square of what is wrong with the noise."""
    return F.mse_loss(model(*batch[:-1]).float(), batch[-1].float())
