"""The advice as Trainer's, Accelerate's and Lightning's configuration: read as YAML, keys theirs, values as advised."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import pytest

from advisor.cli.arguments import FRAMEWORKS, Framework, parse
from advisor.core.errors import OutputError
from advisor.present.script import framework_config
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import with_training
from tests.present.test_launch_script import advised

yaml = pytest.importorskip("yaml", reason="PyYAML comes with transformers")
ACCELERATE = {
    "compute_environment", "distributed_type", "mixed_precision", "num_machines", "num_processes", "machine_rank",
    "main_training_function", "rdzv_backend", "use_cpu", "fsdp_config", "fp8_config", "dynamo_config",
}  # fmt: skip
"""Of `ClusterConfig` in accelerate.commands.config.config_args, 1.15."""
ACCELERATE_FSDP = {
    "fsdp_version", "fsdp_reshard_after_forward", "fsdp_offload_params", "fsdp_auto_wrap_policy",
    "fsdp_state_dict_type", "fsdp_activation_checkpointing",
}  # fmt: skip
TRAINER_FSDP = {
    "version", "reshard_after_forward", "cpu_offload", "auto_wrap_policy", "state_dict_type",
    "activation_checkpointing",
}  # fmt: skip
"""Of `TrainingArguments.fsdp_config` in transformers 5."""
LIGHTNING = {
    "accelerator", "devices", "num_nodes", "strategy", "precision", "accumulate_grad_batches", "max_epochs",
    "log_every_n_steps", "gradient_clip_val",
}  # fmt: skip
"""Of `lightning.pytorch.Trainer.__init__`, 2.6."""
LIGHTNING_PRECISIONS = {
    "transformer-engine", "16-true", "16-mixed", "bf16-true", "bf16-mixed", "32-true", "64-true",
}  # fmt: skip
CASES: dict[str, dict[str, Any]] = {
    "one": {"count": 1, "strategy": "single", "precision": "fp32"},
    "autocast": {"count": 8, "strategy": "ddp", "precision": "bf16_amp", "gradient_accumulation_steps": 4},
    "scaled": {"count": 2, "strategy": "ddp", "precision": "fp16_amp"},
    "tf32": {"count": 1, "strategy": "single", "precision": "tf32"},
    "masters": {"count": 8, "strategy": "fsdp", "precision": "bf16"},
    "zero2": {"count": 4, "strategy": "zero2", "precision": "bf16_amp"},
    "host": {"count": 1, "strategy": "fsdp_offload", "precision": "bf16"},
    "pure": {"count": 1, "strategy": "single", "precision": "bf16_true"},
    "fp8": {"count": 8, "strategy": "fsdp", "precision": "fp8"},
    "machines": {"count": 16, "strategy": "ddp", "precision": "bf16_amp", "node_count": 2},
}


def made(case: str) -> AdviceRecord:
    return advised("llama_8b", batch_size_per_device=4, **CASES[case])


def read(framework: Framework, case: str) -> dict[str, Any]:
    found = yaml.safe_load(framework_config.render(made(case), framework))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("case", CASES)
def test_trainer_is_given_fields_that_it_has_with_the_advised_values(case: str) -> None:
    transformers = pytest.importorskip("transformers.training_args")
    fields, advice = read("trainer", case), made(case).recommendation
    assert advice is not None
    assert set(fields) <= {field.name for field in dataclasses.fields(transformers.TrainingArguments)}
    assert set(fields.get("fsdp_config", ())) <= TRAINER_FSDP
    assert fields["optim"] in {one.value for one in transformers.OptimizerNames}
    assert fields["per_device_train_batch_size"] == advice.batch_size_per_device
    assert fields["gradient_accumulation_steps"] == advice.gradient_accumulation_steps
    assert fields["fp16"] is (case == "scaled")
    assert fields["bf16"] is (case in {"autocast", "masters", "zero2", "host", "fp8", "machines"})
    assert fields.get("fsdp", False) is (advice.strategy in {"fsdp", "zero2", "fsdp_offload"})


@pytest.mark.parametrize("case", CASES)
def test_accelerate_is_given_fields_that_it_has_with_the_advised_values(case: str) -> None:
    fields, advice = read("accelerate", case), made(case).recommendation
    assert advice is not None
    assert set(fields) <= ACCELERATE
    sharding = fields.get("fsdp_config", {})
    assert set(sharding) <= ACCELERATE_FSDP
    assert fields["num_processes"] == advice.count
    assert fields["num_machines"] == advice.node_count
    assert fields["mixed_precision"] in {"no", "fp16", "bf16", "fp8"}
    assert fields["distributed_type"] == ("FSDP" if sharding else "MULTI_GPU" if advice.count > 1 else "NO")
    if sharding:
        assert sharding["fsdp_reshard_after_forward"] is (case != "zero2")
        assert sharding["fsdp_offload_params"] is (case == "host")


@pytest.mark.parametrize("case", CASES)
def test_lightning_is_given_fields_that_it_has_with_the_advised_values(case: str) -> None:
    fields, advice = read("lightning", case)["trainer"], made(case).recommendation
    assert advice is not None
    assert set(fields) <= LIGHTNING
    assert fields["devices"] * fields["num_nodes"] == advice.count
    assert fields["precision"] in LIGHTNING_PRECISIONS
    assert fields["accumulate_grad_batches"] == advice.gradient_accumulation_steps
    if isinstance(fields["strategy"], dict):
        assert fields["strategy"]["class_path"].endswith("FSDPStrategy")


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("case", CASES)
def test_nothing_is_asked_for_twice(framework: Framework, case: str) -> None:
    asked = [line for line in framework_config.render(made(case), framework).splitlines() if line.startswith("#")]
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_what_a_framework_has_no_field_for_is_said_or_refused(framework: Framework) -> None:
    text = framework_config.render(made("pure"), framework)
    assert ("load the model in pure BF16" in text) is (framework != "lightning")  # which has bf16-true
    split = advised("llama_8b", count=8, strategy="tp")
    with pytest.raises(OutputError, match=rf"no configuration of {framework} for TP") as raised:
        framework_config.render(split, framework)
    assert raised.value.remedy == "Take the script itself: --script FILE."
    stages = advised("llama_8b", count=8, strategy="pp")
    with pytest.raises(OutputError, match="neither a configuration nor a script for PP") as raised:
        framework_config.render(stages, framework)
    assert "torchtitan" in raised.value.remedy


def _said(framework: Framework, made_with: AdviceRecord, **changes: Any) -> str:
    workload = with_training(made_with.workload, **changes)
    return framework_config.render(msgspec.structs.replace(made_with, workload=workload), framework)


@pytest.mark.parametrize("framework", ["accelerate", "lightning"])
@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"optimizer_bits": 8}, "bitsandbytes.optim.AdamW8bit(model.parameters(), lr=5e-05)"),
        ({"optimizer": "adam", "optimizer_bits": 8}, "bitsandbytes.optim.Adam8bit(model.parameters(), lr=5e-05)"),
        ({"optimizer": "sgd_momentum"}, "torch.optim.SGD(model.parameters(), lr=0.25, momentum=0.9)"),
        ({"optimizer": "adafactor"}, "torch.optim.Adafactor(model.parameters(), lr=0.001)"),
        ({"optimizer": "lamb"}, "LAMB, which torch does not have"),
        ({"fused_optimizer": True}, "torch.optim.AdamW(model.parameters(), lr=5e-05, fused=True)"),
    ],
)
def test_a_loop_of_ones_own_is_told_batch_workers_and_the_optimizer_with_its_rate(
    framework: Framework, changes: dict[str, Any], shown: str
) -> None:
    text = _said(framework, advised("resnet50", count=4, strategy="ddp", batch_size_per_device=160), **changes)
    plain = _said(framework, made("zero2"))
    if "optimizer" not in changes:
        text = _said(framework, made("autocast"), **{"fused_optimizer": False, **changes})
    assert shown in text
    loader = "DataLoader(data, batch_size=4, shuffle=True, num_workers=4, persistent_workers=True, pin_memory=True)"
    assert loader in plain


def test_several_machines_are_started_by_a_command_that_names_each() -> None:
    assert (
        "accelerate launch --config_file FILE --machine_rank N --main_process_ip HOST --main_process_port 29500 "
        in framework_config.render(made("machines"), "accelerate")
    )
    told = framework_config.render(made("machines"), "lightning")
    assert "NODE_RANK=N MASTER_ADDR=HOST MASTER_PORT=29500 python YOUR_CLI.py fit" in told
    assert "HOST" not in framework_config.render(made("autocast"), "lightning")


@pytest.mark.parametrize(("recipe", "backend"), [(None, "ao"), ("rowwise", "ao"), ("transformer_engine", "te")])
def test_accelerate_is_told_who_multiplies_in_eight_bits(recipe: str | None, backend: str) -> None:
    text = _said("accelerate", made("fp8"), precision="fp8", fp8_recipe=recipe)
    assert yaml.safe_load(text)["fp8_config"] == {"backend": backend}
    assert "here they run in BF16" not in text
    assert "here they run in BF16" in _said("trainer", made("fp8"), precision="fp8")


@pytest.mark.parametrize("framework", ["accelerate", "lightning"])
def test_strict_fp32_is_told_to_keep_convolutions_from_tf32(framework: Framework) -> None:
    assert "cudnn.allow_tf32 = False" in framework_config.render(made("one"), framework)
    assert "cudnn.allow_tf32" not in framework_config.render(made("tf32"), framework)


def test_the_name_of_a_framework_alone_prints_its_configuration() -> None:
    plain = parse(["--predict", "iris_mlp", "--script", "trainer"])
    named = parse(["--predict", "iris_mlp", "--script-for", "trainer"])
    filed = parse(["--predict", "iris_mlp", "--script", "a.yaml", "--script-for", "lightning"])
    assert (plain.script_for, str(plain.script)) == (named.script_for, str(named.script)) == ("trainer", "-")
    assert (filed.script_for, str(filed.script)) == ("lightning", "a.yaml")
    assert parse(["--predict", "iris_mlp", "--script", "a.py"]).script_for is None


def _of_trainer(optimizer: str, **changes: Any) -> dict[str, Any]:
    made_with = advised("resnet50", count=4, strategy="ddp", precision="fp32", batch_size_per_device=64, **changes)
    training = msgspec.structs.replace(made_with.workload.training, optimizer=optimizer, fused_optimizer=False)
    workload = msgspec.structs.replace(made_with.workload, training=training)
    found = yaml.safe_load(framework_config.render(msgspec.structs.replace(made_with, workload=workload), "trainer"))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("optimizer", "settings"),
    [
        ("sgd_momentum", {"optim": "sgd", "optim_args": "momentum=0.9", "learning_rate": 0.1}),
        ("sgd", {"optim": "sgd", "learning_rate": 0.1}),
        ("adamw", {"optim": "adamw_torch", "weight_decay": 0.01, "learning_rate": 5e-5}),
        ("adam", {"optim": "adamw_torch", "weight_decay": 0.0, "learning_rate": 5e-5}),
        ("adafactor", {"optim": "adafactor", "learning_rate": 1e-3}),
    ],
)
def test_trainer_is_given_the_advised_optimizer_at_its_usual_learning_rate(
    optimizer: str, settings: dict[str, object]
) -> None:
    fields = _of_trainer(optimizer)
    assert {name: fields.get(name) for name in settings} == settings
    assert ("optim_args" in fields) is (optimizer == "sgd_momentum")


def test_the_learning_rate_of_sgd_grows_with_the_whole_step() -> None:
    assert _of_trainer("sgd", gradient_accumulation_steps=2)["learning_rate"] == pytest.approx(0.2)


def test_an_optimizer_that_trainer_lacks_is_said() -> None:
    made_with = advised("resnet50", count=1, strategy="single", precision="fp32")
    training = msgspec.structs.replace(made_with.workload.training, optimizer="lamb")
    workload = msgspec.structs.replace(made_with.workload, training=training)
    assert "Yours: LAMB" in framework_config.render(msgspec.structs.replace(made_with, workload=workload), "trainer")


@pytest.mark.parametrize(
    ("framework", "setting"),
    [("trainer", "dataloader_drop_last=True"), ("accelerate", "drop_last=True"), ("lightning", "drop_last=True")],
)
def test_a_model_that_cannot_train_on_one_sample_names_what_leaves_it_out(framework: Framework, setting: str) -> None:
    made = advised("resnet50", count=1, strategy="single", precision="fp32")
    model = msgspec.structs.replace(made.model, norms_single_values=True)
    told = f"Yours: {setting} where"
    assert told not in framework_config.render(made, framework)
    assert told in framework_config.render(msgspec.structs.replace(made, model=model), framework)


@pytest.mark.parametrize("in_chunks", [True, False])
def test_fused_layers_are_trainers_own_setting_with_the_loss_that_was_asked_for(in_chunks: bool) -> None:
    transformers = pytest.importorskip("transformers.training_args")
    made_with = made("autocast")
    training = msgspec.structs.replace(made_with.workload.training, fused_layers=True, chunked_loss=in_chunks)
    workload = msgspec.structs.replace(made_with.workload, training=training)
    asked = msgspec.structs.replace(made_with, workload=workload)
    fields = yaml.safe_load(framework_config.render(asked, "trainer"))
    assert fields["use_liger_kernel"] is True
    assert fields["liger_kernel_config"] == {"cross_entropy": not in_chunks, "fused_linear_cross_entropy": in_chunks}
    left = msgspec.structs.replace(workload, training=msgspec.structs.replace(training, fused_gate=False))
    without_gate = framework_config.render(msgspec.structs.replace(made_with, workload=left), "trainer")
    assert yaml.safe_load(without_gate)["liger_kernel_config"] == fields["liger_kernel_config"] | {"swiglu": False}
    assert set(fields) <= {field.name for field in dataclasses.fields(transformers.TrainingArguments)}
    assert "liger_kernel" in framework_config.render(asked, "accelerate")
    assert "use_liger_kernel" not in read("trainer", "autocast")
