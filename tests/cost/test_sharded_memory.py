"""Memory of one device of a sharded job: parts that add up, shares that only shrink, what a peak counts."""

from __future__ import annotations

import lzma

import msgspec
import numpy as np
import pytest

from advisor.catalogue.precisions import Precision, TracePrecision
from advisor.cost.layout import DataParallel, Layout
from advisor.cost.memory.largest_batch import largest_batch
from advisor.cost.memory.need import MemoryKind, answered, memory_question, published_bytes
from advisor.cost.memory.replay import Stream, stream_of, update_bytes
from advisor.cost.memory.sharding import output_bytes, shares_of
from advisor.cost.scaling.sharded_precision import brings_whole_layers, precision_in_layout, runs_whole_layers
from advisor.optable.op_table import ALLOCATE, Affine, OpTable
from advisor.workload.workload import Training
from tests.accuracy.language_model_memory import TABLES as LLM_TABLES
from tests.accuracy.tables import load_table
from tests.cost.small_tables import need_of

GIB = 2**30


def bert(precision: TracePrecision = "fp32") -> OpTable:
    return load_table("bert_base_squad", 384, precision, "training")


def training(**changes: object) -> Training:
    return msgspec.structs.replace(Training(precision="fp32", batch_size=8), **changes)


LAYOUTS = tuple(
    Layout(data_parallel=kind, count=count, tensor=tensor, host_size=8)
    for kind in ("ddp", "zero1", "zero2", "fsdp", "hsdp")
    for count, tensor in ((8, 1), (64, 1), (64, 8))
) + tuple(
    Layout(data_parallel=kind, count=64, tensor=2, pipeline=4, context=2, host_size=8)
    for kind in ("ddp", "zero1", "zero2", "fsdp", "hsdp")
)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_parts_of_a_layouts_need_add_up(layout: Layout) -> None:
    found = need_of(bert(), training(), "fp32", 4, compute_capability="8.0", layout=layout)
    assert sum(part.size_bytes for part in found.parts) == pytest.approx(found.need_bytes)
    assert all(part.size_bytes >= 0 for part in found.parts)


@pytest.mark.parametrize("layout", LAYOUTS[2::5])
def test_more_memory_never_lowers_the_largest_batch_of_a_layout(layout: Layout) -> None:
    question = memory_question(bert(), training(), "fp32", compute_capability="8.0", layout=layout)
    assert question is not None
    found = [largest_batch(question, capacity * GIB, tolerance_fraction=0.1) for capacity in (1, 4, 11, 24, 80)]
    assert found == sorted(found)
    assert found[-1] > found[0]


@pytest.mark.parametrize("kind", ["zero1", "zero2", "fsdp"])
def test_more_shards_never_need_more_of_a_device(kind: DataParallel) -> None:
    found = [_layout_need(Layout(data_parallel=kind, count=count)) for count in (2, 4, 8, 64, 1024)]
    assert found == sorted(found, reverse=True)


def test_each_stage_of_sharding_holds_less_than_the_one_before() -> None:
    kinds: tuple[DataParallel, ...] = ("ddp", "zero2", "fsdp")
    found = [_layout_need(Layout(data_parallel=kind, count=8)) for kind in kinds]
    assert found == sorted(found, reverse=True)
    within = _layout_need(Layout(data_parallel="hsdp", count=64, host_size=8))
    assert within == pytest.approx(_layout_need(Layout(data_parallel="fsdp", count=8)))


def test_fully_sharded_adam_holds_a_shard_of_weights_gradients_and_three_fp32_copies() -> None:
    """foreach Adam at the height of its step: weights, gradients, two moments and one temporary, 20 bytes each."""
    table, layout = bert("half"), Layout(data_parallel="fsdp", count=8)
    question = memory_question(table, training(precision="bf16"), "bf16", compute_capability="8.0", layout=layout)
    assert question is not None
    count = table.parameter_count
    at_update = update_bytes(question.stream, question.setup, 1) - question.workspace_bytes
    assert at_update == pytest.approx(20 * count / 8, rel=0.02)


def test_what_a_peak_counts_grows_from_tensors_to_segments_to_the_whole_process() -> None:
    question = memory_question(bert(), training(), "fp32", compute_capability="8.0", layout=Layout(count=8))
    assert question is not None
    kinds: tuple[MemoryKind, ...] = ("allocated", "reserved", "device")
    allocated, reserved, device = (published_bytes(question, 8, kind, 80 * GIB) for kind in kinds)
    assert allocated < reserved < device
    assert device - reserved == pytest.approx(question.context_bytes + question.shares.library_bytes)


@pytest.mark.parametrize("layout", [None, Layout(count=8)])
def test_segments_that_a_card_has_no_room_for_are_given_back(layout: Layout | None) -> None:
    question = memory_question(bert(), training(), "fp32", compute_capability="8.0", layout=layout)
    assert question is not None
    beside = question.context_bytes + question.shares.library_bytes
    allocated, boundless = (published_bytes(question, 8, kind, None) for kind in ("allocated", "reserved"))
    scarce = published_bytes(question, 8, "reserved", beside + (allocated + boundless) / 2)
    assert allocated < scarce < boundless


def test_a_pipelines_first_stage_holds_no_logits_and_its_last_one_batch_in_flight() -> None:
    table = load_gpt()
    assert table.memory is not None
    logits = output_bytes(table)
    first, last = (
        Stream.sharded(
            table.memory, shares_of(FOUR_STAGES, table, "fp16", micro_batch_count=8, last_stage=last), logits
        )
        for last in (False, True)
    )
    assert not first.sized_like(logits).any()
    assert last.sized_like(logits).any()
    whole = stream_of(table.memory)
    assert kept_bytes(first) == pytest.approx(kept_bytes(whole) - logits_kept(whole, logits), rel=1e-6)
    layers = kept_bytes(whole) - logits_kept(whole, logits)
    assert kept_bytes(last) == pytest.approx(layers / 4 + logits_kept(whole, logits), rel=1e-6)


def test_a_pipeline_that_is_not_full_keeps_fewer_batches() -> None:
    table = load_gpt()
    kept = [shares_of(FOUR_STAGES, table, "fp16", micro_batch_count=count).kept for count in (1, 2, 4, 8)]
    assert kept == [0.25, 0.5, 1.0, 1.0]


def test_no_stage_of_a_pipeline_holds_less_than_the_largest_tensor() -> None:
    """A recommender of one table of rows: eight stages share its other layers, and one of them has the table."""
    whole = 100.0 * 2**20
    table = msgspec.structs.replace(
        bert(),
        parameter_bytes=whole,
        trainable_tensor_bytes=(0.9 * whole, 0.06 * whole, 0.04 * whole),
        block_parameter_bytes=(),
        memory=None,
    )
    held = [shares_of(Layout(count=n, pipeline=n), table, "fp32").parameters for n in (2, 4, 8)]
    assert held == pytest.approx([0.9, 0.9, 0.9])
    even = msgspec.structs.replace(table, trainable_tensor_bytes=(whole / 8,) * 8)
    assert shares_of(Layout(count=4, pipeline=4), even, "fp32").parameters == pytest.approx(0.25)


def test_a_model_without_blocks_is_one_unit_which_is_gathered_once() -> None:
    """Its weights, its gradient as backward makes it and as the reduction takes it: no second unit is ahead."""
    table = msgspec.structs.replace(bert(), block_parameter_bytes=())
    gathered = shares_of(Layout(data_parallel="fsdp", count=8), table, "fp32").gathered_bytes
    assert gathered == (table.parameter_bytes,) * 3


def test_tensor_parallel_devices_hold_their_part_of_all_activations() -> None:
    found = [shares_of(Layout(count=2 * n, tensor=n, context=2), bert(), "fp32").activations for n in (1, 2, 4)]
    assert found == [0.5, 0.25, 0.125]


def test_backward_of_a_sharded_model_begins_with_its_largest_unit() -> None:
    """A head larger than a block: its 16-bit gradient and the reduction's FP32 copy of it are there at the peak."""
    table, layout = load_gpt(), Layout(data_parallel="fsdp", count=8)
    block, head = max(table.block_parameter_bytes), max(table.trainable_tensor_bytes)
    assert head > block
    gathered = shares_of(layout, table, "fp16").gathered_bytes
    assert gathered[:2] == (block, block)
    assert gathered[-2:] == (head, 2 * head)


@pytest.mark.parametrize(("batch_size", "chunked"), [(8, False), (16, False), (8, True)])
def test_no_unit_is_whole_while_a_loss_is_computed_and_tensors_alone_are_counted_so(
    batch_size: int, *, chunked: bool
) -> None:
    asked = Training(precision="fp16", batch_size=batch_size, chunked_loss=chunked)
    layout = Layout(data_parallel="fsdp", count=8)
    question = memory_question(load_gpt(), asked, "fp16", compute_capability="8.0", layout=layout)
    assert question is not None
    throughout = answered(question, batch_size, replayed=False).allocated_bytes
    fewer = throughout - published_bytes(question, batch_size, "allocated", None)
    # With the head's backward comes its gradient, the next height of a step: it has all units.
    assert fewer == (0 if chunked else pytest.approx(sum(question.shares.unit_gradient_bytes)))
    segments = published_bytes(question, batch_size, "reserved", None)
    assert segments >= throughout


def test_buckets_are_as_large_as_the_gradients_and_no_list_grows_with_them() -> None:
    found = [_bucket_sizes(size) for size in (1000.0, 1e6, 1e9, 1e12)]
    assert [sum(sizes) for sizes in found] == [1000.0, 1e6, 1e9, 1e12]
    assert max(len(sizes) for sizes in found) == 2


def load_gpt() -> OpTable:
    """GPT of 1.3 billion weights, 24 layers, checkpointed, in halves, of 2,048 tokens."""
    path = LLM_TABLES / "bigscience_tr3m_1_3b-2048-half-full-eager.msgpack.xz"
    return msgspec.msgpack.decode(lzma.decompress(path.read_bytes()), type=OpTable)


FOUR_STAGES = Layout(data_parallel="zero1", count=4, pipeline=4)


def kept_bytes(stream: Stream) -> float:
    """What one sample's forward keeps for backward."""
    return float(stream.size1[np.isin(stream.storage_list, stream.kept_storages()) & (stream.kinds == ALLOCATE)].sum())


def logits_kept(stream: Stream, logits: Affine) -> float:
    """What of it has the size of logits."""
    chosen = np.isin(stream.storage_list, stream.kept_storages()) & (stream.kinds == ALLOCATE)
    return float(stream.size1[chosen & stream.sized_like(logits)].sum())


def _bucket_sizes(gradient_bytes: float) -> tuple[float, ...]:
    table = msgspec.structs.replace(bert(), gradient_bytes=gradient_bytes)
    return shares_of(Layout(data_parallel="ddp", count=8), table, "fp32").bucket_bytes


def _layout_need(layout: Layout) -> float:
    question = memory_question(bert(), training(), "fp32", compute_capability="8.0", layout=layout)
    assert question is not None
    return answered(question, 1, replayed=False).need_bytes


@pytest.mark.parametrize(
    ("layout", "precision", "computed"),
    [
        (Layout(data_parallel="fsdp", count=8), "bf16_amp", "bf16"),
        (Layout(data_parallel="zero2", count=8), "fp16_amp", "fp16"),
        (Layout(data_parallel="zero1", count=8), "fp16_amp", "fp16"),
        (Layout(data_parallel="ddp", count=8, pipeline=4), "fp16_amp", "fp16"),
        (Layout(data_parallel="ddp", count=8, tensor=8), "bf16_amp", "bf16"),
        (Layout(data_parallel="hsdp", count=8), "fp32", "fp32"),
        (Layout(data_parallel="fsdp", count=8), "fp8", "fp8_cast"),
        (Layout(data_parallel="ddp", count=8), "fp8", "fp8"),
        (Layout(data_parallel="zero1", count=8), "fp16_true", "fp16_true"),
        (Layout(data_parallel="ddp", count=8), "bf16_amp", "bf16_amp"),
        (Layout(data_parallel="fsdp", count=1), "bf16_amp", "bf16_amp"),
        (Layout(data_parallel="single", count=1), "fp16_amp", "fp16_amp"),
    ],
)
def test_devices_that_share_a_state_or_a_model_compute_on_weights_that_were_cast_before(
    layout: Layout, precision: Precision, computed: str
) -> None:
    assert precision_in_layout(precision, layout) == computed


@pytest.mark.parametrize(
    ("layout", "whole"),
    [
        (Layout(data_parallel="fsdp", count=8), False),
        (Layout(data_parallel="hsdp", count=16, host_size=8), False),
        (Layout(data_parallel="zero2", count=8), False),
        (Layout(data_parallel="fsdp", count=8, tensor=2), True),
        (Layout(data_parallel="zero1", count=8), True),
        (Layout(data_parallel="ddp", count=8, tensor=2, pipeline=4), True),
        (Layout(data_parallel="fsdp", count=1), True),
        (Layout(data_parallel="single", count=1), True),
    ],
)
def test_trainers_that_gather_shards_of_a_given_model_replace_its_linear_layers_alone(
    layout: Layout, *, whole: bool
) -> None:
    assert brings_whole_layers(layout) is whole
    assert runs_whole_layers("fp8") is True
    assert runs_whole_layers("fp8_cast") is False


@pytest.mark.parametrize("changes", [{"mode": "inference"}, {"optimizer": "none"}], ids=["inference", "no optimizer"])
def test_fp32_shards_are_held_where_no_optimizer_steps_them(changes: dict[str, object]) -> None:
    """They counted as the optimizer's copies alone, so that without one a sharded model weighed nothing."""
    table, layout = load_gpt(), Layout(data_parallel="fsdp", count=8)
    asked = Training(precision="bf16_amp", batch_size=1, **changes)  # type: ignore[arg-type]
    question = memory_question(table, asked, "bf16", compute_capability="8.0", layout=layout)
    assert question is not None
    shard = table.parameter_count * 4 / 8
    assert question.weight_bytes - table.buffer_bytes == pytest.approx(shard)
    held = {part.kind: part.size_bytes for part in answered(question, 1, replayed=False).parts}
    assert held["parameters"] == pytest.approx(shard, rel=0.01)


def test_no_gradient_of_a_unit_is_whole_where_there_is_no_backward() -> None:
    table, layout = load_gpt(), Layout(data_parallel="fsdp", count=8)
    block = max(table.block_parameter_bytes)
    outside = table.parameter_bytes - sum(table.block_parameter_bytes)
    gathered = shares_of(layout, table, "fp16", backward=False).gathered_bytes
    assert list(gathered) == pytest.approx([block, block, outside])
