"""What frees memory and leaves the result as it is: the workload with it, the plainest first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from advisor.workload.model_config import task_of_model
from advisor.workload.training_checks import training_problems
from advisor.workload.workload import HuggingFaceModel, NumbersModel, Workload, with_training

Addition = Literal["checkpointing", "chunked_loss"]
Added = tuple[Addition, ...]
ADDITIONS: Added = get_args(Addition)


def with_added(workload: Workload, added: Added) -> Workload:
    """The workload as a set-up trains it that adds these."""
    if "checkpointing" in added:
        workload = with_training(workload, activation_checkpointing="full")
    return with_training(workload, chunked_loss=True) if "chunked_loss" in added else workload


def possible_additions(workload: Workload, *, keep_checkpointing: bool) -> Iterator[Added]:
    """What can be added to a workload, each with what comes before it; nothing where its operators are not known.

    Checkpointing is first: it is one call for any model. A loss in chunks needs the model's logits. What the workload
    has, or does not take, is left out, as is checkpointing where the user ruled it out (`keep_checkpointing`).
    """
    training, model = workload.training, workload.model
    if training.mode != "training" or isinstance(model, NumbersModel):
        return
    added: Added = ()
    if training.activation_checkpointing == "none" and not keep_checkpointing:
        added = _taken(workload, added, "checkpointing")
        if added:
            yield added
    of_words = isinstance(model, HuggingFaceModel) and task_of_model(model) == "causal-lm"
    if of_words and not training.chunked_loss:
        more = _taken(workload, added, "chunked_loss")
        if more != added:
            yield more


def _taken(workload: Workload, added: Added, addition: Addition) -> Added:
    """With one more, where the workload takes it."""
    more = (*added, addition)
    return added if any(training_problems(with_added(workload, more))) else more
