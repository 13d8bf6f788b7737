"""What each switch would bring: those that apply, with gain and memory, predicted as the advice is."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator

import msgspec
import pytest

from advisor.advice import advice_from_facts
from advisor.advice.advice import Advice
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.advice.switched import find_switches
from advisor.advice.trial import Trial
from advisor.catalogue.precisions import TRACE_PRECISIONS, TracePrecision
from advisor.core.drive import drive
from advisor.core.units import Estimate
from advisor.measure.events import RunnerEvent
from advisor.measure.measurement import Measurement
from advisor.measure.traces import Traces
from advisor.optable.op_table import OpTable
from advisor.optable.saved_tables import saved_tables
from advisor.protocol.messages import LoaderPass
from advisor.recommend.switches import Change
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Training, Workload, with_training
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine, measurement


def switched(
    name: str,
    key: str,
    counts: tuple[int, ...] = (1,),
    measurements: tuple[Measurement, ...] = (),
    global_batch_size: int | None = None,
    **changes: object,
) -> AdviceRecord:
    workload = with_training(load_workload(name), **changes)
    request = AdviceRequest(
        workload=workload, measure=False, gpu_keys=(key,), counts=counts, global_batch_size=global_batch_size
    )
    facts = Facts(machine=machine(), tables=dict(saved_tables(workload)), measurements=measurements)
    advice = advice_from_facts(request, facts)
    events = find_switches(request, facts, advice, Traces())
    while True:
        try:
            next(events)
        except StopIteration as end:
            return msgspec.structs.replace(advice, switches=end.value)


def test_only_switches_that_apply_are_told_and_each_against_the_advised_set_up() -> None:
    advice = switched("bert_base_sst2", "a100-sxm4-40")
    kinds = {one.kind for one in advice.switches}
    assert kinds == {"compile", "fused_optimizer", "optimizer_8bit"}
    chosen = advice.recommendation
    assert chosen is not None
    for one in advice.switches:
        assert one.gain is not None
        assert one.gain.low <= one.gain.value <= one.gain.high
        rate = one.batch_size_per_device * one.gradient_accumulation_steps * one.count / one.step_s.value
        assert abs(one.gain.value / (rate / chosen.samples_per_s.value) - 1) < 1e-9
    eight = next(one for one in advice.switches if one.kind == "optimizer_8bit")
    assert eight.saved_bytes is not None
    assert eight.saved_bytes > 0


@pytest.mark.parametrize(
    ("name", "key", "held", "told"),
    [
        ("gpt2_small", "a100-sxm4-80", None, True),
        ("bert_base_sst2", "rtx3090", None, False),
        ("gpt2_small", "a100-sxm4-80", 64, False),
    ],
)
def test_micro_batches_are_added_up_only_within_the_global_batch_that_the_advice_is_bound_to(
    name: str, key: str, held: int | None, told: bool
) -> None:
    advice = switched(name, key, (2,), global_batch_size=held)
    chosen, own = advice.recommendation, advice.workload.training.global_batch_size
    assert chosen is not None
    four_passes = 4 * chosen.global_batch_size // chosen.gradient_accumulation_steps
    assert (four_passes <= (held or 8 * own)) is told
    assert ("accumulation" in {one.kind for one in advice.switches}) is told


def test_where_the_timed_loader_sets_the_pace_no_switch_makes_the_job_faster() -> None:
    slow = LoaderPass(batch_size=16, worker_count=0, made_s=60.0, low_s=59.0, high_s=61.0, ready_s=60.0)
    timed = msgspec.structs.replace(measurement("cpu", "stable"), loader=(slow,))
    advice = switched("bert_base_sst2", "a100-sxm4-40", measurements=(timed,))
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.device.key == "a100-sxm4-40"
    assert advice.switches
    for one in advice.switches:
        assert one.gain is not None
        assert one.gain.value == pytest.approx(1.0)
        assert one.step_s.value == pytest.approx(chosen.step_s.value)


@pytest.mark.parametrize(("free_fraction", "tried"), [(0.02, True), (0.9, False)])
def test_what_frees_memory_is_looked_at_where_the_advised_step_may_run_out(
    monkeypatch: pytest.MonkeyPatch, free_fraction: float, *, tried: bool
) -> None:
    looked_at: list[str] = []

    def traced(asked: Trial, change: Change, *rest: object, **more: object) -> Iterator[RunnerEvent]:
        del asked, rest, more
        looked_at.append(change.kind)
        yield from ()

    monkeypatch.setattr("advisor.advice.switched.traced_for", traced)
    workload = load_workload("gpt2_small")
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=("rtx4090",), counts=(1,))
    facts = Facts(machine=machine(), tables=dict(saved_tables(workload)))
    advice = advice_from_facts(request, facts)
    rows = tuple(
        one
        if one.usable_memory_bytes is None or one.device.key == "cpu"
        else msgspec.structs.replace(
            one,
            fits=True,
            peak_memory_bytes=Estimate(
                value=one.usable_memory_bytes * (1 - free_fraction) / 1.05,
                low=one.usable_memory_bytes * (1 - free_fraction) / 1.1,
                high=one.usable_memory_bytes * (1 - free_fraction) * 1.05,
                basis="specified",
            ),
        )
        for one in advice.predictions
    )
    drive(find_switches(request, facts, msgspec.structs.replace(advice, predictions=rows), Traces()))
    assert set(looked_at) == ({"chunked_loss", "checkpointing"} if tried else set())


def test_each_switch_tells_the_published_pairs_of_models_like_it() -> None:
    language = switched("gpt2_small", "h100-sxm")
    compiled = next(one for one in language.switches if one.kind == "compile")
    assert compiled.published is not None
    assert compiled.published.same_card
    assert compiled.published.bears_out is not None
    text = switched("bert_base_sst2", "a100-sxm4-40")
    assert all(one.published is None for one in text.switches)


def test_what_is_switched_on_already_is_not_told_again() -> None:
    advice = switched("bert_base_sst2", "a100-sxm4-40", fused_optimizer=True, compile=True)
    assert {one.kind for one in advice.switches} == {"optimizer_8bit"}


def test_full_precision_is_told_what_sixteen_bits_would_bring() -> None:
    advice = switched("roberta_large_classification", "a100-sxm4-40")
    half = next(one for one in advice.switches if one.kind == "half")
    assert half.gain is not None
    assert half.gain.value > 1


def test_several_cards_are_told_of_sharding_and_of_what_it_costs() -> None:
    advice = switched("bert_base_sst2", "rtx3090", counts=(4,))
    sharding = next(one for one in advice.switches if one.kind == "sharding")
    assert sharding.strategy == "fsdp"
    assert sharding.gain is not None
    assert sharding.saved_bytes is not None


def test_the_advice_explains_itself_and_gives_rows() -> None:
    advice = Advice.of(switched("bert_base_sst2", "a100-sxm4-40"))
    text = advice.explain("en")
    assert "What each switch would bring here" in text
    assert "Train on" in text
    assert "每个开关" in advice.explain("zh")
    rows = advice.to_rows()
    assert len(rows) == len(advice.predictions)
    assert len({tuple(row) for row in rows}) == 1
    assert sum(bool(row["best_of_its_device_and_count"]) for row in rows) == 1


class RecordedTraces(Traces):
    """Recorded operators of adapters in the place of traces, and what was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[Training, tuple[TracePrecision, ...]]] = []

    def find(
        self, workload: Workload, wanted: Iterable[TracePrecision]
    ) -> Generator[RunnerEvent, None, dict[TracePrecision, OpTable]]:
        yield from ()
        wanted = tuple(wanted)
        self.asked.append((workload.training, wanted))
        packed = workload.training.quantization is not None
        tables = saved_tables(load_workload("llama_8b_qlora" if packed else "llama_8b_lora"))
        return {precision: tables[precision] for precision in wanted}


def adapters_looked_at(key: str, **changes: object) -> tuple[AdviceRecord, RecordedTraces, set[str]]:
    workload = with_training(load_workload("llama_8b"), **changes)
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=(key,), counts=(1,))
    facts = Facts(machine=machine(), tables=dict(saved_tables(load_workload("llama_8b"))))
    advice, traces = advice_from_facts(request, facts), RecordedTraces()
    return advice, traces, {switch.kind for switch in drive(find_switches(request, facts, advice, traces), None)}


@pytest.mark.parametrize(
    ("key", "held", "further"),
    [
        ("rtx4090", {"lora", "qlora"}, set()),
        ("rtx4080", {"qlora"}, {"lora"}),  # 16 GB hold the packed weights alone
        ("rtx3070", set(), {"qlora"}),  # the whole weights alone are more than 8 GB
    ],
)
def test_whole_weights_are_looked_at_with_checkpointing_wherever_they_do_not_hold_without(
    key: str, held: set[str], further: set[str]
) -> None:
    _, traces, kinds = adapters_looked_at(key, activation_checkpointing="none")
    assert kinds & {"lora", "qlora"} == held
    tried = [training for training, _ in traces.asked if training.trainable == "lora"]
    again = [one for one in tried if one.activation_checkpointing == "full"]
    assert {"lora" if one.quantization is None else "qlora" for one in again} == further


def test_one_card_is_looked_at_in_the_precision_that_was_asked_for_whatever_is_advised() -> None:
    """On a card of 8 GB all is off-loaded, in autocast, which is quicker there than pure BF16."""
    workload = load_workload("llama_8b_lora")
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=("rtx4060-laptop",), counts=(1,))
    facts = Facts(machine=machine(), tables=dict(saved_tables(workload)))
    advice, traces = advice_from_facts(request, facts), RecordedTraces()
    assert advice.recommendation is not None
    assert advice.recommendation.precision == "bf16_amp"
    drive(find_switches(request, facts, advice, traces), None)
    packed = [wanted for training, wanted in traces.asked if training.quantization is not None]
    assert packed
    assert all(TRACE_PRECISIONS[workload.training.precision] in wanted for wanted in packed)
