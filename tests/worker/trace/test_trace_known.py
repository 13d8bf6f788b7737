"""Results that are made from memory are those that the fake-tensor mode gives."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import DynamicOutputShapeException, FakeTensor, FakeTensorMode

from advisor.worker.trace.fake_model import build_fake
from advisor.worker.trace.ops.known_results import KnownResults
from advisor.worker.trace.subject import Learnt, Subject, subject_of
from advisor.worker.trace.trace import Way, trace
from advisor.worker.trace.values import known as trace_known
from advisor.worker.trace.values.known import Fakes
from advisor.workload.workload import with_training
from advisor.workload.workload_file import load_workload

Tensor = torch.Tensor
Geometry = tuple[Any, ...]


def geometry(result: object) -> Geometry:
    """Everything about a result that later operators, or the table, could see."""
    if isinstance(result, (tuple, list)):
        return (type(result), *(geometry(item) for item in result))
    if not isinstance(result, Tensor):
        return (result,)
    return (
        tuple(result.shape),
        result.stride(),
        result.storage_offset(),
        result.dtype,
        result.device,
        result.untyped_storage().nbytes(),
        result.requires_grad,
    )


def shared(result: object, args: object) -> list[list[int]]:
    """Which tensors of the arguments each tensor of the result lies in, or is."""
    from advisor.worker.trace.ops.raw_op import tensors_in

    given = tensors_in(args)
    return [
        [
            place
            for place, other in enumerate(given)
            if other is tensor or other.untyped_storage()._cdata == tensor.untyped_storage()._cdata
        ]
        for tensor in tensors_in(result)
    ]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """While tracing, every result made from memory is compared with the mode's own; gives the operators' names."""
    names: list[str] = []
    met: set[str] = set()
    original = KnownResults.call

    def call(self: KnownResults, func: Any, name: str, args: Any, kwargs: Any, run: Any, cost_of: Any) -> Any:
        ran: list[bool] = []

        def noticed(*given: Any) -> Any:
            ran.append(True)
            return run(*given)

        out, cost = original(self, func, name, args, kwargs, noticed, cost_of)
        described = str((func, geometry(args), [geometry(value) for value in kwargs.values()], geometry(out)))
        if not ran and not func._schema.is_mutable:
            names.append(name)
        if not ran and not func._schema.is_mutable and described not in met:
            met.add(described)
            plain = run(func, args, kwargs)
            assert geometry(out) == geometry(plain), func
            assert shared(out, args) == shared(plain, args), func
            assert cost == cost_of(func, args, kwargs, plain)
        return out, cost

    monkeypatch.setattr(KnownResults, "call", call)
    return names


@pytest.mark.parametrize(
    ("name", "overrides", "training", "precision"),
    [
        ("resnet50", {"image_size": 64}, {"channels_last": True}, "amp"),
        ("unet_vgg16", {"image_size": 64}, {}, "amp"),
        ("vit_base", {}, {"mode": "inference"}, "half"),
        ("gpt2_small", {"sequence_length": 64}, {"activation_checkpointing": True, "attention": "eager"}, "amp"),
        ("lstm_classifier", {}, {}, "amp"),
    ],
)
def test_what_is_made_from_memory_is_what_the_operator_gives(
    name: str, overrides: dict[str, object], training: dict[str, Any], precision: Any, compared: list[str]
) -> None:
    workload = with_training(load_workload(name, overrides=overrides), **training)
    table = trace(subject_of(workload, precision, allow_code=True), precision, checked=False)
    calls = sum(table.dispatch_count.values())
    print(f"{name} {precision}: {len(compared)}, some inside operators, of 2 x {calls} calls made from memory")
    assert len(compared) > calls / 2


def test_another_set_up_of_a_model_runs_only_the_operators_that_it_adds(compared: list[str]) -> None:
    plain = load_workload("gpt2_small", overrides={"sequence_length": 64})
    again = with_training(plain, activation_checkpointing=True)
    alone = trace(subject_of(again, "amp"), "amp", checked=False)
    shared = Learnt()
    trace(subject_of(plain, "amp"), "amp", checked=False, way=Way(learnt=shared))
    before = len(shared.met)
    assert trace(subject_of(again, "amp"), "amp", checked=False, way=Way(learnt=shared)) == alone
    assert before > 0
    assert len(shared.met) - before < before / 10
    assert compared


def twice(function: Callable[[], Any]) -> tuple[Any, Any]:
    with Fakes():
        return function(), function()


def test_an_operator_in_place_gives_its_own_argument() -> None:
    with Fakes():
        for _ in range(2):
            tensor = torch.zeros(3, 4)
            assert tensor.add_(1) is tensor


def test_a_tensor_to_write_into_takes_its_new_size_each_time() -> None:
    with Fakes():
        for _ in range(2):
            assert torch.add(torch.zeros(3, 4), 1, out=torch.empty(0)).shape == (3, 4)


def test_a_view_made_from_memory_lies_in_its_own_argument() -> None:
    with Fakes():
        for _ in range(3):
            tensor = torch.zeros(6, 4)
            for view in (tensor.view(24), tensor.t(), tensor[2:4], tensor.unbind(1)[3]):
                assert view.untyped_storage()._cdata == tensor.untyped_storage()._cdata
            assert tensor[2:4].storage_offset() == 8


def test_tensors_made_from_memory_have_storages_of_their_own() -> None:
    one, two = twice(lambda: torch.zeros(3, 4) + 1)
    assert one is not two
    assert one.untyped_storage()._cdata != two.untyped_storage()._cdata


def test_a_size_that_follows_from_values_is_refused_however_often_it_is_asked() -> None:
    with Fakes():
        tensor = torch.zeros(5)
        for _ in range(3):
            with pytest.raises(DynamicOutputShapeException):
                tensor[tensor > 0]
        assert tensor[torch.zeros(2, dtype=torch.long)].shape == (2,)


@pytest.mark.parametrize("dim", [0, 1, -1, -3])
@pytest.mark.parametrize("turned", [False, True], ids=["contiguous", "turned"])
def test_a_stack_has_the_form_that_torch_gives_it_and_no_values(dim: int, *, turned: bool) -> None:
    real = torch.stack([torch.zeros(4, 5).T if turned else torch.zeros(5, 4)] * 3, dim)
    for values in ("none", "whole", "even"):
        with Fakes(values=values):
            made = torch.rand(4, 5) if turned else torch.rand(5, 4)
            stack = torch.stack([made.T if turned else made] * 3, dim)
        assert isinstance(stack, FakeTensor)
        assert geometry(stack) == geometry(real)
        assert stack.constant is None


def test_what_is_added_at_known_places_to_unknown_values_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    original = Fakes._dispatched

    def dispatched(self: Fakes, func: Any, *given: Any) -> Any:
        ran.append(func._schema.name)
        return original(self, func, *given)

    monkeypatch.setattr(Fakes, "_dispatched", dispatched)
    with Fakes(values="whole"):
        for _ in range(3):
            total = torch.rand(6, 4)
            places = torch.tensor([1, 2])
            assert total.index_add_(0, places, torch.rand(2, 4)) is total
            known = torch.zeros(6)
            known.index_add_(0, places, torch.rand(2))
            assert isinstance(known, FakeTensor)
            assert known.constant is None, "what unknown values were added to"
    assert ran.count("aten::index_add_") == 1 + 3


def test_values_known_to_the_mode_stay_known() -> None:
    with Fakes():
        for number in (3, 4):
            assert int(torch.tensor(number) + 1) == number + 1


def test_the_type_of_a_number_decides_the_type_of_the_result() -> None:
    with Fakes():
        counts = torch.zeros(4, dtype=torch.long)
        assert [(counts * factor).dtype for factor in (1, 1.0, True, 1.0)] == [
            torch.long, torch.float32, torch.long, torch.float32
        ]  # fmt: skip


class DropsMoreByDepth(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        rates = [rate.item() for rate in torch.linspace(0, 0.5, 3)]
        self.is_fake = isinstance(torch.zeros(1), FakeTensor)
        self.layers = nn.Sequential(*(nn.Sequential(nn.Linear(8, 8), nn.Dropout(rate)) for rate in rates))


def test_drop_rates_read_off_a_ramp_need_no_real_model() -> None:
    model = build_fake(DropsMoreByDepth, Fakes())
    assert isinstance(model, DropsMoreByDepth)
    assert model.is_fake
    assert [module.p for module in model.modules() if isinstance(module, nn.Dropout)] == [0.0, 0.25, 0.5]


class Cloned(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        first = nn.LayerNorm(8)
        self.layers = nn.ModuleList(copy.deepcopy(first) for _ in range(3))


def test_parameters_that_a_constructor_copies_are_parameters_with_storages_of_their_own() -> None:
    for _ in range(2):  # the second time every result of construction is made from memory
        parameters = list(build_fake(Cloned, Fakes(values="whole")).parameters())
        assert all(isinstance(one, FakeTensor) and isinstance(one, nn.Parameter) for one in parameters)
        assert len({one.untyped_storage()._cdata for one in parameters}) == len(parameters) == 6


def test_complex_numbers_are_left_to_the_mode() -> None:
    with Fakes():
        waves = torch.zeros(4, dtype=torch.complex64)
        for _ in range(2):
            conjugate = waves.conj()
            assert conjugate.is_conj()
            assert conjugate.imag.is_neg()
            assert not torch.zeros(4).view(4).is_neg()


class Turned(nn.Module):
    """Turns pairs by angles as complex numbers, as rotary embeddings of Llama do, layer after layer."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(10))
        self.angles = nn.Buffer(torch.polar(torch.ones(4), torch.arange(4.0)))

    def forward(self, states: Tensor) -> Tensor:
        for layer in self.layers:
            pairs = torch.view_as_complex(layer(states).unflatten(-1, (4, 2)))
            turned = torch.view_as_real(pairs * self.angles.conj())
            states = states + turned.flatten(-2) + (pairs.conj().imag * 2).repeat_interleave(2, dim=-1)
        loss: Tensor = states.square().mean()
        return loss


def test_what_comes_after_complex_numbers_is_made_from_memory_as_the_operator_gives_it(compared: list[str]) -> None:
    turned = Subject(build=Turned, make_batch=lambda size: (torch.randn(size, 8),), step=lambda m, b: m(*b))
    table = trace(turned, "fp32", checked=False)
    calls = sum(table.dispatch_count.values())
    assert {"view_as_complex", "conj"}.isdisjoint(compared)
    assert len(compared) > calls / 2, (len(compared), calls)


def test_sizes_that_happen_to_be_equal_are_not_taken_for_the_same() -> None:
    with Fakes():
        square, weight = torch.zeros(8, 8), torch.zeros(8, 8)
        assert (square @ weight).shape == (8, 8)
        assert (torch.zeros(3, 8) @ torch.zeros(8, 5)).shape == (3, 5)
        assert (torch.zeros(5, 8) @ torch.zeros(8, 3)).shape == (5, 3)
        assert (torch.zeros(4, 1) + torch.zeros(1, 6)).shape == (4, 6)
        assert (torch.zeros(6, 1) + torch.zeros(1, 4)).shape == (6, 4)
        assert (torch.zeros(1, 1) + torch.zeros(1, 4)).shape == (1, 4)


LAYOUTS: list[Callable[[Tensor], Tensor]] = [
    lambda tensor: tensor,
    lambda tensor: tensor.contiguous(memory_format=torch.channels_last),
    lambda tensor: tensor.transpose(1, 3),
    lambda tensor: tensor[:, :, :, ::2],
    lambda tensor: tensor.expand(-1, -1, -1, tensor.shape[3]).narrow(0, 0, 1).expand(3, -1, -1, -1),
    lambda tensor: tensor.sum(2, keepdim=True),
]


@pytest.mark.parametrize("layout", range(len(LAYOUTS)))
@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: a + b,
        lambda a, _: torch.nn.functional.gelu(a),
        lambda a, _: torch.softmax(a, -1),
        lambda a, _: a.sum((0, 2, 3)),
        lambda a, _: a.mean((2, 3), keepdim=True),
        lambda a, _: a.to(torch.float16),
        lambda a, _: a.clone(memory_format=torch.channels_last),
        lambda a, _: torch.zeros_like(a),
        lambda a, b: torch.where(a > 0, a, b),
        lambda a, _: torch.ops.aten.native_batch_norm(a, None, None, None, None, training=True, momentum=0.1, eps=1e-5),
        lambda a, _: torch.nn.functional.layer_norm(a, a.shape[3:]),
        lambda a, _: a.permute(0, 2, 3, 1),
        lambda a, b: a.mul_(2) * b.transpose(-1, -2).transpose(-1, -2),
    ],
)
def test_a_pattern_met_at_one_size_gives_the_modes_results_at_others(
    function: Callable[[Tensor, Tensor], Any], layout: int
) -> None:
    sizes = [(4, 6, 8, 10), (3, 6, 5, 12), (2, 2, 2, 2), (4, 6, 6, 4), (1, 6, 8, 10), (3, 1, 1, 2), (5, 7, 1, 4)]

    def results(mode: FakeTensorMode) -> list[Geometry]:
        found = []
        for size in sizes:
            with mode:
                tensor, other = (LAYOUTS[layout](torch.zeros(size)) for _ in range(2))
                try:
                    found.append(geometry(function(tensor, other)))
                except RuntimeError as error:
                    found.append((type(error).__name__,))
        return found

    assert results(Fakes()) == results(FakeTensorMode(allow_non_fake_inputs=True))


def test_a_table_is_the_same_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    workload = load_workload("unet_vgg16", overrides={"image_size": 64})
    remembered = trace(subject_of(workload, "amp"), "amp")
    monkeypatch.setattr(trace_known, "knowable", lambda _func, _name: False)
    monkeypatch.setattr("advisor.worker.trace.recorder.knowable", lambda _func, _name: False)
    asked = trace(subject_of(workload, "amp"), "amp")
    assert remembered.ops == asked.ops
    assert remembered.layers == asked.layers
    assert remembered.dispatch_count == asked.dispatch_count
    assert remembered.gradients_ready == asked.gradients_ready
    assert remembered.checkpoint == asked.checkpoint
    assert remembered.memory is not None
    assert asked.memory is not None
    assert remembered.memory.kind == asked.memory.kind
    assert sorted(remembered.memory.size1_bytes) == sorted(asked.memory.size1_bytes)
