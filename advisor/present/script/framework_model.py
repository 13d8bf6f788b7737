"""What a framework's configuration cannot say of the model: how it is loaded, what trains, what recomputes."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.catalogue.adapters import ADAPTER_ALPHA, ADAPTER_DROPOUT, ATTENTION_PARTS, DEFAULT_RANK
from advisor.catalogue.precisions import PRECISION_FACTS, PRECISION_LABELS
from advisor.catalogue.strategies import SHARDING
from advisor.present.script.framework_gaps import Framework, half_format
from advisor.present.script.method_lines import PEFT_TASKS, adapters_in_half, chunks_loss
from advisor.present.script.model_code import task_of
from advisor.present.script.strategy_lines import TYPES
from advisor.recommend.recommendation import Recommendation
from advisor.workload.frozen_weights import rests_in_half
from advisor.workload.model_config import config_of, task_of_model
from advisor.workload.tasks import WRITING_TASKS
from advisor.workload.workload import HuggingFaceModel, Training, Workload, quantization_of

WITHOUT_CHECKPOINTING = frozenset({
    "albert", "bit", "bros", "convnext", "convnextv2", "cpmant", "ctrl", "cvt", "dinat", "efficientnet", "flaubert",
    "fsmt", "funnel", "gpt_neox_japanese", "granite_speech", "granite_speech_plus", "hgnet_v2", "ibert", "jetmoe",
    "layoutlmv2", "layoutlmv3", "levit", "lxmert", "markuplm", "mobilenet_v1", "mobilenet_v2", "mpnet", "openai-gpt",
    "perceiver", "poolformer", "pvt", "reformer", "regnet", "resnet", "shieldgemma2", "squeezebert", "textnet",
    "timm_wrapper", "upernet", "xlm", "xlnet",
})  # fmt: skip
"""Types of model whose classes for a task refuse to recompute activations, in transformers 5.23."""


def recomputes_itself(workload: Workload) -> bool:
    """Whether the model's own class switches activation checkpointing on: most of transformers with a task do."""
    model = workload.model
    if not isinstance(model, HuggingFaceModel) or task_of_model(model) == "base":
        return False
    return config_of(model).get("model_type") not in WITHOUT_CHECKPOINTING


def of_the_model(workload: Workload, chosen: Recommendation, framework: Framework) -> Iterator[str]:
    """A sentence for each thing that is done to the model before `framework` has it, in the order to do it in."""
    training = workload.training
    yield from _loading(workload, chosen, framework)
    yield from _trained(workload, chosen)
    yield from _wrapped(workload, chosen, framework)
    yield from _checkpointing(workload, chosen, framework)
    if training.fused_layers and framework != "trainer":
        yield "Yours: fused layers (_apply_liger_kernel_to_instance(model=model) of liger_kernel.transformers)."
    if training.chunked_loss and not training.fused_layers:
        yield _chunks(workload, chosen, framework)
    if training.channels_last:
        yield "Yours: model.to(memory_format=torch.channels_last)."
    if training.optimizer_in_backward:
        yield "Yours: each parameter's step in backward (register_post_accumulate_grad_hook)."
    if training.offload != "none":
        yield f"Yours: {training.offload} in the host's memory."


def _loading(workload: Workload, chosen: Recommendation, framework: Framework) -> Iterator[str]:
    """In which type, with which attention and how packed: transformers takes the type that a checkpoint has."""
    training, facts = workload.training, PRECISION_FACTS[chosen.precision]
    quantization, from_hub = quantization_of(training), isinstance(workload.model, HuggingFaceModel)
    half = TYPES[facts.half_format] if facts.half_format else "torch.float32"
    if facts.half_weights and half_format(chosen) is None:
        if framework != "lightning" or facts.master_copies:
            copies = "; no FP32 copies are kept then" * facts.master_copies
            how = f"dtype={half}" if from_hub else f"model.to({half})"
            yield f"Yours: load the model in {PRECISION_LABELS[chosen.precision]} ({how}){copies}."
    elif training.trainable == "lora" and facts.autocast and rests_in_half(workload):
        yield f"Yours: load the model in 16 bits (dtype={half}), which its frozen weights stay in."
    elif from_hub and quantization is None:
        yield "Yours: load the model in FP32 (dtype=torch.float32): by itself it comes in the type it was stored in."
    yield from _packed(training, half)
    if training.attention != "sdpa":
        kind = {"eager": "eager", "flash": "flash_attention_2"}[training.attention]
        yield f'Yours: attn_implementation="{kind}" as the model is loaded.'
    if from_hub and framework != "trainer":
        yield "Yours: model.train(): a checkpoint is loaded for evaluation, where nothing is dropped out or recomputed."
    writes = task_of(workload) in {"causal-lm", *WRITING_TASKS}
    if writes and framework != "trainer":
        yield "Yours: model.config.use_cache = False: keys and values are kept for generating alone."


def _packed(training: Training, half: str) -> Iterator[str]:
    quantization = quantization_of(training)
    packed = {
        "nf4": f'BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype={half})',
        "int8": "BitsAndBytesConfig(load_in_8bit=True)",
    }.get(quantization or "")
    if packed is not None:
        yield f"Yours: load the model with quantization_config={packed}."
    elif quantization is not None:
        yield "Yours: load a checkpoint that is quantised with GPTQ."
    if quantization is not None and training.keeps_unpacked_whole:
        yield "Yours: model = prepare_model_for_kbit_training(model, use_gradient_checkpointing=False) of peft."


def _trained(workload: Workload, chosen: Recommendation) -> Iterator[str]:
    training = workload.training
    if training.trainable == "head":
        body = "model.base_model" if isinstance(workload.model, HuggingFaceModel) else "all but the head"
        yield f"Yours: {body}.requires_grad_(False): the head alone is trained."
    if training.trainable != "lora":
        return
    flag = ", autocast_adapter_dtype=False" * adapters_in_half(training, chosen.precision)
    yield f"Yours: model = get_peft_model(model, {lora_config(workload)}{flag}) of peft."
    if training.lora_targets is None:
        yield "Yours: target_modules=[...] of LoraConfig where peft does not know the model: of queries and values."


def lora_config(workload: Workload) -> str:
    """The call of PEFT's LoraConfig that puts the adapters where they were predicted."""
    training, task = workload.training, task_of(workload)
    settings = [
        f"r={training.lora_rank or DEFAULT_RANK}",
        f"lora_alpha={ADAPTER_ALPHA}",
        f"lora_dropout={ADAPTER_DROPOUT}",
    ]
    kept = list(training.modules_to_save or ())
    if task in {"image-classification", "speech-classification"}:  # PEFT has no task that trains their new head
        kept.append("classifier")
    if kept:
        settings.append(f"modules_to_save={kept}")
    if task in PEFT_TASKS:
        settings.append(f'task_type="{PEFT_TASKS[str(task)]}"')
    return f"LoraConfig({', '.join([*settings, *_targets(training)])})"


def _targets(training: Training) -> tuple[str, ...]:
    if training.lora_targets is None:
        return ()
    if training.lora_targets == "all_linear":
        return ('target_modules="all-linear"',)
    if training.lora_targets != "attention":
        return (f"target_modules={list(training.lora_targets)}",)
    inside = " or ".join(f'"{word}" in name.rpartition(".")[0].lower()' for word in ATTENTION_PARTS)
    kinds = 'type(part).__name__.startswith(("Linear", "Conv1D"))'
    return (f"target_modules=[name for name, part in model.named_modules() if {kinds} and ({inside})]",)


def _wrapped(workload: Workload, chosen: Recommendation, framework: Framework) -> Iterator[str]:
    """Which layers are sharded: models of transformers name theirs, for Trainer and Accelerate."""
    if chosen.strategy not in SHARDING:
        return
    if framework == "lightning":
        yield "Yours: auto_wrap_policy={the class of your layers}, without which the whole model is gathered at once."
    elif not isinstance(workload.model, HuggingFaceModel):
        field = "fsdp_transformer_layer_cls_to_wrap" if framework == "accelerate" else "transformer_layer_cls_to_wrap"
        yield f"Yours: {field}: the class of your layers, without which the whole model is gathered at once."


def _checkpointing(workload: Workload, chosen: Recommendation, framework: Framework) -> Iterator[str]:
    """Trainer has a field for it, Accelerate beside its sharding alone; none has one for choosing what is kept."""
    training = workload.training
    if training.activation_checkpointing == "none":
        return
    sharded = chosen.strategy in SHARDING and framework != "lightning"  # it wraps the layers that it shards
    if not sharded and not recomputes_itself(workload):
        yield "Yours: checkpointing of each layer (torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False))."
    elif framework != "trainer" and not sharded:
        yield "Yours: activation checkpointing (model.activation_checkpointing_enable() of transformers 5.23 or later)."
    elif training.activation_checkpointing == "selective":
        yield "Yours: selective checkpointing (create_selective_checkpoint_contexts); full stands in for it."


def _chunks(workload: Workload, chosen: Recommendation, framework: Framework) -> str:
    """TRL's trainer of language models never holds the logits whole, and reads Trainer's file."""
    if framework != "trainer" or not chunks_loss(workload, chosen):
        return "Yours: the loss in chunks of the logits."
    length = f"; args.max_length = {workload.data.sequence_length}" if workload.data.sequence_length else ""
    return (
        "Yours: the loss in chunks of the logits, which trl's SFTTrainer makes by itself (1.16): "
        f"(args,) = HfArgumentParser(SFTConfig).parse_yaml_file(FILE){length}."
    )
