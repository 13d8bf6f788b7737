"""The advice as the configuration of a framework: Hugging Face Trainer, Accelerate or Lightning."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from advisor.catalogue.precisions import PRECISION_FACTS
from advisor.catalogue.strategies import SHARDING, STRATEGY_FACTS, STRATEGY_LABELS
from advisor.core.sentences import SaidOutputError, visible
from advisor.predict.assembly import optimizer_step_count
from advisor.present.script.framework_gaps import Framework, fp8_backend, global_batch, half_format, left_out
from advisor.present.script.framework_model import of_the_model, recomputes_itself
from advisor.present.script.launch_script import launch_command
from advisor.present.script.learning_rates import learning_rate
from advisor.present.script.strategy_lines import has_script
from advisor.present.summary import expected_line
from advisor.recommend.recommendation import Recommendation
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Training, Workload

Fields = dict[str, object]
_EIGHT_BITS = 8


def render(advice: AdviceRecord, framework: Framework) -> str:
    """A commented YAML file that sets `framework` up as advised; what it has no field for is said in comments.

    Field names as in transformers 5.23 (`TrainingArguments`), Accelerate 1.6 and later (FSDP2) and Lightning 2. Raises
    OutputError where there is nothing to advise, nothing is trained, or the framework has no such strategy.
    """
    chosen = advice.main
    if chosen is None:
        raise SaidOutputError.of("script-no-advice")
    if advice.workload.training.mode != "training":
        raise SaidOutputError.of("script-no-training", framework=framework)
    _refuse_strategy(advice.workload, chosen, framework)
    fields = {"trainer": _trainer, "accelerate": _accelerate, "lightning": _lightning}[framework](advice, chosen)
    head = (
        f"{framework} for {advice.workload.name}, written by advisor {advice.advisor_version}.",
        f"Advised: {expected_line(chosen)}",
        f"Use: {_use(chosen, framework)}",
        *left_out(advice, chosen, framework),
        *of_the_model(advice.workload, chosen, framework),
    )
    comments = "".join(f"# {visible(line)}\n" for line in head)
    return comments + "\n".join(_yaml(fields)) + "\n"


def _refuse_strategy(workload: Workload, chosen: Recommendation, framework: Framework) -> None:
    """DataParallel is Trainer's alone; a split model is none's here."""
    split = not STRATEGY_FACTS[chosen.strategy].has_script
    if not split and (chosen.strategy != "dp" or framework == "trainer"):
        return
    name = STRATEGY_LABELS.get(chosen.strategy, chosen.strategy)
    code = "script-no-field" if has_script(workload, chosen) else "script-no-field-nor-script"
    raise SaidOutputError.of(code, framework=framework, strategy=name)


def _use(chosen: Recommendation, framework: Framework) -> str:
    """What reads the file, and for Trainer the command that starts as many processes: its file cannot say how many."""
    several = chosen.node_count > 1
    on_threads = f"OMP_NUM_THREADS={chosen.thread_count} " if chosen.thread_count is not None else ""
    if framework == "accelerate":
        where = "--machine_rank N --main_process_ip HOST --main_process_port 29500 " * several
        if chosen.thread_count is not None:
            where += f"--num_cpu_threads_per_process {chosen.thread_count} "
        return f"accelerate launch --config_file FILE {where}YOUR_SCRIPT.py"
    if framework == "lightning":
        where = "NODE_RANK=N MASTER_ADDR=HOST MASTER_PORT=29500 " * several
        return f"{where}{on_threads}python YOUR_CLI.py fit --config FILE   (a LightningCLI: jsonargparse[signatures])"
    read = "(args,) = HfArgumentParser(TrainingArguments).parse_yaml_file(FILE) in YOUR_SCRIPT.py, started by"
    if chosen.device.key == "cpu":
        return f"{read} {on_threads}python YOUR_SCRIPT.py"
    if STRATEGY_FACTS[chosen.strategy].one_process:
        # Trainer copies the model to every card that its one process sees.
        seen = ",".join(str(index) for index in range(chosen.count))
        return f"{read} CUDA_VISIBLE_DEVICES={seen} python YOUR_SCRIPT.py"
    return f"{read} {launch_command(chosen, 'YOUR_SCRIPT.py', launcher='torchrun')}"


def _trainer(advice: AdviceRecord, chosen: Recommendation) -> Fields:
    training, workers = advice.workload.training, advice.workload.data.loader_workers
    half, sharded = half_format(chosen), chosen.strategy in SHARDING
    recomputes = training.activation_checkpointing != "none" and not sharded
    fields: Fields = {
        "output_dir": "out",
        "per_device_train_batch_size": chosen.batch_size_per_device,
        "gradient_accumulation_steps": chosen.gradient_accumulation_steps,
        "num_train_epochs": training.epochs,
        "fp16": half == "fp16",
        "bf16": half == "bf16",
        **_trainer_optimizer(training),
        "learning_rate": float(f"{learning_rate(advice.workload).at(global_batch(chosen)):.3g}"),
        "lr_scheduler_type": "linear",
        "max_grad_norm": training.clip_gradient_norm or 0.0,
        "dataloader_num_workers": workers,
        "dataloader_persistent_workers": workers > 0,
        **_logging(training),
        "torch_compile": training.compile,
        "use_cpu": chosen.device.key == "cpu",
    }
    if chosen.precision in {"tf32", "fp32"} and chosen.device.key != "cpu":
        fields["tf32"] = chosen.precision == "tf32"
    # Said where it is off, too: TRL's configurations switch it on by themselves.
    fields["activation_checkpointing"] = recomputes and recomputes_itself(advice.workload)
    if chosen.strategy == "ddp":
        fields["ddp_find_unused_parameters"] = False  # Trainer looks for them in each step by itself
    if training.fused_layers:
        kernels = {"cross_entropy": not training.chunked_loss, "fused_linear_cross_entropy": training.chunked_loss}
        if not training.fused_gate:
            kernels["swiglu"] = False
        fields |= {"use_liger_kernel": True, "liger_kernel_config": kernels}
    if sharded:
        fields |= {"fsdp": True, "fsdp_config": _sharding(training, chosen, "")}
    return fields


def _logging(training: Training) -> Fields:
    """When the loss is read; the filter of its NaNs reads it in every micro-batch."""
    every: Fields = {"logging_steps": training.read_loss_every} if training.read_loss_every else {}
    return {"logging_strategy": "steps" if every else "no", **every, "logging_nan_inf_filter": False}


def _trainer_optimizer(training: Training) -> Fields:
    """Trainer's Adam is AdamW without decay, which is its default; torch's AdamW decays by 0.01."""
    if training.optimizer in {"sgd", "sgd_momentum"}:
        momentum: Fields = {"optim_args": "momentum=0.9"} if training.optimizer == "sgd_momentum" else {}
        return {"optim": "sgd", **momentum}
    if training.optimizer == "adafactor":
        return {"optim": "adafactor"}
    name = "adamw_torch_fused" if training.fused_optimizer else "adamw_torch"
    decay = 0.0 if training.optimizer == "adam" else 0.01
    return {"optim": "adamw_bnb_8bit" if training.optimizer_bits == _EIGHT_BITS else name, "weight_decay": decay}


def _sharding(training: Training, chosen: Recommendation, prefix: str) -> Fields:
    """FSDP2's own words; ZeRO-2 keeps the gathered weights between forward and backward."""
    return {
        f"{prefix}version": 2,
        f"{prefix}reshard_after_forward": chosen.strategy != "zero2",
        f"{prefix}{'offload_params' if prefix else 'cpu_offload'}": chosen.strategy == "fsdp_offload",
        f"{prefix}auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
        f"{prefix}state_dict_type": "SHARDED_STATE_DICT",
        f"{prefix}activation_checkpointing": training.activation_checkpointing != "none",
    }


def _accelerate(advice: AdviceRecord, chosen: Recommendation) -> Fields:
    training = advice.workload.training
    sharded = chosen.strategy in SHARDING
    kind = "FSDP" if sharded else "MULTI_GPU" if chosen.count > 1 else "NO"
    half = "fp8" if chosen.precision == "fp8" else half_format(chosen) or "no"
    fields: Fields = {
        "compute_environment": "LOCAL_MACHINE",
        "distributed_type": kind,
        "mixed_precision": half,
        "num_machines": chosen.node_count,
        "num_processes": chosen.count,
        "machine_rank": 0,
        "main_training_function": "main",
        "rdzv_backend": "static",
        "use_cpu": chosen.device.key == "cpu",
    }
    if sharded:
        fields["fsdp_config"] = _sharding(training, chosen, "fsdp_")
    if half == "fp8":
        fields["fp8_config"] = {"backend": fp8_backend(training)}
    if training.compile:
        fields["dynamo_config"] = {"dynamo_backend": "INDUCTOR"}
    return fields


def _lightning_precision(chosen: Recommendation) -> str:
    if chosen.precision == "fp8" and chosen.strategy not in SHARDING:
        return "transformer-engine"
    words: dict[str | None, str] = {"fp16": "16", "bf16": "bf16", None: "32"}
    mixed = half_format(chosen)
    if mixed is not None:
        return f"{words[mixed]}-mixed"
    facts = PRECISION_FACTS[chosen.precision]
    return f"{words[facts.half_format if facts.half_weights else None]}-true"


def _lightning(advice: AdviceRecord, chosen: Recommendation) -> Fields:
    training = advice.workload.training
    trainer: Fields = {
        "accelerator": "cpu" if chosen.device.key == "cpu" else "gpu",
        "devices": chosen.count // chosen.node_count,
        "num_nodes": chosen.node_count,
        "strategy": _lightning_strategy(chosen),
        "precision": _lightning_precision(chosen),
        "accumulate_grad_batches": chosen.gradient_accumulation_steps,
        **_lightning_length(advice.workload, chosen),
        "log_every_n_steps": training.read_loss_every,
    }
    if training.clip_gradient_norm is not None and chosen.strategy not in SHARDING:  # FSDPStrategy refuses it
        trainer["gradient_clip_val"] = training.clip_gradient_norm
    return {"trainer": trainer}


def _lightning_length(workload: Workload, chosen: Recommendation) -> Fields:
    """Whole epochs, or as many optimizer steps: Lightning has no part of an epoch."""
    if workload.training.epochs == round(workload.training.epochs):
        return {"max_epochs": round(workload.training.epochs)}
    return {"max_steps": optimizer_step_count(workload, global_batch(chosen))}


def _lightning_strategy(chosen: Recommendation) -> object:
    if chosen.strategy not in SHARDING:
        return "ddp" if chosen.count > 1 else "auto"
    return {
        "class_path": "lightning.pytorch.strategies.FSDPStrategy",
        "init_args": {
            "sharding_strategy": "SHARD_GRAD_OP" if chosen.strategy == "zero2" else "FULL_SHARD",
            "cpu_offload": chosen.strategy == "fsdp_offload",
        },
    }


def _yaml(fields: Mapping[str, object], indent: str = "") -> Iterator[str]:
    """Nested mappings of scalars; JSON's scalars are YAML's, but that 5e-05 without a point is a text to PyYAML."""
    for name, value in fields.items():
        if isinstance(value, dict):
            yield f"{indent}{name}:"
            yield from _yaml(value, indent + "  ")
        else:
            text = json.dumps(value)
            pointless = isinstance(value, float) and "e" in text and "." not in text
            yield f"{indent}{name}: {text.replace('e', '.0e') if pointless else text}"
