"""What a framework's configuration cannot say of the training loop: comments at its head."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from advisor.catalogue.precisions import PRECISION_FACTS
from advisor.catalogue.strategies import SHARDING
from advisor.present.script.learning_rates import learning_rate
from advisor.present.script.optimizer_calls import eight_bit_call, plain_call
from advisor.recommend.recommendation import Recommendation
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Training, Workload

Framework = Literal["trainer", "accelerate", "lightning"]


def global_batch(chosen: Recommendation) -> int:
    """Samples of an optimizer step on all devices."""
    return chosen.batch_size_per_device * chosen.gradient_accumulation_steps * chosen.count


def half_format(chosen: Recommendation) -> str | None:
    """What the framework's mixed precision is to be: autocast, or shards in FP32 that are gathered in half."""
    facts = PRECISION_FACTS[chosen.precision]
    gathered = facts.master_copies and chosen.strategy in SHARDING
    return facts.half_format if facts.autocast or gathered else None


def fp8_backend(training: Training) -> str:
    """Accelerate's name of what multiplies in FP8."""
    return "te" if training.fp8_recipe == "transformer_engine" else "ao"


def left_out(advice: AdviceRecord, chosen: Recommendation, framework: Framework) -> Iterator[str]:
    """A sentence for each thing that `framework` is to be told elsewhere."""
    training = advice.workload.training
    if framework == "trainer":
        yield f"Learning rate: {learning_rate(advice.workload).source}; it falls to 0 by lr_scheduler_type."
        yield "Not in the advised time: the checkpoint that Trainer writes every 500 steps (save_strategy)."
        if chosen.strategy == "ddp":
            yield "Yours: ddp_find_unused_parameters: true where some weights take no part in the loss."
        if training.optimizer == "lamb":
            yield "Yours: LAMB, which Trainer does not have; AdamW stands in for it."
    else:
        yield from _of_the_loop(advice.workload, chosen, framework)
    if training.optimizer == "none":
        yield "Yours: leave the weights as they are; AdamW steps them here."
    eight_bits_here = framework == "accelerate" or (framework == "lightning" and chosen.strategy not in SHARDING)
    if chosen.precision == "fp8" and not eight_bits_here:
        yield "Yours: FP8 layers (torchao or Transformer Engine); here they run in BF16."
    elif chosen.precision == "fp8" and framework == "accelerate":
        packages = {"ao": "torchao", "te": "transformer-engine[pytorch]"}
        yield f"Yours: pip install {packages[fp8_backend(training)]}, which multiplies in FP8."
    if chosen.node_count > 1:
        yield f"{chosen.node_count} machines: start it on each; HOST: the address of the first, N: its number from 0."
    if advice.model.norms_single_values:
        setting = "dataloader_drop_last" if framework == "trainer" else "drop_last"
        yield f"Yours: {setting}=True where a last batch would hold one sample: batch norm cannot train on it here."


def _of_the_loop(workload: Workload, chosen: Recommendation, framework: Framework) -> Iterator[str]:
    """What a training loop of one's own sets."""
    training, workers = workload.training, workload.data.loader_workers
    kept = ", persistent_workers=True" * (workers > 0) + ", pin_memory=True" * (chosen.device.key != "cpu")
    loader = f"batch_size={chosen.batch_size_per_device}, shuffle=True, num_workers={workers}{kept}"
    yield f"Yours: DataLoader(data, {loader})."
    rate = learning_rate(workload)
    at = {"rate": f"{rate.at(global_batch(chosen)):.3g}"}
    fused = None if chosen.device.key == "cpu" else "True"
    plain = plain_call(training, "model.parameters()", **at, fused=fused)
    yield f"Yours: {eight_bit_call(training, 'model.parameters()', **at) or plain}; the rate: {rate.source}."
    if training.optimizer == "lamb":
        yield "Yours: LAMB, which torch does not have; AdamW stands in for it."
    clips, sharded = training.clip_gradient_norm is not None, chosen.strategy in SHARDING
    if chosen.precision == "tf32":
        yield 'Yours: torch.set_float32_matmul_precision("high") for TF32.'
    if chosen.precision == "fp32" and chosen.device.key != "cpu":
        yield "Yours: torch.backends.cudnn.allow_tf32 = False: torch by itself lets convolutions use TF32."
    if framework == "accelerate":
        accumulates = chosen.gradient_accumulation_steps > 1
        if accumulates:
            yield f"Yours: Accelerator(gradient_accumulation_steps={chosen.gradient_accumulation_steps})."
            yield "Yours: with accelerator.accumulate(model): around forward, backward and update of each batch."
        if clips:
            where = "if accelerator.sync_gradients: " * accumulates
            yield f"Yours: {where}accelerator.clip_grad_norm_(model.parameters(), {training.clip_gradient_norm})."
        return
    if training.compile:
        yield "Yours: torch.compile(model)."
    if clips and sharded:
        limit = training.clip_gradient_norm
        yield f"Yours: clip in configure_gradient_clipping: self.trainer.strategy.model.clip_grad_norm_({limit})."
