"""The learning rate that a written script or configuration starts from: the usual one of its optimizer and method."""

from __future__ import annotations

from typing import NamedTuple

from advisor.workload.workload import HuggingFaceModel, Workload


class LearningRate(NamedTuple):
    """A rate and where it comes from."""

    rate: str
    source: str
    per_samples: int | None = None
    """It is the rate of a step of so many samples, and grows with them; None where it does not."""

    def at(self, samples: int) -> float:
        """The rate of a step of `samples` on all devices."""
        return float(self.rate) * (1.0 if self.per_samples is None else samples / self.per_samples)


_ADAM = LearningRate("1e-3", "as in torch; yours: with a larger global batch raise it by the root")
_SGD = LearningRate("0.1", "Goyal et al. 2017", 256)
_OF_OPTIMIZER = {
    "adamw": _ADAM,
    "adam": _ADAM,
    "sgd": _SGD,
    "sgd_momentum": _SGD,
    "adafactor": LearningRate("1e-3", "as for fine-tuning T5; yours"),
}
_FINE_TUNING = LearningRate(
    "5e-5", "usual for fine-tuning all weights; from random ones 6e-4 (125M) to 1e-4 (13B), Brown et al. 2020"
)
_ADAPTERS = LearningRate("2e-4", "usual for adapters (Dettmers et al. 2023); yours")


def learning_rate(workload: Workload) -> LearningRate:
    """The usual rate of the workload's optimizer and method; LAMB's and that of no optimizer are AdamW's."""
    training = workload.training
    if training.trainable == "lora":
        return _ADAPTERS
    if training.optimizer in {"adamw", "adam"} and isinstance(workload.model, HuggingFaceModel):
        return _FINE_TUNING
    return _OF_OPTIMIZER.get(training.optimizer, _ADAM)
