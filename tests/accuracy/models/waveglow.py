"""WaveGlow: twelve steps of flow, each an invertible 1x1 convolution and a WaveNet-like coupling network."""

import torch
from torch import Tensor, nn

FLOWS, GROUP, EARLY_EVERY, EARLY_SIZE = 12, 8, 4, 2
MEL_CHANNELS = 80
HOP, WINDOW = 256, 1024


class Coupling(nn.Module):
    """Eight dilated convolutions, conditioned on the spectrogram."""

    def __init__(self, channels: int, conditions: int, width: int = 512, layers: int = 8) -> None:
        super().__init__()
        self.width = width
        self.start, self.end = nn.Conv1d(channels, width, 1), nn.Conv1d(width, 2 * channels, 1)
        self.dilated = nn.ModuleList(nn.Conv1d(width, 2 * width, 3, dilation=2**i, padding=2**i) for i in range(layers))
        self.conditions = nn.ModuleList(nn.Conv1d(conditions, 2 * width, 1) for _ in range(layers))
        self.outputs = nn.ModuleList(nn.Conv1d(width, 2 * width if i < layers - 1 else width, 1) for i in range(layers))

    def forward(self, audio: Tensor, spectrogram: Tensor) -> Tensor:
        audio = self.start(audio)
        skipped: Tensor | None = None
        for dilated, condition, output in zip(self.dilated, self.conditions, self.outputs, strict=True):
            inner = dilated(audio) + condition(spectrogram)
            gate = torch.tanh(inner[:, : self.width]) * torch.sigmoid(inner[:, self.width :])
            result = output(gate)
            if result.shape[1] > self.width:
                audio = result[:, : self.width] + audio
                result = result[:, self.width :]
            skipped = result if skipped is None else result + skipped
        return self.end(skipped)


class WaveGlow(nn.Module):
    """From spectrogram and audio to the flow's loss (a sum over elements)."""

    def __init__(self) -> None:
        super().__init__()
        self.upsample = nn.ConvTranspose1d(MEL_CHANNELS, MEL_CHANNELS, WINDOW, stride=HOP)
        self.mixings, self.couplings = nn.ModuleList(), nn.ModuleList()
        channels = GROUP
        for flow in range(FLOWS):
            if flow % EARLY_EVERY == 0 and flow > 0:
                channels -= EARLY_SIZE
            self.mixings.append(nn.Conv1d(channels, channels, 1, bias=False))
            self.couplings.append(Coupling(channels // 2, MEL_CHANNELS * GROUP))

    def forward(self, spectrogram: Tensor, audio: Tensor) -> Tensor:
        batch = audio.shape[0]
        spectrogram = self.upsample(spectrogram)[:, :, : audio.shape[1]]
        spectrogram = spectrogram.unfold(2, GROUP, GROUP).permute(0, 2, 1, 3).contiguous()
        spectrogram = spectrogram.view(batch, spectrogram.size(1), -1).permute(0, 2, 1)
        audio = audio.unfold(1, GROUP, GROUP).permute(0, 2, 1)
        outputs, log_scale = [], 0
        for flow, (mixing, coupling) in enumerate(zip(self.mixings, self.couplings, strict=True)):
            if flow % EARLY_EVERY == 0 and flow > 0:
                outputs.append(audio[:, :EARLY_SIZE])
                audio = audio[:, EARLY_SIZE:]
            audio = mixing(audio)
            half = audio.shape[1] // 2
            kept, changed = audio[:, :half], audio[:, half:]
            output = coupling(kept, spectrogram)
            scale, shift = output[:, half:], output[:, :half]
            changed = torch.exp(scale) * changed + shift
            log_scale = log_scale + scale.sum()
            audio = torch.cat([kept, changed], 1)
        outputs.append(audio)
        flowed = torch.cat(outputs, 1)
        return (flowed * flowed).sum() / 2 - log_scale


def build_model() -> nn.Module:
    return WaveGlow()


def make_batch(batch_size: int, length: int, **_arguments: object) -> tuple[Tensor, Tensor]:
    """`length`: audio samples of a segment (8000)."""
    return torch.zeros(batch_size, MEL_CHANNELS, length // HOP + 1), torch.zeros(batch_size, length)


def training_step(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    return model(*batch)
