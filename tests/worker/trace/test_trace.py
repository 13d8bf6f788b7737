import math

import msgspec
import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from advisor.catalogue.precisions import TracePrecision
from advisor.optable.op_table import Op, OpTable, at, step_flop
from advisor.worker.trace.failed import TraceFailed
from advisor.worker.trace.subject import Subject, subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload import TemplateModel, Workload, with_training
from advisor.workload.workload_file import load_workload

Tensor = torch.Tensor


def subject(module: nn.Module, *shape: int, **settings: object) -> Subject:
    """A model on one floating input, its loss the sum of the output."""

    def build() -> nn.Module:
        return module

    return Subject(
        build=build,
        make_batch=lambda batch: torch.zeros(batch, *shape),
        step=lambda model, batch: model(batch).sum(),
        **settings,  # type: ignore[arg-type]
    )


def named(table: OpTable, name: str, phase: str = "forward") -> list[Op]:
    return [op for op in table.ops if op.name == name and op.phase == phase]


def small_gpt(**training: object) -> Workload:
    config = {"model_type": "gpt2", "n_layer": 3, "n_head": 2, "n_embd": 64, "vocab_size": 512}
    workload = load_workload(
        {
            "name": "small",
            "model": {"source": "huggingface", "config": config, "task": "causal-lm"},
            "data": {"samples": 100, "sequence_length": 32},
            "training": {"batch_size": 2, "precision": "fp32"},
        }
    )
    return with_training(workload, **training)


def traced(workload: Workload, precision: TracePrecision = "fp32") -> OpTable:
    return trace(subject_of(workload, precision, allow_code=True), precision)


def test_a_linear_layer_has_one_product_forward_and_two_backward() -> None:
    table = trace(subject(nn.Sequential(nn.Linear(10, 10), nn.Linear(10, 6)), 10), "fp32")
    assert sum(op.count for op in table.ops if op.kind == "matmul" and op.phase == "forward") == 2
    assert sum(op.count for op in table.ops if op.kind == "matmul" and op.phase == "backward") == 3
    (product,) = (op for op in named(table, "addmm") if op.matmul is not None and op.matmul.n == (6.0, 0.0))
    assert product.matmul is not None
    assert product.matmul.m == (0.0, 1.0)
    assert at(product.flop, 7) == 2 * 7 * 10 * 6


def test_flop_of_a_convolutional_network_agree_with_torchs_own_counter() -> None:
    module = nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2, bias=False),
        nn.Conv2d(8, 8, 3),
        nn.ConvTranspose2d(8, 4, 2, stride=2),
        nn.Flatten(),
        nn.Linear(4 * 26 * 26, 5),
    )
    counter = FlopCounterMode(display=False)
    with counter:
        module(torch.zeros(5, 3, 31, 31)).sum().backward()
    table = trace(subject(module, 3, 31, 31), "fp32")
    assert step_flop(table, 5) == pytest.approx(counter.get_total_flops())


def test_the_table_is_affine_in_the_batch() -> None:
    module = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 81, 4))
    table = trace(subject(module, 3, 11, 11), "fp32")
    assert table.caveats == ()
    (norm,) = named(table, "native_batch_norm")
    elements = 8 * 81
    assert at(norm.read_bytes, 100) - at(norm.read_bytes, 99) == 2 * 4 * elements
    assert norm.batch_norm


def test_equal_layers_are_merged_and_counted() -> None:
    table = traced(small_gpt())
    (gelu,) = named(table, "tanh")
    assert gelu.count == 3


def test_every_parameter_reports_its_gradient_in_backwards_order() -> None:
    table = traced(small_gpt())
    assert sum(g.element_count for g in table.gradients_ready) == table.trainable_parameter_count
    shares = [g.backward_fraction for g in table.gradients_ready]
    assert shares == sorted(shares)
    assert 0.9 < shares[-1] <= 1.0


def test_layers_hold_all_parameters_and_all_forward_work() -> None:
    table = trace(subject(nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 5)), 10), "fp32")
    assert sum(layer.parameter_count for layer in table.layers) == table.parameter_count
    forward = sum(op.count * at(op.flop, 9) for op in table.ops if op.phase == "forward")
    assert sum(at(layer.flop, 9) for layer in table.layers) == pytest.approx(forward)


def test_dropout_runs_as_cudas_one_kernel_with_a_byte_mask() -> None:
    table = trace(subject(nn.Sequential(nn.Linear(16, 16), nn.Dropout(0.5)), 16), "fp32")
    (dropout,) = named(table, "native_dropout")
    assert at(dropout.written_bytes, 1) == 16 * (4 + 1)
    assert named(table, "native_dropout_backward", "backward")


class Attends(nn.Module):
    def __init__(self, *, mask: bool) -> None:
        super().__init__()
        self.projection = nn.Linear(32, 32)
        self.mask = mask

    def forward(self, hidden: Tensor) -> Tensor:
        query = self.projection(hidden).view(hidden.shape[0], -1, 2, 16).transpose(1, 2)
        mask = torch.zeros(hidden.shape[0], 1, 1, hidden.shape[1]) if self.mask else None
        return functional.scaled_dot_product_attention(query, query, query, attn_mask=mask, is_causal=not self.mask)


@pytest.mark.parametrize(
    ("precision", "mask", "implementation"),
    [("amp", False, "flash"), ("amp", True, "efficient"), ("fp32", False, "efficient")],
)
def test_attention_takes_the_kernel_that_cuda_would_pick(
    precision: TracePrecision, mask: bool, implementation: str
) -> None:
    table = trace(subject(Attends(mask=mask), 24, 32), precision)
    found = [op for op in table.ops if op.attention is not None]
    assert {op.phase for op in found} == {"forward", "backward"}
    for op in found:
        assert op.attention is not None
        assert op.attention.implementation == implementation
        assert op.attention.batch_heads == (0.0, 2.0)
        assert op.attention.causal is not mask


def test_eager_attention_is_products_and_a_softmax() -> None:
    table = trace(subject(Attends(mask=False), 24, 32, attention="eager"), "amp")
    assert all(op.attention is None for op in table.ops)
    assert [op.count for op in table.ops if op.kind == "softmax" and op.phase == "forward"] == [1]
    assert sum(op.count for op in table.ops if op.name == "bmm" and op.phase == "forward") == 2


class AttendsInHalf(Attends):
    def forward(self, hidden: Tensor) -> Tensor:
        return super().forward(hidden.half())


def test_eager_attention_of_half_weights_is_computed_in_half() -> None:
    table = trace(subject(AttendsInHalf(mask=False).half(), 24, 32, attention="eager"), "half")
    products = [op for op in table.ops if op.name == "bmm" and op.phase == "forward"]
    assert {op.element_bytes for op in products} == {2}
    (softmax,) = [op for op in table.ops if op.kind == "softmax" and op.phase == "forward"]
    assert at(softmax.written_bytes, 1) == 2 * 2 * 24 * 24


def test_under_autocast_eager_attention_has_products_in_half_and_a_softmax_in_fp32() -> None:
    table = trace(subject(Attends(mask=False), 24, 32, attention="eager"), "amp")
    products = [op for op in table.ops if op.name == "bmm" and op.phase == "forward"]
    assert {op.element_bytes for op in products} == {2}
    (softmax,) = [op for op in table.ops if op.kind == "softmax" and op.phase == "forward"]
    assert at(softmax.written_bytes, 1) == 4 * 2 * 24 * 24


class Autocasts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(64, 64)

    def forward(self, hidden: Tensor) -> Tensor:
        hidden = self.linear(hidden)
        return torch.softmax(hidden, -1) + torch.square(hidden) + functional.gelu(hidden)


def test_autocast_computes_cudas_list_in_fp32_and_the_rest_in_half() -> None:
    table = trace(subject(Autocasts(), 64), "amp")
    (softmax,) = named(table, "_softmax")
    assert at(softmax.read_bytes, 1) == 2 * 64, "the cast from half is fused into CUDA's softmax"
    assert at(softmax.written_bytes, 1) == 4 * 64
    (square,) = named(table, "pow")
    assert at(square.written_bytes, 1) == 4 * 64
    (gelu,) = named(table, "gelu")
    assert at(gelu.written_bytes, 1) == 2 * 64


def test_cudas_rules_end_with_the_trace() -> None:
    trace(subject(Autocasts(), 64), "amp")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.square(torch.zeros(2, dtype=torch.bfloat16)).dtype == torch.bfloat16
    assert torch.zeros(3).normal_().abs().sum() > 0


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(12, 20, num_layers=2, batch_first=True, bidirectional=True)

    def forward(self, inputs: Tensor) -> Tensor:
        result: Tensor = self.lstm(inputs)[0]
        return result


@pytest.mark.parametrize("precision", ["fp32", "amp"])
def test_a_recurrent_stack_is_one_cudnn_call_each_way(precision: TracePrecision) -> None:
    table = trace(subject(Recurrent(), 9, 12), precision)
    found = [op for op in table.ops if op.rnn is not None]
    assert [(op.phase, op.count) for op in found] == [("forward", 1), ("backward", 1)]
    shape = found[0].rnn
    assert shape is not None
    assert (shape.cell, shape.steps, shape.hidden_size, shape.layers, shape.directions) == ("lstm", 9, 20, 2, 2)
    assert shape.batch == (0.0, 1.0)
    assert at(found[0].flop, 1) == 2 * 9 * 4 * 20 * 2 * ((12 + 20) + (40 + 20))


def test_a_frozen_body_has_no_weight_gradients() -> None:
    config = {"model_type": "bert", "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 2}
    model = {"source": "huggingface", "config": config, "task": "sequence-classification"}
    workload = load_workload({"name": "small", "model": model})
    whole, head = traced(workload), traced(with_training(workload, trainable="head"))
    assert head.trainable_parameter_count < whole.trainable_parameter_count
    assert head.parameter_count == whole.parameter_count
    assert step_flop(head, 4) < step_flop(whole, 4)


def test_low_rank_adapters_train_little_and_keep_the_frozen_weights() -> None:
    lora = traced(small_gpt(trainable="lora", lora_rank=4), "half")
    assert 0 < lora.trainable_parameter_count < 0.1 * lora.parameter_count
    assert lora.gradient_bytes == 4 * lora.trainable_parameter_count  # in FP32 beside half weights
    halves = traced(small_gpt(trainable="lora", lora_rank=4, adapter_bits=16), "half")
    assert halves.gradient_bytes == 2 * halves.trainable_parameter_count


def test_checkpointing_runs_forward_again_inside_backward_and_keeps_less() -> None:
    plain, checkpointed = traced(small_gpt()), traced(small_gpt(activation_checkpointing=True))
    assert named(checkpointed, "tanh", "backward")
    assert not named(plain, "tanh", "backward")
    kept = [sum(at(layer.activation_bytes, 8) for layer in table.layers) for table in (checkpointed, plain)]
    assert kept[0] < 0.7 * kept[1]


def test_inference_has_no_backward() -> None:
    table = traced(small_gpt(mode="inference"))
    assert {op.phase for op in table.ops} == {"forward"}
    assert table.gradients_ready == ()
    assert table.dispatch_count["backward"] == 0


def test_half_weights_are_half_the_bytes() -> None:
    assert traced(small_gpt(), "half").parameter_bytes == traced(small_gpt()).parameter_bytes / 2


def test_channels_last_convolutions_keep_their_work() -> None:
    workload = load_workload("resnet50", overrides={"image_size": 64})
    plain, nhwc = (traced(with_training(workload, channels_last=flag), "amp") for flag in (False, True))
    assert step_flop(plain, 8) == step_flop(nhwc, 8)


@pytest.mark.parametrize(("head", "fault"), [(True, "trace-nothing-to-train"), (False, "trace-no-parameters")])
def test_a_loss_that_depends_on_nothing_trained_is_refused_by_what_is_trained(*, head: bool, fault: str) -> None:
    module = nn.Linear(4, 4).requires_grad_(requires_grad=False)
    if head:
        module.register_parameter("unused", nn.Parameter(torch.zeros(4)))
    with pytest.raises(TraceFailed) as caught:
        trace(subject(module, 4), "fp32")
    assert caught.value.fault == fault


class LooksAtValues(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, inputs: Tensor) -> Tensor:
        hidden: Tensor = self.linear(inputs)
        return hidden if bool(hidden.sum() > 0) else -hidden


class PicksPositive(LooksAtValues):
    def forward(self, inputs: Tensor) -> Tensor:
        hidden: Tensor = self.linear(inputs)
        return hidden[hidden > 0]


class LoopsOverBatch(LooksAtValues):
    def forward(self, inputs: Tensor) -> Tensor:
        for _row in inputs.unbind():
            inputs = inputs + self.linear(inputs)
        return inputs


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        (LooksAtValues, "trace-depends-on-data"),
        (PicksPositive, "trace-shape-depends-on-data"),
        (LoopsOverBatch, "trace-depends-on-batch"),
    ],
)
def test_a_model_that_cannot_be_traced_says_why(module: type[nn.Module], reason: str) -> None:
    with pytest.raises(TraceFailed) as caught:
        trace(subject(module(), 4), "fp32")
    assert caught.value.fault == reason
    assert "describe it by numbers" in caught.value.text


class ComparesAllPairs(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(64, 64)

    def forward(self, inputs: Tensor) -> Tensor:
        hidden: Tensor = self.linear(inputs)
        return hidden @ hidden.t()


def test_work_that_grows_with_the_square_of_the_batch_is_a_caveat() -> None:
    table = trace(subject(ComparesAllPairs(), 64), "fp32")
    assert [caveat.code for caveat in table.caveats] == ["trace-not-affine"]


class ReadsValuesInConstructor(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        rates = [rate.item() for rate in torch.arange(3) / 4]
        self.layers = nn.Sequential(*(nn.Sequential(nn.Linear(8, 8), nn.Dropout(rate)) for rate in rates))

    def forward(self, inputs: Tensor) -> Tensor:
        result: Tensor = self.layers(inputs)
        return result


def test_a_constructor_that_reads_values_is_built_for_real_and_then_traced() -> None:
    table = trace(
        Subject(ReadsValuesInConstructor, lambda batch: torch.zeros(batch, 8), lambda model, x: model(x).sum()), "fp32"
    )
    assert named(table, "native_dropout")[0].count == 2, "the first rate is 0"


def test_a_mask_without_padding_is_dropped_as_in_a_real_step() -> None:
    table = traced(small_gpt(), "amp")
    found = [op.attention for op in table.ops if op.attention is not None]
    assert {shape.implementation for shape in found} == {"flash"}
    assert table.synchronisation_count == 1, "looking at the mask waits for the device"


def test_a_timeline_starts_with_parameters_and_inputs_and_frees_all_activations() -> None:
    table = traced(small_gpt())
    memory = table.memory
    assert memory is not None
    resident = memory.resident_event_count
    assert all(kind == 0 for kind in memory.kind[:resident])
    sizes = sum(memory.size0_bytes[:resident]) + sum(memory.size1_bytes[:resident])
    expected = table.parameter_bytes + table.buffer_bytes + at(table.input_bytes, 1)
    assert sizes == pytest.approx(expected, rel=0.01)
    alive = set(memory.storage[:resident])
    for kind, storage in zip(memory.kind[resident:], memory.storage[resident:], strict=True):
        if kind == 0:
            alive.add(storage)
        elif kind == 1:
            alive.discard(storage)
    gradients = sum(kind == 3 for kind in memory.kind)
    assert len(alive) <= resident + gradients + 2
    assert math.isclose(gradients, len(table.trainable_tensor_bytes))


def test_an_encoder_that_only_infers_has_a_third_of_the_work_of_training() -> None:
    template = TemplateModel(template="transformer", layers=(64, 64), vocabulary_size=100)
    own = msgspec.structs.replace(load_workload("bert_base_sst2"), model=template)
    trained, inferred = (step_flop(traced(with_training(own, mode=mode)), 8) for mode in ("training", "inference"))
    assert inferred == pytest.approx(trained / 3, rel=0.05)


def test_a_module_made_once_and_traced_again_gives_the_same_table_and_timeline() -> None:
    module = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 8))
    tables = [trace(subject(module, 64), precision) for precision in ("fp32", "amp", "fp32")]
    assert tables[0] == tables[2]
    assert all(table.memory is not None for table in tables)


def test_a_model_that_was_refused_leaves_nothing_behind_for_the_next() -> None:
    before = traced(small_gpt())
    for module in (LooksAtValues, PicksPositive):
        with pytest.raises(TraceFailed):
            trace(subject(module(), 4), "fp32")
    assert traced(small_gpt()) == before
