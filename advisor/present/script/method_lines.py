"""What the launch script says of the advised method: the lines of each slot of its template."""

from __future__ import annotations

import pprint

from advisor.catalogue.adapters import ADAPTER_ALPHA, ADAPTER_DROPOUT, ATTENTION_PARTS, DEFAULT_RANK, USUAL_LAYERS
from advisor.catalogue.precisions import PRECISION_FACTS, HalfFormat, Precision
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.present.script.learning_rates import learning_rate
from advisor.present.script.model_code import task_of
from advisor.present.script.optimizer_calls import eight_bit_call, plain_call
from advisor.present.script.parts import part
from advisor.present.script.strategy_lines import TYPES, casts_shards, half_type, micro_batch, offloads, shards, splits
from advisor.recommend.recommendation import Recommendation
from advisor.workload.frozen_weights import rests_in_half
from advisor.workload.model_config import config_of
from advisor.workload.workload import (
    HuggingFaceModel,
    Training,
    Workload,
    fp8_recipe_of,
    halves_adapters,
    keeps_adapters_whole,
    quantization_of,
)

_QUANTISED = frozenset({"nf4", "int8"})
"""Weights that bitsandbytes stores so, in a layer of its own."""
_ADAPTERS = {"alpha": ADAPTER_ALPHA, "dropout": ADAPTER_DROPOUT}
PEFT_TASKS = {
    "sequence-classification": "SEQ_CLS",
    "token-classification": "TOKEN_CLS",
    "question-answering": "QUESTION_ANS",
    "causal-lm": "CAUSAL_LM",
    "seq2seq-lm": "SEQ_2_SEQ_LM",
}
"""PEFT's words; of other tasks it asks for none."""


def method_lines(workload: Workload, chosen: Recommendation, stepped: str) -> dict[str, str]:
    """The template's slots that depend on the method; `stepped`: the name of what the optimizer steps."""
    training = workload.training
    rate = learning_rate(workload)
    grows = rate.per_samples is not None
    alone = STRATEGY_FACTS[chosen.strategy].one_process or splits(chosen)  # its batch is that of all devices already
    ranks = "" if alone else f" * {chosen.count}"
    checkpointed = training.activation_checkpointing != "none"
    optimizer = _optimizer(training, "groups" if splits(chosen) else stepped)
    in_backward = training.optimizer_in_backward and training.mode == "training"
    quantization = quantization_of(training)
    adapts, packs = training.trainable == "lora", quantization in _QUANTISED
    parts = {
        "layers": shards(workload, chosen) or checkpointed,
        "checkpoint": checkpointed,
        "chunked_loss": chunks_loss(workload, chosen),
        "new_heads": adapts or packs,
        "adapters": adapts,
        f"quantise_{quantization}": packs,
        "step_in_backward": in_backward,
        "clip_split": splits(chosen) and training.clip_gradient_norm is not None,
    }
    return {
        "parts": "".join(part(name, **_ADAPTERS) for name, needed in parts.items() if needed)
        + _saved_modules(training),
        "learning_rate": rate.rate + f" * BATCH_SIZE * ACCUMULATION{ranks} / {rate.per_samples}" * grows,
        "learning_rate_source": rate.source,
        "functools_import": "import functools\n" * checkpointed,
        "quantised": _fused_layers(training) + _copied(training) + _quantised(training),
        "freeze": _freeze(training, chosen.precision) + _fp8(training, chosen.precision) + _loss(workload, chosen),
        "groups": part("groups", stepped=stepped) if splits(chosen) else "",
        "checkpointing": _checkpointing(training),
        "optimizer": _in_backward(training, optimizer) if in_backward else optimizer,
    }


def update_lines(workload: Workload, chosen: Recommendation, *, copied: bool) -> dict[str, str]:
    """The slots of backward and update: with a scaler, clipping and copies only where the method has them."""
    training, facts = workload.training, PRECISION_FACTS[chosen.precision]
    updates = training.updates_weights and not training.optimizer_in_backward
    # Gradients in FP16 cannot be unscaled: those of FP32 weights can, and those of FP32 copies.
    scales = updates and facts.half_format == "fp16" and (copied or not facts.half_weights)
    clips = updates and training.clip_gradient_norm is not None
    clip = "clip_split(" if splits(chosen) else "nn.utils.clip_grad_norm_("
    lines = (
        part("master_gradients") * copied,
        "            scaler.unscale_(optimizer)\n" * (scales and clips),
        f"            {clip}{'masters' if copied else 'trained'}, CLIP_NORM)\n" * clips,
        "            scaler.step(optimizer)\n            scaler.update()\n" * scales,
        "            optimizer.step()\n" * (updates and not scales),
        part("master_weights") * copied,
        part("no_update") * (not updates and not training.optimizer_in_backward),
    )
    return {
        "scaler": "    scaler = torch.amp.GradScaler(device.type, enabled=on_gpu)\n" * scales,
        "clip_constant": f"CLIP_NORM = {training.clip_gradient_norm!r}\n" * clips,
        "update": "".join(lines),
        **micro_batch(
            workload,
            chosen,
            input_dtype(workload, chosen),
            "scaler.scale(loss).backward()" if scales else "loss.backward()",
        ),
    }


def copies_weights(workload: Workload, chosen: Recommendation) -> bool:
    """Whether the optimizer steps copies of the weights: in FP32 beside half ones, or in the host's memory."""
    training, facts = workload.training, PRECISION_FACTS[chosen.precision]
    if not training.updates_weights or training.optimizer_in_backward:
        return False
    return _steps_on_host(workload, chosen) or (facts.master_copies and not casts_shards(workload, chosen))


def master_lines(workload: Workload, chosen: Recommendation) -> str:
    """How those copies are made; nothing where there are none."""
    if not copies_weights(workload, chosen):
        return ""
    on_host = _steps_on_host(workload, chosen)
    pure = PRECISION_FACTS[chosen.precision].pure
    remark = (
        "The optimizer and its states are in the host's memory: it steps copies, which are copied back."
        if on_host
        else "Weights and gradients are in half; the optimizer steps FP32 copies, which are copied back."
    )
    dtype = "parameter.dtype" if pure else "torch.float32"
    return part("masters", remark=remark, place=f'"cpu", {dtype}, copy=True' if on_host else dtype)


def _steps_on_host(workload: Workload, chosen: Recommendation) -> bool:
    return workload.training.offload == "optimizer" and not offloads(workload, chosen)


def placed_line(workload: Workload, chosen: Recommendation) -> str:
    """How the model comes to the device, in the type of its weights before adapters join them.

    16 bit where the step or frozen weights are so. Sharding brings one layer after the other.
    """
    training, precision = workload.training, chosen.precision
    facts = PRECISION_FACTS[precision]
    halved = (facts.half_weights and not casts_shards(workload, chosen)) or (
        training.trainable == "lora" and facts.autocast and rests_in_half(workload)
    )
    half = half_type(precision) if halved else ""
    if splits(chosen):
        return f"    model = model.to({half})\n" * halved
    if not shards(workload, chosen) or quantization_of(training) in _QUANTISED:
        return f"    model = model.to(device{', ' * halved}{half})\n"
    cast = f"    model = model.to({half})\n" * halved
    return (
        f"{cast}    if not dist.is_initialized():  # sharding brings one layer after the other to the device\n"
        "        model = model.to(device)\n"
    )


def input_dtype(workload: Workload, chosen: Recommendation) -> str:
    """What a batch's real numbers are turned to: half where the weights are, `None` where they are left."""
    half = PRECISION_FACTS[chosen.precision].half_weights and not casts_shards(workload, chosen)
    return half_type(chosen.precision) if half else "None"


def save_lines(workload: Workload, chosen: Recommendation) -> str:
    """The function that keeps what was trained: a checkpoint of transformers, adapters of PEFT, or plain weights."""
    ddp = chosen.count > 1 and not shards(workload, chosen) and not splits(chosen)
    wrapper = "DataParallel" if STRATEGY_FACTS[chosen.strategy].one_process else "DistributedDataParallel"
    unwrapped = f"    model = model.module if isinstance(model, {wrapper}) else model\n" * ddp
    model = workload.model
    transformers = isinstance(model, HuggingFaceModel)
    if workload.training.trainable == "lora" and transformers:
        task = PEFT_TASKS.get(str(task_of(workload)))
        saved = "list(MODULES_TO_SAVE) + " * (workload.training.modules_to_save is not None)
        return part("save_adapters", unwrapped=unwrapped, task_type=f'"{task}"' if task else "None", saved=saved)
    written = (
        "model.save_pretrained(folder, state_dict=weights)"
        if transformers and task_of(workload) is not None
        else 'torch.save(weights, folder / "model.pt")'
    )
    return part("save", unwrapped=unwrapped, written=written)


def packing_lines(training: Training) -> dict[str, str]:
    """The slots that pack linear layers where nothing is trained."""
    packs = quantization_of(training) in _QUANTISED
    named = ("new_heads", f"quantise_{quantization_of(training)}") if packs else ()
    return {"parts": "".join(part(name) for name in named), "quantised": _quantised(training)}


def _quantised(training: Training) -> str:
    if quantization_of(training) not in _QUANTISED:
        return ""
    return "    if on_gpu:  # a CPU keeps the weights as they are\n        quantise(model)\n"


def _saved_modules(training: Training) -> str:
    names = training.modules_to_save
    return "" if names is None else part("saved_modules", names=pprint.pformat(tuple(names), width=100, compact=True))


def _copied(training: Training) -> str:
    """Before frozen layers are packed: a copy is none of them."""
    return "    train_copies(model)\n" * (training.modules_to_save is not None)


def _fused_layers(training: Training) -> str:
    """Liger's layers, with its loss in chunks of the logits or the one that keeps them."""
    if not training.fused_layers:
        return ""
    loss = "" if training.chunked_loss else "cross_entropy=True, "
    gate = "" if training.fused_gate else ", swiglu=False"
    return part("fused_layers", kernels=f"{loss}fused_linear_cross_entropy={training.chunked_loss}{gate}")


def _freeze(training: Training, precision: Precision) -> str:
    if training.trainable == "head":
        return part("head_only")
    if training.trainable != "lora":
        return ""
    wanted = training.lora_targets
    groups = (wanted,) if isinstance(wanted, tuple) else () if wanted == "all_linear" else USUAL_LAYERS
    dtype = TYPES[half] if (half := _heads_in_half(training, precision)) else "torch.float32"
    adapters = dtype if adapters_in_half(training, precision) else "torch.float32"
    shown = pprint.pformat(groups, width=100, compact=True).replace("\n", "\n              ")
    return (
        f"    # Ends of the projections' names: of the first group that there is.\n    targets = {shown}\n"
        + f"    targets = (projections_in(model, {ATTENTION_PARTS}), *targets)\n" * (wanted == "attention")
        + f"    add_adapters(model, {training.lora_rank or DEFAULT_RANK}, targets, {adapters}, {dtype})\n"
        + "    for copy in trained_copies(model):\n        copy.requires_grad_(True)\n"
        * (training.modules_to_save is not None)
    )


def _heads_in_half(training: Training, precision: Precision) -> HalfFormat | None:
    """The 16-bit type of heads that are trained beside adapters; None: they are in FP32."""
    facts = PRECISION_FACTS[precision]
    in_half = facts.half_weights or (halves_adapters(training, precision) and facts.half_format == "bf16")
    return facts.half_format if in_half else None


def adapters_in_half(training: Training, precision: Precision) -> bool:
    """Whether adapters are in 16 bits, which PEFT leaves them in only where it is told to."""
    return _heads_in_half(training, precision) is not None and not keeps_adapters_whole(training, precision)


def _fp8(training: Training, precision: Precision) -> str:
    recipe = fp8_recipe_of(training) if precision == "fp8" else None
    if recipe is None or recipe == "transformer_engine":
        return ""
    return part("fp8_layers", recipe=recipe)


def chunks_loss(workload: Workload, chosen: Recommendation) -> bool:
    """Whether the script computes the loss in chunks: of language models whose head stays in one piece.

    Liger's layers bring a loss of their own. Logits that are capped are no linear function of what the head reads.
    """
    model, training = workload.model, workload.training
    if not training.chunked_loss or training.fused_layers or not isinstance(model, HuggingFaceModel):
        return False
    capped = config_of(model).get("final_logit_softcapping") is not None
    return task_of(workload) == "causal-lm" and not splits(chosen) and not capped


def _loss(workload: Workload, chosen: Recommendation) -> str:
    ours = chunks_loss(workload, chosen)
    return "    chunk_loss(model)\n" * ours + _left_to_the_user(workload.training, chunked=ours)


def _left_to_the_user(training: Training, *, chunked: bool) -> str:
    """What the advice counts on and this script leaves out, each with what does it; `chunked`: the loss is."""
    lines = [
        "YOUR QUANTISATION: frozen layers in GPTQ, from a checkpoint that has them" * (training.quantization == "gptq"),
        "YOUR FP8 LAYERS: those of Transformer Engine" * (training.fp8_recipe == "transformer_engine"),
        "YOUR LOSS: in chunks of the logits (torchtune, Liger kernels)"
        * (training.chunked_loss and not training.fused_layers and not chunked),
        "YOUR OPTIMIZER: LAMB, which torch does not have; AdamW stands in for it" * (training.optimizer == "lamb"),
    ]
    return "".join(f"    # {line}.\n" for line in lines if line)


def _checkpointing(training: Training) -> str:
    if training.activation_checkpointing == "none":
        return ""
    if training.activation_checkpointing == "full":
        return "    checkpoint_layers(model)\n"
    return f"    checkpoint_layers(\n        model,\n        {part('kept_operators')},\n    )\n"


def _optimizer(training: Training, parameters: str) -> str:
    plain = plain_call(training, parameters, rate="LEARNING_RATE", fused="on_gpu")
    packed = eight_bit_call(training, parameters, rate="LEARNING_RATE")
    if packed is None:
        return plain
    return (
        f"{plain}\n    if on_gpu:  # states of 8 bits need bitsandbytes; a CPU keeps them whole\n"
        f"        import bitsandbytes\n\n        optimizer = {packed}"
    )


def _in_backward(training: Training, optimizer: str) -> str:
    """Each parameter is stepped by its own optimizer in backward; the one that is left has nothing to do."""
    each = _optimizer(training, "own").partition("\n")[0]
    return f"{optimizer}\n    step_in_backward(trained, lambda own: {each})"
