"""Every setting of a training can be written, read back and overridden, and settings that contradict are refused."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from advisor.catalogue.optimizers import OPTIMIZERS
from advisor.catalogue.precisions import PRECISION_FACTS, PRECISIONS
from advisor.catalogue.spec_table import spec_table
from advisor.core.errors import InputError
from advisor.core.sentences import error_text
from advisor.recommend.precisions import at_least_as_exact, precisions_of_gpu, rate_of, sensible_precisions
from advisor.workload.toml_text import workload_to_toml
from advisor.workload.workload import (
    Training,
    Workload,
    fp8_recipe_of,
    quantization_of,
    stored_bits,
    traced_as,
    with_training,
)
from advisor.workload.workload_file import bundled_names, load_workload

BASE = """
name = "mine"
[model]
source = "huggingface"
config = "llama-3-8b"
task = "causal-lm"
[data]
samples = 1000
sequence_length = 128
[training]
batch_size = 4
precision = "bf16_true"
"""
QLORA = 'trainable = "lora"\nlora_rank = 8\nlora_targets = "all_linear"\nquantization = "nf4"\n'


def read(tmp_path: Path, further: str, base: str = BASE) -> Workload:
    path = tmp_path / "mine.toml"
    path.write_text(base + further, encoding="utf-8")
    return load_workload(path)


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ('activation_checkpointing = "selective"', "activation_checkpointing", "selective"),
        ("activation_checkpointing = true", "activation_checkpointing", "full"),
        ("activation_checkpointing = false", "activation_checkpointing", "none"),
        ("optimizer_in_backward = true", "optimizer_in_backward", True),
        ('offload = "parameters"', "offload", "parameters"),
        ("chunked_loss = true", "chunked_loss", True),
        ("fused_layers = true", "fused_layers", True),
        ("fused_layers = true\nfused_gate = false", "fused_gate", False),
        ('trainable = "lora"\nlora_targets = ["q_proj", "down_proj"]', "lora_targets", ("q_proj", "down_proj")),
        ('trainable = "lora"\nlora_targets = "all_linear"', "lora_targets", "all_linear"),
        ('trainable = "lora"\nmodules_to_save = ["lm_head"]', "modules_to_save", ("lm_head",)),
        ('trainable = "lora"\nquantization = "gptq"', "quantization", "gptq"),
    ],
)
def test_a_setting_is_read_and_written_back_as_it_was(tmp_path: Path, line: str, field: str, value: object) -> None:
    workload = read(tmp_path, line)
    assert getattr(workload.training, field) == value
    again = tmp_path / "again.toml"
    again.write_text(workload_to_toml(workload), encoding="utf-8")
    assert load_workload(again) == workload


def test_every_precision_is_read_and_has_a_row_of_facts(tmp_path: Path) -> None:
    for precision in PRECISIONS:
        workload = read(tmp_path, "", BASE.replace("bf16_true", precision))
        assert workload.training.precision == precision
        assert PRECISION_FACTS[precision].label


def test_a_description_of_before_is_read_as_before() -> None:
    table = tomllib.loads(BASE.replace("bf16_true", "fp16_amp") + "activation_checkpointing = true\n")
    assert load_workload(table).training.activation_checkpointing == "full"
    old = {"precision": "fp16_amp", "batch_size": 4, "activation_checkpointing": True}
    assert msgspec.json.decode(json.dumps(old), type=Training).activation_checkpointing == "full"
    assert Training(precision="fp32", batch_size=1).activation_checkpointing == "none"
    switched = with_training(load_workload(table), activation_checkpointing=False)
    assert switched.training.activation_checkpointing == "none"


def test_bits_alone_still_mean_what_bitsandbytes_stores() -> None:
    def training(**fields: Any) -> Training:
        return Training(precision="bf16_amp", batch_size=1, trainable="lora", **fields)

    assert [quantization_of(training(weights_bits=bits)) for bits in (4, 8, 16, None)] == ["nf4", "int8", None, None]
    assert stored_bits(training(quantization="gptq")) == 4
    assert stored_bits(training(quantization="gptq", weights_bits=8)) == 8
    assert stored_bits(training(weights_bits=16)) is None
    assert fp8_recipe_of(Training(precision="fp8", batch_size=1)) == "tensorwise"
    assert fp8_recipe_of(Training(precision="bf16_amp", batch_size=1)) is None


@pytest.mark.parametrize(
    ("further", "path", "value"),
    [
        ('lora_targets = "attention"', "training.lora_targets", "attention"),
        ('modules_to_save = ["lm_head"]', "training.modules_to_save", "lm_head"),
        ('quantization = "nf4"', "training.quantization", "nf4"),
        ('trainable = "lora"\nunpacked_bits = 32', "training.unpacked_bits", "32"),
        (QLORA + "unpacked_bits = 32", "training.unpacked_bits", "bf16_true"),
        (QLORA + "weights_bits = 8", "training.weights_bits", "8"),
        ('fp8_recipe = "rowwise"', "training.fp8_recipe", "rowwise"),
        ("fused_gate = false", "training.fused_gate", "fused_layers"),
        ("optimizer_in_backward = true\ngradient_accumulation_steps = 2", "optimizer_in_backward", "2"),
        ("optimizer_in_backward = true\nclip_gradient_norm = 1.0", "optimizer_in_backward", "1"),
        ('optimizer_in_backward = true\noptimizer = "none"', "optimizer_in_backward", "none"),
        ('offload = "optimizer"\noptimizer = "none"', "training.offload", "optimizer"),
        ('offload = "activations"\nmode = "inference"', "training.offload", "inference"),
        ('offload = "activations"\nactivation_checkpointing = "full"', "training.offload", "full"),
        ('chunked_loss = true\nmode = "inference"', "training.chunked_loss", "inference"),
    ],
)
def test_settings_that_contradict_are_refused_with_path_value_and_remedy(
    tmp_path: Path, further: str, path: str, value: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, further)
    assert path in str(caught.value)
    assert value in str(caught.value)
    assert caught.value.remedy
    chinese = "".join(error_text(caught.value, "zh"))
    assert path in chinese
    assert re.search(r"[\u4e00-\u9fff]", chinese)
    assert not re.search(r"\b(is|but|set|leave|or|the)\b", chinese, re.IGNORECASE)


def test_a_scaler_or_quantised_layers_forbid_what_needs_them_otherwise(tmp_path: Path) -> None:
    scaled = BASE.replace("bf16_true", "fp16_amp")
    with pytest.raises(InputError, match="scaler looks at all gradients"):
        read(tmp_path, "optimizer_in_backward = true", scaled)
    with pytest.raises(InputError, match="fp8"):
        read(tmp_path, QLORA, BASE.replace("bf16_true", "fp8"))


def test_chunks_of_logits_are_refused_where_there_is_no_vocabulary(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no logits over a vocabulary"):
        read(tmp_path, "chunked_loss = true", BASE.replace("causal-lm", "sequence-classification"))


def test_layers_of_another_source_are_never_fused() -> None:
    table = tomllib.loads(BASE) | {"model": {"source": "template", "template": "mlp", "layers": [4, 10, 3]}}
    table["training"] |= {"precision": "fp32", "fused_layers": True}
    with pytest.raises(InputError, match=r"training\.fused_layers"):
        load_workload(table)


@pytest.mark.parametrize("value", ['"half"', "3", "[]"])
def test_an_unknown_kind_of_checkpointing_names_what_is_allowed(tmp_path: Path, value: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"activation_checkpointing = {value}")
    assert "training.activation_checkpointing" in str(caught.value)
    assert "selective" in caught.value.remedy


def test_every_new_setting_that_changes_operators_changes_the_trace_key(tmp_path: Path) -> None:
    plain = read(tmp_path, 'trainable = "lora"')
    changes: tuple[dict[str, object], ...] = (
        {"lora_targets": "all_linear"},
        {"modules_to_save": ["lm_head"]},
        {"quantization": "nf4"},
        {"quantization": "int8"},
        {"quantization": "nf4", "unpacked_bits": 32},
        {"chunked_loss": True},
        {"fused_layers": True},
        {"fused_layers": True, "fused_gate": False},
        {"activation_checkpointing": "selective"},
        {"activation_checkpointing": "full"},
        {"offload": "activations"},
    )
    keys = {traced_as(with_training(plain, **change)) for change in changes}
    assert len(keys | {traced_as(plain)}) == len(changes) + 1
    for change in ({"offload": "optimizer"}, {"optimizer_in_backward": True}, {"compile": True}):
        assert traced_as(with_training(plain, **change)) == traced_as(plain)


def test_a_new_precision_is_looked_at_only_where_it_is_asked_for() -> None:
    base = load_workload(tomllib.loads(BASE))
    for precision in PRECISIONS:
        wanted = sensible_precisions(with_training(base, precision=precision))
        assert set(wanted) <= {precision, "fp32", "tf32", "fp16_amp", "bf16_amp"}
    assert "bf16_amp" in sensible_precisions(base)


def test_no_less_exact_precision_stands_in_for_another() -> None:
    assert at_least_as_exact("default", "tf32")
    assert not at_least_as_exact("tf32", "default")
    assert at_least_as_exact("bf16", "bf16_true")
    assert not at_least_as_exact("bf16_true", "bf16")
    assert not at_least_as_exact("fp8", "bf16_amp")


def test_fp8_is_computed_where_the_tensor_cores_have_it_and_twice_as_fast_as_half() -> None:
    specs = spec_table()
    assert specs["h100-sxm"].fp8_flop_per_s == 2 * (specs["h100-sxm"].fp16_flop_per_s or 0)
    assert specs["rtx4090"].fp8_flop_per_s == 2 * (specs["rtx4090"].fp16_flop_per_s or 0)
    assert specs["a100-sxm4-80"].fp8_flop_per_s is None
    assert specs["mi300x"].fp8_flop_per_s is None  # no figure in the table says its rate
    assert rate_of(specs["h100-sxm"], "fp8") == specs["h100-sxm"].fp8_flop_per_s
    assert precisions_of_gpu(specs["a100-sxm4-80"], ("fp8", "bf16_amp")) == ("bf16_amp",)


def test_overrides_lay_new_settings_over_a_description() -> None:
    table = tomllib.loads(BASE)
    changed = load_workload(
        table,
        overrides={
            "trainable": "lora",
            "lora_targets": ["q_proj"],
            "quantization": "nf4",
            "activation_checkpointing": "full",
            "chunked_loss": True,
        },
    ).training
    assert (changed.lora_targets, changed.quantization, changed.activation_checkpointing) == (
        ("q_proj",),
        "nf4",
        "full",
    )
    assert changed.chunked_loss


@pytest.mark.parametrize(
    ("name", "asked", "left"),
    [
        ("llama_8b", {"optimizer": "adafactor"}, {"fused_optimizer": False, "attention": "flash"}),
        ("llama_8b", {"optimizer": "sgd"}, {"fused_optimizer": True}),
        ("llama_8b", {"precision": "fp32"}, {"attention": "sdpa", "fused_optimizer": True}),
        ("llama_8b", {"precision": "fp16_amp"}, {"attention": "flash"}),
        ("llama_8b_lora", {"trainable": "all"}, {"lora_rank": None, "lora_targets": None}),
        ("llama_8b_qlora", {"trainable": "all"}, {"lora_rank": None, "quantization": None, "weights_bits": None}),
        ("llama_8b_qlora", {"trainable": "head"}, {"lora_rank": None, "quantization": "nf4"}),
    ],
)
def test_a_setting_that_is_asked_for_takes_the_details_of_what_it_replaces_along(
    name: str, asked: dict[str, object], left: dict[str, object]
) -> None:
    training = load_workload(name, overrides=asked).training
    assert {field: getattr(training, field) for field in asked} == asked
    assert {field: getattr(training, field) for field in left} == left


def test_what_is_asked_for_at_once_is_refused_where_it_contradicts_itself() -> None:
    with pytest.raises(InputError, match="lora_rank"):
        load_workload("llama_8b_lora", overrides={"trainable": "all", "lora_rank": 8})
    with pytest.raises(InputError, match="attention"):
        load_workload("llama_8b", overrides={"precision": "fp32", "attention": "flash"})


@pytest.mark.parametrize("name", bundled_names())
def test_each_optimizer_and_precision_can_be_asked_for_of_each_bundled_workload(name: str) -> None:
    packed = load_workload(name).training.quantization is not None
    for optimizer in OPTIMIZERS:
        assert load_workload(name, overrides={"optimizer": optimizer}).training.optimizer == optimizer
    for precision in PRECISIONS:
        if not (packed and precision == "fp8"):  # weights are stored one way only
            assert load_workload(name, overrides={"precision": precision}).training.precision == precision


def test_adapters_of_16_bits_need_another_autocast_than_fp16(tmp_path: Path) -> None:
    halved = BASE.replace("bf16_true", "bf16_amp") + 'trainable = "lora"\nadapter_bits = 16\n'
    path = tmp_path / "own.toml"
    path.write_text(halved)
    assert load_workload(path).training.adapter_bits == 16
    path.write_text(halved.replace("bf16_amp", "fp16_amp"))
    with pytest.raises(InputError) as caught:
        load_workload(path)
    assert "training.adapter_bits" in str(caught.value)
    assert "bf16_amp" in str(caught.value.remedy)
