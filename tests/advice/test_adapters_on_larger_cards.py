"""Where no usual card holds a model, LoRA and QLoRA are answered on the smallest class of cards that does."""

from __future__ import annotations

import msgspec
import pytest

from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.advice.trial import Trial
from advisor.catalogue.precisions import Precision
from advisor.catalogue.spec_table import spec_table
from advisor.optable.saved_tables import saved_tables
from advisor.predict.prediction import Prediction
from advisor.present.switch_table import help_sentences
from advisor.recommend.candidates import DEFAULT_GPU_KEYS, LARGER_GPU_KEYS
from advisor.recommend.switches import Change, Switch, adapter_changes, switch_of
from advisor.workload.model_config import config_of
from advisor.workload.workload import HuggingFaceModel, Workload, quantization_of, with_training
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine


def trial_of(request: AdviceRequest, workload: Workload) -> Trial:
    tables = saved_tables(workload)
    return Trial(request, Facts(machine=machine(), tables=tables), workload, tables)


def answered(batch_size: int, gpu_keys: tuple[str, ...] | None = None) -> Prediction | None:
    workload = load_workload("llama_8b_lora")
    training = msgspec.structs.replace(workload.training, batch_size=batch_size)
    workload = msgspec.structs.replace(workload, training=training)
    tables = saved_tables(load_workload("llama_8b_lora"))
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=gpu_keys)
    return Trial(request, Facts(machine=machine(), tables=tables), workload, tables).on_one_card()


def test_the_usual_cards_come_first() -> None:
    held = answered(1)
    assert held is not None
    assert held.device.key in DEFAULT_GPU_KEYS
    assert held.fits is True


def test_cards_of_eighty_gigabytes_answer_where_the_usual_ones_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    specs = {
        key: spec if key in LARGER_GPU_KEYS else msgspec.structs.replace(spec, memory_bytes=8e9)
        for key, spec in spec_table().items()
    }
    monkeypatch.setattr("advisor.advice.trial.known_specs", lambda _request: specs)
    held = answered(1)
    assert held is not None
    assert held.device.key in LARGER_GPU_KEYS
    assert held.fits is True


def test_asked_cards_are_the_only_ones() -> None:
    assert answered(1, ("t4",)) is None


def test_a_job_of_adapters_is_offered_packed_weights_once_and_keeps_its_own_rank_and_layers() -> None:
    lora = load_workload("llama_8b_lora")
    (packed,) = adapter_changes(lora)
    assert packed.kind == "qlora"
    own, training = lora.training, packed.workload.training
    assert quantization_of(training) == "nf4"
    assert (training.lora_rank, training.lora_targets, training.batch_size) == (
        own.lora_rank, own.lora_targets, own.batch_size,
    )  # fmt: skip
    assert list(adapter_changes(load_workload("llama_8b_qlora"))) == []
    assert [change.kind for change in adapter_changes(load_workload("llama_8b"))] == ["lora", "qlora"]


def test_a_step_with_packed_weights_holds_less_than_with_halves_and_takes_about_as_long() -> None:
    found = {}
    for name in ("llama_8b_lora", "llama_8b_qlora"):
        workload = load_workload(name)
        trial = trial_of(AdviceRequest(workload=workload, measure=False), workload)
        predicted = trial.predicted(trial.on_cards(("h200-sxm",), 1))
        (found[name],) = (one for one in predicted if one.batch_size_per_device == 4)
    whole, packed = found["llama_8b_lora"], found["llama_8b_qlora"]
    # Each pass unpacks the weights once more; beside halves PEFT casts each layer's inputs to FP32 and back.
    assert 0.75 < packed.step_s.value / whole.step_s.value < 1.5
    assert packed.peak_memory_bytes is not None
    assert whole.peak_memory_bytes is not None
    assert packed.peak_memory_bytes.value < whole.peak_memory_bytes.value - 8e9


@pytest.mark.parametrize(
    ("parameters", "gpu_keys", "beyond"),
    [
        (140e9, None, set()),  # 280 GB in halves, on an MI350X
        (160e9, None, {"lora"}),
        (640e9, None, {"lora", "qlora"}),
        (13e9, ("rtx3090", "rtx4090"), {"lora"}),
        (560e9, ("made_up",), set()),
    ],
)
def test_adapters_are_not_traced_where_the_weights_alone_are_more_than_any_card_tried_has(
    parameters: float, gpu_keys: tuple[str, ...] | None, beyond: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    specs = spec_table()
    unknown = msgspec.structs.replace(specs["rtx3090"], key="made_up", memory_bytes=None)
    monkeypatch.setattr("advisor.advice.trial.known_specs", lambda _request: {**specs, "made_up": unknown})
    workload = load_workload("llama_8b")
    table = msgspec.structs.replace(next(iter(saved_tables(workload).values())), parameter_count=int(parameters))
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=gpu_keys)
    changes = list(adapter_changes(workload))
    facts = Facts(machine=machine(), tables={})
    trials = {change.kind: Trial(request, facts, change.workload, {}) for change in changes}
    assert {kind for kind, trial in trials.items() if trial.is_beyond_one_card(table)} == beyond
    assert not any(trial.is_beyond_one_card(None) for trial in trials.values())


@pytest.mark.parametrize("name", ["llama_8b_lora", "llama_8b_qlora"])
def test_what_holds_on_a_card_is_never_called_beyond_it(name: str) -> None:
    workload = load_workload(name)
    table = next(iter(saved_tables(workload).values()))
    seen = set()
    for key in spec_table():
        trial = trial_of(AdviceRequest(workload=workload, measure=False, gpu_keys=(key,)), workload)
        held, beyond = trial.on_one_card() is not None, trial.is_beyond_one_card(table)
        assert not (held and beyond), key
        seen |= {"held"} if held else {"beyond"} if beyond else set()
    assert "held" in seen


def checkpointed(counts: tuple[int, ...], gpu_keys: tuple[str, ...] | None = ("h100-sxm",)) -> Switch:
    work = with_training(load_workload("llama_8b"), activation_checkpointing="full")
    request = AdviceRequest(workload=work, measure=False, gpu_keys=gpu_keys, counts=counts)
    change, tables = Change(kind="checkpointing_on_cards", workload=work), saved_tables(load_workload("llama_8b"))
    held = Trial(request, Facts(machine=machine(), tables=tables), work, tables).on_cards_asked_for()
    assert held is not None
    return switch_of(change, held, None)


def test_checkpointing_is_tried_on_as_many_cards_as_were_asked_for_then_on_the_fewest_that_hold_it() -> None:
    asked, fewest = checkpointed((8, 16)), checkpointed((1,))
    assert (asked.device_key, asked.count, asked.fits) == ("h100-sxm", 8, True)
    assert fewest.device_key == "h100-sxm"
    assert 1 < fewest.count <= asked.count
    assert {asked.strategy, fewest.strategy} <= {"fsdp", "zero2", "tp"}


def test_what_checkpointing_holds_is_not_told_as_adapters() -> None:
    (told,) = help_sentences((checkpointed((8,)),), "en")
    assert told.startswith("With activation checkpointing (full) 8 × H100 SXM5 80 GB hold all of it (")
    assert "adapters" not in told


def counts_splitting(trial: Trial, counts: tuple[int, ...]) -> set[int]:
    tried = (one for count in counts for one in trial.on_cards(("h100-sxm",), count))
    return {one.count for one in tried if one.strategy == "tp"}


def test_help_splits_layers_only_among_cards_that_deal_out_whole_heads() -> None:
    work = load_workload("llama_8b")
    request = AdviceRequest(workload=work, measure=False)
    assert counts_splitting(trial_of(request, work), (8, 128)) == {8, 128}
    of_eight = msgspec.structs.replace(request, node_count=2, counts=(8, 16))
    assert counts_splitting(trial_of(of_eight, work), (8, 128)) == {8, 128}
    of_four = msgspec.structs.replace(request, node_count=2, counts=(4, 8))
    assert counts_splitting(trial_of(of_four, work), (8, 128)) == set()


@pytest.mark.parametrize(
    ("name", "split"),
    [("resnet50", set()), ("vit_base", {4}), ("gpt2_small", {4}), ("llama_8b", {4, 8}), ("unet_vgg16", set())],
)
def test_tensors_are_split_where_attention_has_whole_heads_to_deal_out_and_never_in_a_network_of_convolutions(
    name: str, split: set[int]
) -> None:
    work = load_workload(name)
    assert counts_splitting(trial_of(AdviceRequest(workload=work, measure=False), work), (4, 8)) == split


@pytest.mark.parametrize(
    ("dtype", "precision", "bits"),
    [
        ("bfloat16", "bf16_amp", 16),
        ("bfloat16", "fp16_amp", 16),
        (None, "bf16_amp", 16),  # language models without a word are published so
        ("float32", "bf16_amp", None),
        ("bfloat16", "bf16_true", None),  # in 16 bits by their precision
        ("bfloat16", "fp32", None),
    ],
)
def test_weights_that_are_frozen_for_lora_are_kept_as_they_are_published(
    dtype: str | None, precision: Precision, bits: int | None
) -> None:
    known = load_workload("llama_8b")
    assert isinstance(known.model, HuggingFaceModel)
    config = {**config_of(known.model), "dtype": dtype, "torch_dtype": dtype}
    model = msgspec.structs.replace(known.model, config={name: one for name, one in config.items() if one is not None})
    workload = with_training(msgspec.structs.replace(known, model=model), precision=precision, attention="sdpa")
    lora, qlora = adapter_changes(workload)
    assert lora.workload.training.weights_bits == bits
    assert (qlora.workload.training.weights_bits, qlora.workload.training.quantization) == (None, "nf4")
