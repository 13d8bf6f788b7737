"""The optimizer of an advice as an expression of Python, for scripts and for what a configuration leaves open."""

from __future__ import annotations

from advisor.workload.workload import Training

_EIGHT_BITS = 8


def plain_call(training: Training, parameters: str, *, rate: str, fused: str | None) -> str:
    """Torch's own, in 32 bits; `rate` and `fused` are expressions, None: its default way to step.

    LAMB is in no release of torch, and "none" trains nothing: AdamW is the nearest that runs.
    """
    if training.optimizer == "adafactor":
        return f"torch.optim.Adafactor({parameters}, lr={rate})"
    name = {"adam": "Adam", "sgd": "SGD", "sgd_momentum": "SGD"}.get(training.optimizer, "AdamW")
    momentum = ", momentum=0.9" if training.optimizer == "sgd_momentum" else ""
    fusing = f", fused={fused}" if fused is not None and training.fused_optimizer else ""
    return f"torch.optim.{name}({parameters}, lr={rate}{momentum}{fusing})"


def eight_bit_call(training: Training, parameters: str, *, rate: str) -> str | None:
    """The one of bitsandbytes with states of 8 bits; None where 32 bits are trained with or it has none such."""
    name = {"adamw": "AdamW8bit", "adam": "Adam8bit"}.get(training.optimizer)
    if training.optimizer_bits != _EIGHT_BITS or name is None:
        return None
    return f"bitsandbytes.optim.{name}({parameters}, lr={rate})"
