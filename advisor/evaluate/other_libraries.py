"""GPTs of other libraries that are described by transformers' GPT-2: which activation they have, where nothing says so.

transformers computes GPT-2's `gelu_new` in eight kernels; Megatron, llm-foundry, nanoGPT and GPT-NeoX compute theirs in
one. Who describes such a model by GPT-2's configuration and is silent of the activation gets the eight, and a step that
is a sixth to a quarter too slow.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from advisor.core.sentences import Reason
from advisor.core.units import Estimate
from advisor.evaluate.row_answer import RowQuestion
from advisor.workload.workload import HuggingFaceModel, Workload

_GPT2 = "gpt2"
_GPT2_VOCABULARY = 50257
"""Its tokens, of which transformers' has a row each; other libraries pad them."""
_MOST_PADDED, _PADDED_TO = 51200, 8
"""To a multiple of 8 at least, at most of 1,024: Megatron's 128 for each of eight cards that share them."""
_ACTIVATION = "activation_function"
_ONE_KERNEL, _OF_TRANSFORMERS = "gelu", "gelu_new"


def as_other_libraries_run(question: RowQuestion) -> RowQuestion:
    """The question with its activation in one kernel, where the description is silent and names no GPT-2.

    It names none by a padded vocabulary, or by tensors, stages or lengths that are split, as transformers does not.
    """
    workload = question.workload
    model = workload.model
    if not isinstance(model, HuggingFaceModel) or not isinstance(model.config, dict) or model.origin is not None:
        return question
    config = model.config
    if config.get("model_type") != _GPT2 or _ACTIVATION in config or workload.training.compile:
        return question
    if not (_padded(config.get("vocab_size")) or not question.row.layout.plain):
        return question
    return replace(question, workload=_with(workload, model, config, _ONE_KERNEL), activation_taken=True)


def as_transformers_runs(question: RowQuestion) -> RowQuestion | None:
    """The same run as transformers would have computed its activation; None where that is not left open."""
    workload = question.workload
    model = workload.model
    if not (question.activation_taken and isinstance(model, HuggingFaceModel) and isinstance(model.config, dict)):
        return None
    own = _with(workload, model, model.config, _OF_TRANSFORMERS)
    return replace(question, workload=own, activation_taken=False)


def reaching(estimate: Estimate, other: Estimate) -> Estimate:
    """The estimate with a range that holds the other's."""
    return replace(estimate, low=min(estimate.low, other.low), high=max(estimate.high, other.high))


def told_of_activation(question: RowQuestion) -> tuple[Reason, ...]:
    """That the activation was taken to be one kernel, where it was."""
    return (Reason.of("evaluate-activation-taken"),) if question.activation_taken else ()


def _padded(rows: object) -> bool:
    return isinstance(rows, int) and _GPT2_VOCABULARY < rows <= _MOST_PADDED and rows % _PADDED_TO == 0


def _with(workload: Workload, model: HuggingFaceModel, config: dict[str, Any], activation: str) -> Workload:
    return replace(workload, model=replace(model, config={**config, _ACTIVATION: activation}))
