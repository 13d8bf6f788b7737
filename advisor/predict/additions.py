"""What frees memory and leaves the result as it is: the workload with it, the plainest first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from advisor.catalogue.optimizers import FUSED_OPTIMIZERS
from advisor.workload.model_config import task_of_model
from advisor.workload.training_checks import training_problems
from advisor.workload.workload import HuggingFaceModel, NumbersModel, Workload, with_training

Addition = Literal["fused_optimizer", "checkpointing", "chunked_loss"]
Added = tuple[Addition, ...]
ADDITIONS: Added = get_args(Addition)


def with_added(workload: Workload, added: Added) -> Workload:
    """The workload as a set-up trains it that adds these."""
    if "fused_optimizer" in added:
        workload = with_training(workload, fused_optimizer=True)
    if "checkpointing" in added:
        workload = with_training(workload, activation_checkpointing="full")
    return with_training(workload, chunked_loss=True) if "chunked_loss" in added else workload


def possible_additions(workload: Workload, *, keep_checkpointing: bool) -> Iterator[Added]:
    """What can be added to a workload, in the order in which it is tried; nothing where its operators are not known.

    A fused optimizer is first: one word, the same result, no time. Then checkpointing, one call for any model, and with
    it a loss in chunks, which needs the model's logits: each without a fused optimizer, then with one. What the
    workload has, or does not take, is left out, as is checkpointing where the user ruled it out (`keep_checkpointing`).
    """
    training, model = workload.training, workload.model
    if training.mode != "training" or isinstance(model, NumbersModel):
        return
    # What steps in backward needs room for one parameter at a time, adapters and heads for little, a host's for none.
    on_card = training.offload in {"none", "activations"} and not training.optimizer_in_backward
    fused = can_fuse(workload) and on_card and training.trainable == "all"
    if fused:
        yield ("fused_optimizer",)
    added: Added = ()
    if training.activation_checkpointing == "none" and not keep_checkpointing:
        added = _taken(workload, added, "checkpointing")
        yield from _without_and_with_fused(added, fused=fused)
    of_words = isinstance(model, HuggingFaceModel) and task_of_model(model) == "causal-lm"
    if of_words and not training.chunked_loss:
        more = _taken(workload, added, "chunked_loss")
        if more != added:
            yield from _without_and_with_fused(more, fused=fused)


def can_fuse(workload: Workload) -> bool:
    """Whether torch has a fused kernel of the workload's optimizer, as it has not of 8-bit states, and it is off."""
    training = workload.training
    of_torch = training.optimizer in FUSED_OPTIMIZERS and training.optimizer_bits != 8  # noqa: PLR2004 - bits
    return of_torch and not training.fused_optimizer


def _without_and_with_fused(added: Added, *, fused: bool) -> Iterator[Added]:
    if added:
        yield added
        if fused:
            yield ("fused_optimizer", *added)


def _taken(workload: Workload, added: Added, addition: Addition) -> Added:
    """With one more, where the workload takes it."""
    more = (*added, addition)
    return added if any(training_problems(with_added(workload, more))) else more
