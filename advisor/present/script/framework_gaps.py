"""What the advice counts on and a framework's configuration cannot say: comments at its head."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from advisor.catalogue.precisions import PRECISION_FACTS, PRECISION_LABELS
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
    training, facts = advice.workload.training, PRECISION_FACTS[chosen.precision]
    if framework == "trainer":
        yield f"Learning rate: {learning_rate(advice.workload).source}."
        if training.optimizer == "lamb":
            yield "Yours: LAMB, which Trainer does not have; AdamW stands in for it."
    else:
        yield from _of_the_loop(advice.workload, chosen, framework)
    eight_bits_here = framework == "accelerate" or (framework == "lightning" and chosen.strategy not in SHARDING)
    if chosen.precision == "fp8" and not eight_bits_here:
        yield "Yours: FP8 layers (torchao or Transformer Engine); here they run in BF16."
    elif chosen.precision == "fp8" and framework == "accelerate":
        packages = {"ao": "torchao", "te": "transformer-engine[pytorch]"}
        yield f"Yours: pip install {packages[fp8_backend(training)]}, which multiplies in FP8."
    if facts.half_weights and half_format(chosen) is None and (framework != "lightning" or facts.master_copies):
        copies = "; no FP32 copies are kept then" * facts.master_copies
        yield f"Yours: load the model in {PRECISION_LABELS[chosen.precision]} (dtype){copies}."
    if chosen.node_count > 1:
        yield f"{chosen.node_count} machines: start it on each; HOST: the address of the first, N: its number from 0."
    if advice.model.norms_single_values:
        setting = "dataloader_drop_last" if framework == "trainer" else "drop_last"
        yield f"Yours: {setting}=True where a last batch would hold one sample: batch norm cannot train on it here."
    yield from _checkpointing(training, chosen, framework)
    yield from _of_the_model(training, framework)


def _of_the_loop(workload: Workload, chosen: Recommendation, framework: Framework) -> Iterator[str]:
    """What a training loop of one's own sets."""
    training, workers = workload.training, workload.data.loader_workers
    yield f"Yours: DataLoader(data, batch_size={chosen.batch_size_per_device}, shuffle=True, num_workers={workers})."
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
        if chosen.gradient_accumulation_steps > 1:
            yield f"Yours: Accelerator(gradient_accumulation_steps={chosen.gradient_accumulation_steps})."
        if clips:
            yield f"Yours: accelerator.clip_grad_norm_(model.parameters(), {training.clip_gradient_norm})."
        return
    if training.compile:
        yield "Yours: torch.compile(model)."
    if sharded:
        yield "Yours: auto_wrap_policy={the class of your layers}, without which the whole model is gathered at once."
    if clips and sharded:
        limit = training.clip_gradient_norm
        yield f"Yours: clip in configure_gradient_clipping: self.trainer.strategy.model.clip_grad_norm_({limit})."


def _checkpointing(training: Training, chosen: Recommendation, framework: Framework) -> Iterator[str]:
    """Trainer has a field for it, Accelerate beside its sharding alone; none has one for choosing what is kept."""
    if training.activation_checkpointing == "none":
        return
    has_field = framework == "trainer" or (framework == "accelerate" and chosen.strategy in SHARDING)
    if not has_field:
        yield "Yours: activation checkpointing (model.gradient_checkpointing_enable())."
    elif training.activation_checkpointing == "selective":
        yield "Yours: selective checkpointing (create_selective_checkpoint_contexts); full stands in for it."


def _of_the_model(training: Training, framework: Framework) -> Iterator[str]:
    """What is done to the model, its step or its data before a framework has it."""
    if training.trainable != "all":
        yield f"Yours: train `{training.trainable}` only (peft, or requires_grad_(False))."
    if training.modules_to_save is not None:
        yield f"Yours: modules_to_save={list(training.modules_to_save)} of peft's LoraConfig."
    if training.weights_bits in {4, 8} or training.quantization is not None:
        prepared = ", then prepare_model_for_kbit_training(model) of peft" * training.keeps_unpacked_whole
        yield f"Yours: load the model with quantised weights (BitsAndBytesConfig){prepared}."
    if training.fused_layers and framework != "trainer":
        yield "Yours: fused layers (_apply_liger_kernel_to_instance(model=model) of liger_kernel.transformers)."
    if training.chunked_loss and not training.fused_layers:
        yield "Yours: the loss in chunks of the logits."
    if training.attention != "sdpa":
        kind = {"eager": "eager", "flash": "flash_attention_2"}[training.attention]
        yield f'Yours: attn_implementation="{kind}" as the model is loaded.'
    if training.channels_last:
        yield "Yours: model.to(memory_format=torch.channels_last)."
    if training.optimizer_in_backward:
        yield "Yours: each parameter's step in backward (register_post_accumulate_grad_hook)."
    if training.offload != "none":
        yield f"Yours: {training.offload} in the host's memory."
