"""Which small changes of a training script are tried for which job."""

from __future__ import annotations

import msgspec
import pytest

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import Strategy
from advisor.core.sentences import Reason
from advisor.optable.saved_tables import saved_tables
from advisor.predict.prediction import Candidate, Device, Prediction
from advisor.predict.ranges.gain_range import independent_ratio
from advisor.recommend.switches import (
    Change,
    SwitchKind,
    adapter_changes,
    applies,
    checkpointed_adapters,
    family_of,
    lighter_changes,
    plain_changes,
    reaching_changes,
    switch_of,
    traced_changes,
)
from advisor.workload.workload import Data, HuggingFaceModel, Workload, stored_bits
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import SPECS, TRANSFORMER, predict, workload

A100, V100 = SPECS["a100-sxm4-40"], SPECS["v100-sxm2-32"]


def language_model(vocabulary: int = 32_000, **training: object) -> Workload:
    """A job of a causal language model."""
    model = HuggingFaceModel(config={"vocab_size": vocabulary}, task="causal-lm")
    return msgspec.structs.replace(workload("fp32", **training), model=model)  # type: ignore[arg-type]


def advised(precision: Precision = "fp32", count: int = 1, strategy: Strategy = "single") -> Prediction:
    """The set-up that the changes start from."""
    device = Device(key="card", name="card", spec_key=None, local=False)
    candidate = Candidate(device=device, count=1, strategy="single", precision=precision, batch_size_per_device=16)
    return msgspec.structs.replace(predict(candidate, TRANSFORMER, workload()), count=count, strategy=strategy)


@pytest.mark.parametrize(
    ("training", "kinds"),
    [
        ({}, ["lora", "qlora"]),
        ({"trainable": "lora", "lora_rank": 8}, ["qlora"]),
        ({"trainable": "lora", "lora_rank": 8, "quantization": "nf4"}, []),
        ({"trainable": "lora", "lora_rank": 8, "weights_bits": 4}, []),
        ({"trainable": "head"}, []),
    ],
)
def test_adapters_are_tried_in_place_of_whole_weights_and_packed_ones_in_place_of_whole_halves(
    training: dict[str, object], kinds: list[str]
) -> None:
    changes = list(adapter_changes(language_model(**training)))  # type: ignore[arg-type]
    assert [change.kind for change in changes] == kinds
    assert all(change.workload.training.trainable == "lora" for change in changes)
    assert [change.workload.training.quantization for change in changes if change.kind == "qlora"] == ["nf4"] * (
        "qlora" in kinds
    )


def test_adapters_are_tried_for_hugging_face_models_alone() -> None:
    assert list(adapter_changes(workload())) == []


@pytest.mark.parametrize(
    ("training", "chosen", "kinds"),
    [
        ({}, advised(), {"compile", "half", "fused_optimizer", "optimizer_8bit"}),
        ({"compile": True}, advised(), {"half", "fused_optimizer", "optimizer_8bit"}),
        ({"fused_optimizer": True}, advised("bf16_amp"), {"compile", "optimizer_8bit"}),
        ({"optimizer_bits": 8}, advised(), {"compile", "half"}),
        ({"optimizer": "adafactor"}, advised("bf16_amp"), {"compile"}),
        ({"mode": "inference"}, advised(), {"compile"}),
        (
            {"optimizer": "adafactor"}, advised("bf16_amp", 2, "ddp"), {"compile", "accumulation", "sharding"},
        ),
        ({"optimizer": "adafactor"}, advised("bf16_amp", 2, "dp"), {"compile", "accumulation"}),
        (
            {"optimizer_bits": 8, "offload": "optimizer"}, advised(), {"compile", "half", "nothing_off_loaded"},
        ),
    ],
)  # fmt: skip
def test_what_is_tried_is_what_the_job_does_not_do_yet(
    training: dict[str, object], chosen: Prediction, kinds: set[str]
) -> None:
    changes = list(plain_changes(workload(**training), chosen, A100))  # type: ignore[arg-type]
    assert {change.kind for change in changes} == kinds


@pytest.mark.parametrize(("spec", "half"), [(A100, "bf16_true"), (V100, "fp16_true")])
def test_in_inference_weights_themselves_are_tried_in_16_bits(spec: GpuSpec, half: str) -> None:
    asked = workload("fp32", mode="inference")
    (tried,) = reaching_changes(asked, advised(), None, spec)
    assert (tried.kind, tried.workload.training.precision) == ("half_weights", half)
    assert not list(reaching_changes(asked, advised("bf16_true"), None, spec))


@pytest.mark.parametrize(("spec", "half"), [(A100, "bf16_amp"), (V100, "fp16_amp")])
def test_the_half_format_that_is_tried_is_one_that_the_card_computes_in(spec: object, half: str) -> None:
    changes = plain_changes(workload(), advised(), spec)  # type: ignore[arg-type]
    assert [change.workload.training.precision for change in changes if change.kind == "half"] == [half]


def test_what_is_off_loaded_by_wish_stays_on_the_cards_in_the_alternatives_without_it() -> None:
    off_loading = workload("bf16_amp", offload="optimizer")
    further = [*plain_changes(off_loading, advised("bf16_amp"), A100), *lighter_changes(off_loading, advised())]
    freed = [
        one.workload.training.offload for one in further if one.kind in {"nothing_off_loaded", "checkpointing_on_cards"}
    ]
    assert freed == ["none", "none"]


def test_a_trace_of_its_own_is_asked_for_what_changes_the_operators() -> None:
    image = msgspec.structs.replace(workload("fp16_amp"), data=Data(samples=100, image_size=32))
    eager = workload("fp16_amp", attention="eager", activation_checkpointing="full")
    tried = {
        "image": {change.kind for change in traced_changes(image, advised("fp16_amp"), A100)},
        "image in FP32": {change.kind for change in traced_changes(image, advised(), A100)},
        "eager": {change.kind for change in traced_changes(eager, advised("fp16_amp"), A100)},
        "a card of FP8": {change.kind for change in traced_changes(eager, advised("fp16_amp"), SPECS["l40s"])},
        "inference": {change.kind for change in traced_changes(workload(mode="inference"), advised(), A100)},
        "no round vocabulary": {change.kind for change in traced_changes(language_model(32_001), advised(), A100)},
        "a round one": {change.kind for change in traced_changes(language_model(), advised(), A100)},
    }
    assert tried == {
        "image": {"channels_last", "checkpointing"},
        "image in FP32": {"checkpointing"},
        "eager": {"sdpa"},
        "a card of FP8": {"sdpa", "fp8"},
        "inference": set(),
        "no round vocabulary": {"checkpointing", "chunked_loss", "lora", "qlora", "padded_vocabulary"},
        "a round one": {"checkpointing", "chunked_loss", "lora", "qlora"},
    }


@pytest.mark.parametrize("mode", ["training", "inference"])
def test_flash_kernels_are_tried_where_a_model_runs_eagerly_for_want_of_sdpa(mode: str) -> None:
    eager = Reason.of("workload-attention-eager-unless-flash", model="gemma2")
    job = language_model(mode=mode)
    plain = next(iter(saved_tables(load_workload("gpt2_small")).values()))
    for caveats, kinds in (((eager,), ["flash"]), ((), [])):
        table = msgspec.structs.replace(plain, caveats=caveats)
        tried = [one for one in reaching_changes(job, advised("bf16_true"), table, A100) if one.kind == "flash"]
        assert [one.kind for one in tried] == kinds
        assert all(one.workload.training.attention == "flash" for one in tried)


def test_a_vocabulary_is_padded_to_the_next_multiple_of_64() -> None:
    padded = next(
        one for one in traced_changes(language_model(32_001), advised(), A100) if one.kind == "padded_vocabulary"
    )
    assert isinstance(padded.workload.model, HuggingFaceModel)
    assert padded.workload.model.config == {"vocab_size": 32_064}


def test_a_vocabulary_is_padded_by_a_bundled_name_too_and_only_where_a_layer_multiplies_by_it() -> None:
    def padded(name: str) -> list[object]:
        changes = traced_changes(load_workload(name), advised(), A100)
        models = [change.workload.model for change in changes if change.kind == "padded_vocabulary"]
        return [model.config["vocab_size"] for model in models]  # type: ignore[union-attr, index]

    assert padded("gpt2_small") == [50_304]
    assert padded("whisper_small") == [51_904]
    assert padded("bert_base_sst2") == padded("resnet50") == []


def test_what_is_for_linear_layers_is_tried_where_they_do_most_of_the_work() -> None:
    for name, tried in (("resnet50", False), ("vit_base", True), ("bert_base_sst2", True)):
        job = load_workload(name)
        table = next(iter(saved_tables(job).values()))
        changes = list(traced_changes(job, advised("fp16_amp"), SPECS["l40s"]))
        reached = {change.kind for change in changes if applies(change, table)}
        assert {"fp8", "lora", "qlora"} <= {change.kind for change in changes}
        assert {"fp8", "lora", "qlora"} & reached == ({"fp8", "lora", "qlora"} if tried else set()), name
        assert "checkpointing" in reached
    assert applies(next(iter(adapter_changes(language_model()))), None)


@pytest.mark.parametrize(
    ("training", "kind"),
    [
        ({"trainable": "lora", "quantization": "nf4"}, "fp8"),
        ({"trainable": "lora", "weights_bits": 8}, "fp8"),
        ({"offload": "activations"}, "checkpointing"),
    ],
)
def test_what_a_workload_file_may_not_say_together_is_no_switch(training: dict[str, object], kind: SwitchKind) -> None:
    job = language_model(**training)  # type: ignore[arg-type]
    changes = {one.kind: one for one in traced_changes(job, advised("bf16_true"), SPECS["l40s"])}
    assert not applies(changes[kind], None)
    plain = {one.kind: one for one in traced_changes(language_model(), advised("bf16_true"), SPECS["l40s"])}
    assert applies(plain[kind], None)


def test_what_is_stepped_in_backward_accumulates_nothing() -> None:
    for in_backward in (False, True):
        job = language_model(optimizer_in_backward=in_backward)
        kinds = {one.kind for one in plain_changes(job, advised("bf16_true", 2, "fsdp"), A100)}
        assert ("accumulation" in kinds) is not in_backward


@pytest.mark.parametrize(
    ("trainable", "bits", "precision", "left"),
    [
        ("lora", None, "bf16_true", 16),
        ("lora", 32, "bf16_true", 32),
        ("lora", None, "bf16_amp", None),
        ("all", None, "bf16_true", None),
    ],
)
def test_frozen_weights_of_sixteen_bits_stay_so_under_products_in_fp8(
    trainable: str, bits: int | None, precision: Precision, left: int | None
) -> None:
    job = language_model(trainable=trainable, weights_bits=bits)
    changes = traced_changes(job, advised(precision), SPECS["l40s"])
    changed = next(one.workload.training for one in changes if one.kind == "fp8")
    assert (changed.precision, changed.weights_bits) == ("fp8", left)


def test_channels_last_is_tried_where_more_than_the_patches_are_convolutions() -> None:
    for name, tried in (("resnet50", True), ("unet_vgg16", True), ("vit_base", False)):
        job = load_workload(name)
        table = next(iter(saved_tables(job).values()))
        change = Change(kind="channels_last", workload=job)
        assert applies(change, table) is tried, name


def test_pairs_of_an_optimizer_that_stepped_every_weight_tell_nothing_of_adapters() -> None:
    before = advised("bf16_true")
    for trainable, told in (("all", True), ("lora", False)):
        changes = plain_changes(language_model(trainable=trainable), before, A100)
        switches = {change.kind: switch_of(change, before, before) for change in changes}
        assert (switches["fused_optimizer"].published is not None) is told
        assert switches["compile"].published is not None


def test_adapters_that_no_card_holds_are_tried_with_checkpointing_on_whole_weights_first() -> None:
    whole, packed = checkpointed_adapters(language_model())
    assert (whole.kind, packed.kind) == ("lora_checkpointing", "qlora_checkpointing")
    assert stored_bits(whole.workload.training) is None
    assert stored_bits(packed.workload.training) == 4
    for lighter in (whole, packed):
        assert lighter.workload.training.activation_checkpointing == "full"
        again = checkpointed_adapters(lighter.workload)
        assert not list(again), "what has checkpointing would be traced and predicted once more"
    assert [one.kind for one in checkpointed_adapters(language_model(trainable="lora"))] == ["qlora_checkpointing"]


def test_a_job_is_like_the_published_runs_of_its_kind_or_like_none() -> None:
    images = msgspec.structs.replace(language_model(), data=Data(samples=100, image_size=224))
    assert family_of(images) == "vision"
    assert family_of(language_model()) == "language"
    assert family_of(workload("fp32")) is None


def test_a_card_without_half_formats_has_none_to_try() -> None:
    bare = msgspec.structs.replace(A100, bf16_flop_per_s=None, fp16_flop_per_s=None)
    assert "half" not in {one.kind for one in plain_changes(workload("fp32"), advised(), bare)}


def test_a_switch_tells_how_many_times_as_fast_it_is_and_what_memory_it_spares() -> None:
    before = advised()
    assert before.peak_memory_bytes is not None
    changed = msgspec.structs.replace(
        before,
        step_s=before.step_s.scaled(1 / 1.5),
        parts=tuple(msgspec.structs.replace(part, duration_s=part.duration_s / 1.5) for part in before.parts),
        samples_per_s=before.samples_per_s.scaled(1.5),
        peak_memory_bytes=before.peak_memory_bytes.scaled(0.75),
    )
    change = next(iter(plain_changes(workload("fp32"), before, A100)))
    told = switch_of(change, changed, before)
    assert told.gain is not None
    assert told.gain.value == pytest.approx(1.5)
    assert told.gain.low < 1.5 < told.gain.high
    assert told.saved_bytes == pytest.approx(0.25 * before.peak_memory_bytes.value)
    alone = switch_of(change, changed, None)
    assert (alone.kind, alone.gain, alone.saved_bytes) == (change.kind, None, None)
    unsolved = switch_of(change, msgspec.structs.replace(changed, peak_memory_bytes=None), before)
    assert (unsolved.gain, unsolved.saved_bytes) == (told.gain, None)


def test_a_loss_in_pieces_is_tried_for_language_models_that_do_not_take_it_so_already() -> None:
    pieces = language_model(chunked_loss=True)
    classes = msgspec.structs.replace(
        pieces, model=msgspec.structs.replace(pieces.model, task="sequence-classification")
    )
    for whole, tried in ((language_model(), True), (pieces, False), (classes, False)):
        assert ("chunked_loss" in {change.kind for change in traced_changes(whole, advised(), A100)}) is tried


def test_a_task_that_only_the_configuration_names_has_the_same_switches() -> None:
    named = language_model(32_001)
    assert isinstance(named.model, HuggingFaceModel)
    assert isinstance(named.model.config, dict)
    config = {**named.model.config, "model_type": "llama", "architectures": ["LlamaForCausalLM"]}
    unnamed = msgspec.structs.replace(named, model=HuggingFaceModel(config=config))
    kinds = [[change.kind for change in traced_changes(job, advised("bf16_amp"), A100)] for job in (named, unnamed)]
    assert kinds[0] == kinds[1]
    assert {"chunked_loss", "fused_layers"} <= set(kinds[1])
    assert family_of(unnamed) == family_of(named) == "language"


def test_fused_layers_are_tried_in_half_for_models_with_root_mean_square_norms() -> None:
    def tried(name: str, precision: Precision) -> bool:
        job = load_workload(name)
        table = next(iter(saved_tables(job).values()))
        changes = traced_changes(job, advised(precision), A100)
        return "fused_layers" in {change.kind for change in changes if applies(change, table)}

    assert tried("llama_8b", "bf16_true")
    assert not tried("llama_8b", "fp32")
    assert not tried("gpt2_small", "bf16_amp")
    assert not tried("bert_base_sst2", "bf16_amp")
    asked = language_model(fused_layers=True)
    assert "fused_layers" not in {change.kind for change in traced_changes(asked, advised("bf16_true"), A100)}


def test_what_a_preparation_left_whole_is_tried_in_half() -> None:
    def tried(bits: int | None) -> list[int | None]:
        job = language_model(trainable="lora", quantization="nf4", unpacked_bits=bits)
        changes = [change for change in traced_changes(job, advised("bf16_amp"), A100) if applies(change, None)]
        return [change.workload.training.unpacked_bits for change in changes if change.kind == "unpacked_half"]

    assert (tried(32), tried(16), tried(None)) == ([16], [], [])


def test_what_changes_how_cards_share_the_work_errs_as_two_independent_steps() -> None:
    before = advised()
    for kind in ("sharding", "accumulation", "checkpointing_on_cards", "fp8"):
        told = switch_of(Change(kind=kind, workload=workload("fp32")), before, before)
        assert told.gain == independent_ratio(before.samples_per_s, before.samples_per_s)
