"""What the launch script says of the advised method: the lines of each slot of its template."""

from __future__ import annotations

from advisor.catalogue.precisions import PRECISION_FACTS, Precision
from advisor.catalogue.strategies import SHARDING, STRATEGY_FACTS
from advisor.present.script.learning_rates import learning_rate
from advisor.present.script.parts import part
from advisor.recommend.recommendation import Recommendation
from advisor.workload.workload import Training, Workload, fp8_recipe_of, quantization_of

_ATTENTION = (
    "q_proj", "v_proj", "query", "value", "q_lin", "v_lin", "wq", "wv", "q", "v", "to_q", "to_v", "query_proj",
    "value_proj", "q_attn", "c_attn", "query_key_value", "qkv", "qkv_proj", "Wqkv", "in_proj", "attn_qkv", "c_qkv",
)  # fmt: skip
_DEFAULT_RANK = 16
_QUANTISED = frozenset({"nf4", "int8"})
"""Weights that bitsandbytes stores so, in a layer of its own."""
_TYPES = {"fp16": "torch.float16", "bf16": "torch.bfloat16"}
_EIGHT_BITS = 8


def method_lines(workload: Workload, chosen: Recommendation, stepped: str) -> dict[str, str]:
    """The template's slots that depend on strategy and method; `stepped`: the name of what the optimizer steps."""
    training = workload.training
    rate = learning_rate(workload)
    grows = rate.per_samples is not None
    sharded = chosen.strategy in SHARDING and (chosen.count > 1)
    checkpointed = training.activation_checkpointing != "none"
    optimizer = _optimizer(training, stepped)
    in_backward = training.optimizer_in_backward and training.mode == "training"
    quantization = quantization_of(training)
    parts = {
        "layers": sharded or checkpointed,
        "checkpoint": checkpointed,
        "adapters": training.trainable == "lora",
        f"quantise_{quantization}": quantization in _QUANTISED,
        "step_in_backward": in_backward,
    }
    return {
        "parts": "".join(part(name) for name, needed in parts.items() if needed),
        "learning_rate": rate.rate + f" * BATCH_SIZE * ACCUMULATION / {rate.per_samples}" * grows,
        "learning_rate_source": rate.source + "; times the number of devices" * grows,
        "functools_import": "import functools\n" * checkpointed,
        "quantised": _quantised(training),
        "freeze": _freeze(training, chosen.precision) + _left_to_the_user(training, chosen.precision),
        "checkpointing": _checkpointing(training),
        "optimizer": _in_backward(training, optimizer) if in_backward else optimizer,
        "saved": ", torch.autograd.graph.save_on_cpu(pin_memory=on_gpu)" * (training.offload == "activations"),
        "quiet": _quiet(chosen),
        **_wrapping(chosen),
    }


def update_lines(training: Training, precision: Precision, *, copied: bool) -> dict[str, str]:
    """The slots of backward and update: with a scaler, clipping and FP32 copies only where the method has them."""
    updates = training.mode == "training" and training.optimizer != "none" and not training.optimizer_in_backward
    scales = PRECISION_FACTS[precision].scales_gradients and not copied
    clips = training.clip_gradient_norm is not None and not training.optimizer_in_backward
    plain = "scaled_update" if scales else "update"
    clipped = "            nn.utils.clip_grad_norm_(trained, CLIP_NORM)\n"
    unscaled = "            scaler.unscale_(optimizer)\n" * scales
    return {
        "scaler": "    scaler = torch.amp.GradScaler(device.type, enabled=on_gpu)\n" * scales,
        "backward": "scaler.scale(loss).backward()" if scales else "loss.backward()",
        "clip_constant": f"CLIP_NORM = {training.clip_gradient_norm!r}\n" * clips,
        "clipped": (unscaled + clipped) * clips,
        "update": part("master_update" if copied else plain if updates else "no_update"),
    }


def _quantised(training: Training) -> str:
    if quantization_of(training) not in _QUANTISED:
        return ""
    return "    if on_gpu:  # a CPU keeps the weights as they are\n        quantise(model)\n"


def _freeze(training: Training, precision: Precision) -> str:
    if training.trainable == "head":
        return part("head_only")
    if training.trainable != "lora":
        return ""
    wanted = training.lora_targets or "attention"
    targets = repr("all_linear" if wanted == "all_linear" else _ATTENTION if wanted == "attention" else tuple(wanted))
    facts = PRECISION_FACTS[precision]
    dtype = _TYPES[facts.half_format] if facts.half_weights and facts.half_format else "torch.float32"
    shown = "ATTENTION" if wanted == "attention" else targets
    named = f"    ATTENTION = {targets}\n" if wanted == "attention" else ""
    return f"{named}    add_adapters(model, {training.lora_rank or _DEFAULT_RANK}, {shown}, {dtype})\n"


def _left_to_the_user(training: Training, precision: Precision) -> str:
    """What the advice counts on and this script leaves out, each with what does it."""
    lines = [
        "YOUR QUANTISATION: frozen layers in GPTQ, from a checkpoint that has them" * (training.quantization == "gptq"),
        f"YOUR FP8 LAYERS: recipe {fp8_recipe_of(training)} (torchao, Transformer Engine)" * (precision == "fp8"),
        "YOUR LOSS: in chunks of the logits (torchtune, Liger kernels)" * training.chunked_loss,
        f"YOUR OFF-LOAD: {training.offload} in host memory" * (training.offload in {"optimizer", "parameters"}),
    ]
    return "".join(f"    # {line}.\n" for line in lines if line)


def _checkpointing(training: Training) -> str:
    if training.activation_checkpointing == "none":
        return ""
    if training.activation_checkpointing == "full":
        return "    checkpoint_layers(model)\n"
    return f"    checkpoint_layers(\n        model,\n        {part('kept_operators')},\n    )\n"


def _optimizer(training: Training, parameters: str) -> str:
    fused = ", fused=on_gpu" if training.fused_optimizer else ""
    made = {
        "adamw": f"torch.optim.AdamW({parameters}, lr=LEARNING_RATE{fused})",
        "adam": f"torch.optim.Adam({parameters}, lr=LEARNING_RATE{fused})",
        "sgd": f"torch.optim.SGD({parameters}, lr=LEARNING_RATE{fused})",
        "sgd_momentum": f"torch.optim.SGD({parameters}, lr=LEARNING_RATE, momentum=0.9{fused})",
        "adafactor": f"torch.optim.Adafactor({parameters}, lr=LEARNING_RATE)",
    }
    # LAMB is in no release of torch, and "none" trains nothing: AdamW is the nearest that runs.
    plain = made.get(training.optimizer, made["adamw"])
    name = {"adamw": "AdamW8bit", "adam": "Adam8bit"}.get(training.optimizer)
    if training.optimizer_bits != _EIGHT_BITS or name is None:
        return plain
    return (
        f"{plain}\n    if on_gpu:  # states of 8 bits need bitsandbytes; a CPU keeps them whole\n"
        f"        import bitsandbytes\n\n        optimizer = bitsandbytes.optim.{name}({parameters}, lr=LEARNING_RATE)"
    )


def _in_backward(training: Training, optimizer: str) -> str:
    """Each parameter is stepped by its own optimizer in backward; the one that is left has nothing to do."""
    each = _optimizer(training, "own").partition("\n")[0]
    return f"{optimizer}\n    step_in_backward(trained, lambda own: {each})"


def _quiet(chosen: Recommendation) -> str:
    indent = " " * 12
    if chosen.strategy in SHARDING and chosen.count > 1:
        return (
            f"{indent}if world > 1:\n{indent}    model.set_requires_gradient_sync(last)\n"
            f"{indent}quiet = contextlib.nullcontext()"
        )
    if chosen.strategy == "ddp" and chosen.count > 1:
        return f"{indent}quiet = model.no_sync() if world > 1 and not last else contextlib.nullcontext()"
    return f"{indent}quiet = contextlib.nullcontext()"


def _wrapping(chosen: Recommendation) -> dict[str, str]:
    if chosen.count == 1:
        return {"wrapper_import": "", "wrap": ""}
    if STRATEGY_FACTS[chosen.strategy].one_process:
        return {
            "wrapper_import": "from torch.nn.parallel import DataParallel\n",
            "wrap": f"    if on_gpu:\n        model = DataParallel(model, device_ids=list(range({chosen.count})))\n",
        }
    if chosen.strategy in SHARDING:
        kept = chosen.strategy == "zero2"
        offloads = chosen.strategy == "fsdp_offload"
        remark = {
            "zero2": "Whole weights stay from forward to backward: gradients and states are sharded.",
            "fsdp": "Weights, gradients and states are sharded; a layer is gathered while it runs.",
            "fsdp_offload": "Weights, gradients and states are sharded and rest in the host's memory.",
        }[chosen.strategy]
        wrap = part(
            "shard",
            imported="CPUOffloadPolicy, fully_shard" if offloads else "fully_shard",
            remark=remark,
            reshard=not kept,
            policies=', "offload_policy": CPUOffloadPolicy(pin_memory=on_gpu)' if offloads else "",
        )
        return {"wrapper_import": "", "wrap": wrap}
    wrap = (
        "    if world > 1:\n        # Gradients as views of the buckets save one copy of them.\n"
        "        model = DistributedDataParallel(\n"
        "            model, device_ids=[device.index] if on_gpu else None, gradient_as_bucket_view=True\n        )\n"
    )
    return {"wrapper_import": "from torch.nn.parallel import DistributedDataParallel\n", "wrap": wrap}
