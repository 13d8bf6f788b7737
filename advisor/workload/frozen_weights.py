"""In how many bits stands what adapters leave frozen."""

from __future__ import annotations

from advisor.workload.defaults import published_in_16_bits
from advisor.workload.model_config import config_of
from advisor.workload.workload import HuggingFaceModel, Workload, quantization_of

_HALF_BITS = 16


def rests_in_half(workload: Workload) -> bool:
    """Whether what stays frozen and is not packed stands in 16 bits where autocast joins it to adapters.

    As the description says; else as the model is published, since that is how a checkpoint is loaded for adapters
    (`dtype="auto"`, which transformers 5 does by itself). What a file builds stays as it builds it.
    """
    training, model = workload.training, workload.model
    if quantization_of(training) is not None:
        return not training.keeps_unpacked_whole
    if training.weights_bits is not None:
        return training.weights_bits == _HALF_BITS
    published = isinstance(model, HuggingFaceModel) and published_in_16_bits(config_of(model), model.task)
    return published and training.trainable == "lora"
