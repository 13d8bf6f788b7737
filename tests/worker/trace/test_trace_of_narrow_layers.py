"""Quantised and FP8 layers are traced with the bytes they store, the work of unpacking them, and narrow products."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.optable.op_table import OpTable, at, step_flop
from advisor.optable.unpacked_weights import unpacked_weights_of
from advisor.worker.models.load_model import load
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload
from tests.cost.small_tables import need_of

WIDTH, INNER, LAYERS, LENGTH, BATCH = 256, 512, 3, 64, 8
LINEAR_WEIGHTS = LAYERS * (2 * WIDTH * WIDTH + 2 * WIDTH * WIDTH // 2 + 3 * WIDTH * INNER)
LLAMA = {
    "model_type": "llama",
    "hidden_size": WIDTH,
    "intermediate_size": INNER,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 4096,
    "architectures": ["LlamaForCausalLM"],
}
GPT2 = {
    "model_type": "gpt2",
    "n_embd": WIDTH,
    "n_inner": INNER,
    "n_layer": LAYERS,
    "n_head": 4,
    "n_positions": LENGTH,
    "vocab_size": 4096,
    "architectures": ["GPT2LMHeadModel"],
}
EXPERTS = 4
MIXTRAL = {**LLAMA, "model_type": "mixtral", "num_local_experts": EXPERTS, "architectures": ["MixtralForCausalLM"]}


def small(config: dict[str, Any] = LLAMA, **training: Any) -> Workload:
    return load_workload(
        {
            "name": "small",
            "model": {"source": "huggingface", "config": dict(config)},
            "data": {"samples": 1000, "sequence_length": LENGTH},
            "training": {"precision": "bf16_amp", "batch_size": BATCH, **training},
        }
    )


def traced(config: dict[str, Any] = LLAMA, **training: Any) -> OpTable:
    """The table of a step, which is frozen: the same question is traced once for all tests."""
    return _traced(json.dumps([config, training], sort_keys=True))


@cache
def _traced(asked: str) -> OpTable:
    config, training = json.loads(asked)
    workload = small(config, **training)
    precision = TRACE_PRECISIONS[workload.training.precision]
    return trace(subject_of(workload, precision), precision)


def calls(table: OpTable, name: str, phase: str | None = None) -> int:
    return sum(op.count for op in table.ops if op.name == name and phase in {None, op.phase})


def moved(table: OpTable, name: str | None = None) -> float:
    named = (op for op in table.ops if name in {None, op.name})
    return sum(op.count * (at(op.read_bytes, BATCH) + at(op.written_bytes, BATCH)) for op in named)


@pytest.mark.parametrize(
    ("scheme", "bits", "least", "most"),
    [("nf4", None, 4.1, 4.2), ("gptq", None, 4.15, 4.25), ("gptq", 8, 8.15, 8.25), ("int8", None, 8.0, 8.2)],
)
def test_packed_weights_take_their_bits_and_their_scales(
    scheme: str, bits: int | None, least: float, most: float
) -> None:
    plain = traced(trainable="lora", weights_bits=16)
    packed = traced(trainable="lora", quantization=scheme, weights_bits=bits)
    assert packed.parameter_count == plain.parameter_count
    assert packed.trainable_parameter_count == plain.trainable_parameter_count
    saved_bytes = plain.parameter_bytes - packed.parameter_bytes
    assert least < 8 * (2.0 - saved_bytes / LINEAR_WEIGHTS) < most
    assert packed.caveats == ()


@pytest.mark.parametrize(("scheme", "bits"), [("nf4", 4), ("gptq", 4), ("int8", 8)])
def test_projections_of_gpt2_are_packed_too_though_they_are_kept_transposed(scheme: str, bits: int) -> None:
    plain, packed = traced(GPT2, trainable="lora", weights_bits=16), traced(GPT2, trainable="lora", quantization=scheme)
    projections = LAYERS * (4 * WIDTH * WIDTH + 2 * WIDTH * INNER)
    assert packed.parameter_count == plain.parameter_count
    saved_bytes = plain.parameter_bytes - packed.parameter_bytes
    assert bits <= 8 * (2.0 - saved_bytes / projections) < bits + 0.3
    assert step_flop(packed, BATCH) == pytest.approx(step_flop(plain, BATCH), rel=1e-3)


def test_nf4_weights_are_made_anew_in_forward_and_in_backward() -> None:
    table = traced(trainable="lora", quantization="nf4")
    linear_layers = 7 * LAYERS
    assert calls(table, "dequantise_blocks", "forward") == linear_layers
    # The first layer's inputs need no gradient: its query, key and value have no product in backward.
    assert calls(table, "dequantise_blocks", "backward") == linear_layers - 3
    again = traced(trainable="lora", quantization="nf4", activation_checkpointing="full")
    assert calls(again, "dequantise_blocks") > 2 * linear_layers
    written = sum(op.count * at(op.written_bytes, 1) for op in table.ops if op.name == "dequantise_blocks")
    assert written == pytest.approx(2 * 2 * LINEAR_WEIGHTS, rel=0.1)


def test_a_step_on_quantised_weights_unpacks_them_twice_and_needs_less_memory() -> None:
    plain, packed = traced(trainable="lora", weights_bits=16), traced(trainable="lora", quantization="nf4")
    assert moved(packed, "dequantise_blocks") > 2 * 2 * LINEAR_WEIGHTS
    assert moved(plain, "dequantise_blocks") == 0
    assert step_flop(packed, BATCH) == pytest.approx(step_flop(plain, BATCH), rel=1e-3)
    needs = []
    for table, training in ((plain, small(trainable="lora").training), (packed, small(trainable="lora").training)):
        need = need_of(table, training, "bf16_amp", 1, compute_capability="8.0")
        needs.append(need.need_bytes)
    assert needs[1] < needs[0]


def test_what_is_not_packed_is_whole_after_pefts_preparation_and_so_is_what_flows_between_layers() -> None:
    halves, whole = (traced(trainable="lora", quantization="nf4", unpacked_bits=bits) for bits in (None, 32))
    unpacked = 2 * 4096 * WIDTH + (2 * LAYERS + 1) * WIDTH
    assert whole.parameter_bytes - halves.parameter_bytes == 2 * unpacked
    assert whole.trainable_parameter_bytes == halves.trainable_parameter_bytes
    assert step_flop(whole, BATCH) == pytest.approx(step_flop(halves, BATCH), rel=1e-3)
    assert moved(whole, "dequantise_blocks") == moved(halves, "dequantise_blocks")
    assert 1.2 * moved(halves) < moved(whole) < 2 * moved(halves)
    live = [
        need_of(table, small(trainable="lora").training, "bf16_amp", BATCH).allocated_bytes for table in (halves, whole)
    ]
    assert live[1] > live[0] + 2 * unpacked


@pytest.mark.parametrize(("bits", "said"), [(None, True), (16, False), (32, False)])
def test_a_preparation_that_nobody_spoke_of_is_said_to_be_left_out(bits: int | None, said: bool) -> None:
    loaded = load(small(trainable="lora", quantization="nf4", unpacked_bits=bits))
    assert ("workload-weights-not-prepared" in {note.code for note in loaded.notes}) == said


@pytest.mark.parametrize(("scheme", "name"), [("nf4", "dequantise_blocks"), ("gptq", "dequantise_groups")])
def test_packed_experts_are_made_anew_one_after_the_other(scheme: str, name: str) -> None:
    plain, packed = (
        traced(MIXTRAL, trainable="lora", weights_bits=16),
        traced(MIXTRAL, trainable="lora", quantization=scheme),
    )
    made = [op for op in packed.ops if op.name == name and op.phase == "forward"]
    projections, stacks = 4 * LAYERS, 2 * LAYERS * EXPERTS
    assert sum(op.count for op in made) == projections + stacks
    assert max(at(op.written_bytes, BATCH) for op in made) == 2 * 2 * WIDTH * INNER
    assert step_flop(packed, BATCH) == pytest.approx(step_flop(plain, BATCH), rel=1e-3)
    live = [
        need_of(table, small(trainable="lora").training, "bf16_amp", BATCH).allocated_bytes for table in (plain, packed)
    ]
    saved = 1.5 * LAYERS * EXPERTS * 3 * WIDTH * INNER  # half a byte in the place of two
    assert live[0] - live[1] > saved


def test_gptq_weights_are_made_anew_in_forward_and_in_backward_by_one_kernel_each() -> None:
    table = traced(trainable="lora", quantization="gptq")
    assert calls(table, "dequantise_groups", "forward") == 7 * LAYERS
    assert calls(table, "dequantise_groups", "backward") == 7 * LAYERS - 3
    unpacked = unpacked_weights_of(table)
    assert unpacked.forward_weights == LINEAR_WEIGHTS
    assert 0.9 * LINEAR_WEIGHTS < unpacked.backward_weights < LINEAR_WEIGHTS


@pytest.mark.parametrize("scheme", ["nf4", "gptq"])
def test_no_more_is_computed_again_of_a_block_on_quantised_weights_than_of_one_on_plain_weights(scheme: str) -> None:
    """Their products save nothing that checkpointing sees: a block's last one, and its weights, are left out."""
    plain = traced(trainable="lora", weights_bits=16, activation_checkpointing="full")
    packed = traced(trainable="lora", quantization=scheme, activation_checkpointing="full")
    assert step_flop(packed, BATCH) == pytest.approx(step_flop(plain, BATCH), rel=1e-6)


def test_int8_layers_multiply_bytes_forward_and_dequantise_backward() -> None:
    table = traced(trainable="lora", quantization="int8")
    products = [op for op in table.ops if op.name == "byte_product"]
    assert {op.element_bytes for op in products} == {1}
    assert {op.phase for op in products} == {"forward"}
    assert calls(table, "dequantise_blocks", "forward") == 0
    assert calls(table, "dequantise_blocks", "backward") > 0


EXPERT_WEIGHTS = LAYERS * 4 * 3 * WIDTH * INNER


@pytest.mark.parametrize("scheme", ["nf4", "gptq"])
def test_experts_are_packed_like_every_frozen_layer(scheme: str) -> None:
    plain = traced(MIXTRAL, trainable="lora", weights_bits=16)
    packed = traced(MIXTRAL, trainable="lora", quantization=scheme)
    assert packed.parameter_count == plain.parameter_count
    assert plain.parameter_bytes - packed.parameter_bytes > 1.4 * EXPERT_WEIGHTS


@pytest.mark.parametrize(("scheme", "bits"), [("nf4", 4), ("int8", 8)])
def test_what_stacks_of_experts_take_where_linear_layers_alone_are_packed_is_said(scheme: str, bits: int) -> None:
    assert _more_bytes(MIXTRAL, scheme) == [EXPERT_WEIGHTS * (16 - bits) / 8]
    assert _more_bytes(LLAMA, scheme) == _more_bytes(MIXTRAL, "gptq") == []


def _more_bytes(config: dict[str, Any], scheme: str) -> list[object]:
    subject = subject_of(small(config, trainable="lora", quantization=scheme), "fp32")
    trace(subject, "fp32")
    return [note.numbers["more_bytes"] for note in subject.notes or () if note.code == "workload-experts-whole"]


@pytest.mark.parametrize("recipe", ["tensorwise", "rowwise", "transformer_engine"])
def test_fp8_layers_have_three_narrow_products_and_the_head_none(recipe: str) -> None:
    table, plain = traced(precision="fp8", fp8_recipe=recipe), traced()
    narrow = [op for op in table.ops if op.name == "byte_product"]
    assert sum(op.count for op in narrow) == 3 * 7 * LAYERS
    assert {op.element_bytes for op in narrow} == {1}
    assert step_flop(table, BATCH) == pytest.approx(step_flop(plain, BATCH), rel=1e-6)
    assert table.parameter_bytes == plain.parameter_bytes
    wide = [op for op in table.ops if op.kind == "matmul" and op.element_bytes == 2]
    assert sum(op.count for op in wide) >= 3  # the head's
    assert table.caveats == ()


def test_each_fp8_recipe_scales_in_passes_of_its_own() -> None:
    tensorwise, rowwise = traced(precision="fp8"), traced(precision="fp8", fp8_recipe="rowwise")
    delayed = traced(precision="fp8", fp8_recipe="transformer_engine")
    layers = 7 * LAYERS
    assert (calls(tensorwise, "fp8_amax"), calls(tensorwise, "fp8_cast")) == (5 * layers, 3 * layers)
    assert (calls(rowwise, "fp8_column_amax"), calls(rowwise, "fp8_cast")) == (3 * layers, 3 * layers)
    assert calls(rowwise, "fp8_amax") == calls(tensorwise, "fp8_rescale") == 0
    assert calls(tensorwise, "fp8_cast_columns") == calls(rowwise, "fp8_cast_columns") == 3 * layers
    assert calls(rowwise, "fp8_rescale") == 2 * layers
    assert calls(delayed, "fp8_cast_transpose") == 3 * layers
    assert calls(delayed, "fp8_amax") == 0


def _fused_count(table: OpTable) -> int:
    assert table.compiled is not None
    return sum(op.count for op in table.compiled.ops if op.kind == "fused")


def test_a_compiled_cast_reads_anew_what_its_scale_was_found_in_and_checkpointing_keeps_the_scale() -> None:
    tensorwise, delayed = (
        traced(precision="fp8", fp8_recipe=recipe) for recipe in ("tensorwise", "transformer_engine")
    )
    passes = [_fused_count(tensorwise), _fused_count(delayed)]
    layers = 7 * LAYERS
    assert passes[0] >= passes[1] + 3 * layers  # queries, keys and values share the scale of what they read
    again = traced(precision="fp8", activation_checkpointing="selective")
    assert calls(again, "fp8_amax") == calls(tensorwise, "fp8_amax")
    assert calls(again, "fp8_cast") > calls(tensorwise, "fp8_cast")


def test_adapters_that_sharding_cast_are_as_narrow_as_the_weights_beside_them() -> None:
    workload = small(trainable="lora", lora_rank=4)
    kept, cast = (trace(subject_of(workload, name), name) for name in ("half", "half_cast"))
    assert (cast.precision, cast.caveats) == ("half_cast", ())
    assert cast.gradient_bytes == kept.gradient_bytes / 2 > 0
    assert {op.element_bytes for op in kept.ops if op.kind == "matmul"} == {2, 4}
    assert {op.element_bytes for op in cast.ops if op.kind == "matmul"} == {2}
    assert step_flop(cast, BATCH) == step_flop(kept, BATCH)


def test_what_is_cast_along_its_columns_is_read_once_more() -> None:
    ops = traced(precision="fp8", fp8_recipe="rowwise").ops
    casts = [op for op in ops if op.name in {"fp8_cast", "fp8_cast_columns"}]
    assert casts
    for op in casts:
        reads = 2 if op.name == "fp8_cast_columns" else 1
        taken, written = at(op.read_bytes, BATCH), at(op.written_bytes, BATCH)
        assert taken == pytest.approx(reads * 2 * written, rel=0.01) or op.element_bytes == 4


@pytest.mark.parametrize("recipe", ["tensorwise", "rowwise", "transformer_engine"])
def test_fp8_on_weights_that_sharding_cast_runs_the_same_products_and_moves_less(
    recipe: str,
) -> None:
    workload = small(precision="fp8", fp8_recipe=recipe)
    whole, cast = traced(precision="fp8", fp8_recipe=recipe), trace(subject_of(workload, "fp8_cast"), "fp8_cast")
    assert (cast.precision, cast.caveats) == ("fp8_cast", ())
    assert cast.parameter_bytes == whole.parameter_bytes / 2
    assert step_flop(cast, BATCH) == pytest.approx(step_flop(whole, BATCH), rel=1e-6)
    for name in ("byte_product", "fp8_amax", "fp8_cast", "fp8_cast_columns", "fp8_cast_transpose"):
        assert calls(cast, name) == calls(whole, name)
    moved = [sum(op.count * at(op.read_bytes, BATCH) for op in table.ops) for table in (cast, whole)]
    assert moved[0] < 0.85 * moved[1]


def test_selective_checkpointing_computes_every_second_product_again_and_full_all_of_a_block() -> None:
    none, selective, full = (traced(activation_checkpointing=kind) for kind in ("none", "selective", "full"))
    forward = sum(op.count * at(op.flop, BATCH) for op in none.ops if op.phase == "forward")
    head = 2.0 * BATCH * LENGTH * WIDTH * 4096
    # A block's last product is not computed again: nothing in backward needs its result.
    last = LAYERS * 2.0 * BATCH * LENGTH * WIDTH * INNER
    assert step_flop(full, BATCH) - step_flop(none, BATCH) == pytest.approx(forward - head - last, rel=0.01)
    # Of query, key, value, output, gate, up and down: key, output and up.
    again = LAYERS * 2.0 * BATCH * LENGTH * WIDTH * (WIDTH // 2 + WIDTH + INNER)
    assert step_flop(selective, BATCH) - step_flop(none, BATCH) == pytest.approx(again, rel=1e-6)
    assert moved(none) < moved(selective) < moved(full)


def test_chunked_logits_are_never_whole() -> None:
    whole, chunked = traced(), traced(chunked_loss=True)

    def largest(table: OpTable) -> float:
        assert table.memory is not None
        sizes = zip(table.memory.size0_bytes, table.memory.size1_bytes, strict=True)
        return max(base + slope * BATCH for base, slope in sizes)

    logits = 4.0 * BATCH * LENGTH * 4096
    assert largest(whole) >= logits
    assert largest(chunked) < logits
    assert step_flop(chunked, BATCH) == pytest.approx(step_flop(whole, BATCH), rel=1e-6)


@pytest.mark.parametrize("scheme", ["nf4", "int8"])
def test_products_by_weights_of_4_bits_keep_no_inputs_but_in_earlier_releases_and_those_of_bytes_at_every_one(
    scheme: str,
) -> None:
    """bitsandbytes 0.43.2 lets go of what a frozen weight's product never reads again."""
    workload = small(trainable="lora", quantization=scheme, lora_targets=["q_proj", "v_proj"])
    today, then = (
        trace(subject_of(workload, "amp", packed_inputs_kept=kept), "amp", checked=False) for kept in (False, True)
    )
    needs = [need_of(table, workload.training, "bf16_amp", BATCH).allocated_bytes for table in (today, then)]
    gates = 2 * BATCH * LENGTH * LAYERS * INNER  # what the last projection of a block reads, and nothing else keeps
    assert [(op.name, op.count) for op in today.ops] == [(op.name, op.count) for op in then.ops]
    if scheme == "nf4":
        assert needs[1] - needs[0] >= gates
    else:
        assert needs[0] == needs[1]
