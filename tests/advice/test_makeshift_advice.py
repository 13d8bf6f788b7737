"""Where nothing fits, or only with the host's memory: what would be better comes first, and rows say what they lack."""

from __future__ import annotations

import msgspec
import pytest

from advisor.advice import advice_from_facts
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.advice.switched import find_switches
from advisor.advice.trial import LARGER_COUNTS
from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import SHARDING, STRATEGY_FACTS
from advisor.core.drive import drive
from advisor.core.units import format_seconds
from advisor.measure.traces import Traces
from advisor.optable.totals import table_from_numbers
from advisor.present.one_screen import one_screen
from advisor.present.summary import summarise
from advisor.recommend.candidates import DEFAULT_GPU_KEYS, LARGER_GPU_KEYS, largest_gpu_keys
from advisor.recommend.fixed import Fixed
from advisor.recommend.switches import Switch
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Data, NumbersModel, Offload, Training, Workload
from tests.recommend.fakes import machine

GIBIBYTE = 2.0**30
EIGHT_BIT = {"optimizer_8bit_on_cards", "optimizer_8bit_checkpointing"}


def asked(
    parameters: float,
    *,
    offload: Offload = "none",
    activations: float | None = None,
    batch_size: int = 4,
    **more: object,
) -> AdviceRecord:
    """The advice on a model of so many parameters in mixed precision with Adam, by its totals.

    `activations`: bytes a sample; None: a quarter of the parameters.
    """
    kept = parameters / 4 if activations is None else activations
    model = NumbersModel(parameters=parameters, flop_per_sample=6 * parameters * 512, activation_bytes_per_sample=kept)
    training = Training(precision="bf16", batch_size=batch_size, gradient_accumulation_steps=4, offload=offload)
    workload = Workload(name="large", model=model, data=Data(samples=10_000), training=training)
    request = AdviceRequest(workload=workload, measure=False, **more)  # type: ignore[arg-type]
    tables = {traced: table_from_numbers(model, traced) for traced in sorted(set(TRACE_PRECISIONS.values()))}
    facts = Facts(machine=machine(), tables=tables)
    found = advice_from_facts(request, facts)
    switches = drive(find_switches(request, facts, found, Traces()))
    return msgspec.structs.replace(found, switches=switches)


@pytest.fixture(scope="module")
def off_loaded() -> AdviceRecord:
    return asked(2e9, gpu_keys=("rtx4090",), counts=(1,))


@pytest.fixture(scope="module")
def nothing() -> AdviceRecord:
    return asked(1.4e10, gpu_keys=("rtx4090",), counts=(1, 2), host_memory_bytes=64 * GIBIBYTE)


def larger(advice: AdviceRecord) -> Switch:
    return next(one for one in advice.switches if one.kind == "larger_cards")


def titles(advice: AdviceRecord) -> list[str]:
    return [section.title for section in summarise(advice, "en").sections]


def test_off_loading_is_a_makeshift_and_what_would_help_comes_first(off_loaded: AdviceRecord) -> None:
    chosen = off_loaded.recommendation
    assert chosen is not None
    assert STRATEGY_FACTS[chosen.strategy].offloads
    assert titles(off_loaded)[0] == "What would help"
    assert larger(off_loaded).count == 1
    told = "\n".join(one_screen(off_loaded, "en").sections[0].sentences)
    assert "One H100 SXM5 80 GB holds all of it (batch size 4 in BF16, accumulating 4 micro-batches)" in told


def test_of_as_few_cards_the_smallest_that_hold_it_are_named(off_loaded: AdviceRecord) -> None:
    found = larger(off_loaded)
    specs = spec_table()
    room = specs[found.device_key].memory_bytes
    assert room is not None
    for key in (*DEFAULT_GPU_KEYS, *LARGER_GPU_KEYS):
        memory = specs[key].memory_bytes
        assert memory is not None
        if memory < room:
            alone = asked(2e9, gpu_keys=(key,), counts=(found.count,))
            held = [one for one in alone.predictions if one.precision == "bf16" and one.batch_size_per_device in {1, 4}]
            assert held or key.startswith("v100"), key  # which does not compute in BF16
            assert not any(one.fits for one in held if not STRATEGY_FACTS[one.strategy].offloads), key


def test_who_lacks_a_little_of_a_small_card_is_told_of_no_large_one() -> None:
    found = larger(asked(7e8, gpu_keys=("rtx3060-12",), counts=(1,)))
    assert found.count == 1
    assert found.device_key in {"rtx3090", "rtx4090"}


def test_the_fewest_larger_cards_that_hold_it_are_named_where_nothing_fits(nothing: AdviceRecord) -> None:
    assert nothing.recommendation is None
    found = larger(nothing)
    assert found.device_key in {*DEFAULT_GPU_KEYS, *LARGER_GPU_KEYS, *largest_gpu_keys(spec_table())}
    assert found.count > LARGER_COUNTS[0]
    assert found.fits
    assert found.strategy in SHARDING
    assert titles(nothing)[0] == "What would help"
    assert f"Not fewer than {found.count} × " in "\n".join(one_screen(nothing, "en").sections[0].sentences)


def test_where_only_the_largest_cards_of_the_table_hold_it_one_of_them_is_named_and_not_several_others() -> None:
    found = larger(asked(7e9, gpu_keys=("rtx4090",), counts=(1,)))
    need = found.peak_memory_bytes
    most = max(spec_table()[key].memory_bytes or 0.0 for key in LARGER_GPU_KEYS)
    assert need is not None
    assert need.value > most
    assert (found.count, found.strategy) == (1, "single")
    assert found.device_key in largest_gpu_keys(spec_table())


def test_larger_cards_hold_all_of_it_also_where_off_loading_was_asked_for() -> None:
    found = larger(asked(1.2e10, gpu_keys=("rtx4090",), counts=(2,), offload="optimizer"))
    assert found.peak_memory_bytes is not None
    assert found.peak_memory_bytes.value > 1.2e10 * 16 / found.count  # weights, gradients and states


def test_no_fewer_of_the_larger_cards_hold_it_by_any_sharding() -> None:
    found = larger(asked(2.4e10, gpu_keys=("rtx4090",), counts=(2,)))
    fewer = asked(2.4e10, gpu_keys=(found.device_key,), counts=LARGER_COUNTS[: LARGER_COUNTS.index(found.count)])
    whole = [one for one in fewer.predictions if one.precision == "bf16" and one.strategy in SHARDING]
    assert whole
    assert not any(one.fits for one in whole if not STRATEGY_FACTS[one.strategy].offloads)


def test_the_global_batch_of_the_larger_cards_is_the_workloads_where_it_can_be(off_loaded: AdviceRecord) -> None:
    found = larger(off_loaded)
    training = off_loaded.workload.training
    assert found.gradient_accumulation_steps * found.count == training.gradient_accumulation_steps


def test_rows_of_what_does_not_fit_are_the_nearest_and_say_what_is_too_small(nothing: AdviceRecord) -> None:
    (table,) = one_screen(nothing, "en").tables
    assert table.title == "Nothing fits; what each lacks least"
    needs = [row[-1] for row in table.rows]
    assert all(">" in need or "host too small" in need for need in needs)
    assert not any("DP" in row for row in table.rows)


def test_a_wide_range_says_what_makes_it_wide(off_loaded: AdviceRecord) -> None:
    chosen = off_loaded.recommendation
    assert chosen is not None
    wide = next((one for one in off_loaded.caveats if one.code.startswith("caveat-wide")), None)
    assert (wide is not None) is (chosen.step_s.high > 4 * chosen.step_s.low)
    linked = asked(1e9, gpu_keys=("l40s",), counts=(8,)).caveats
    assert any(one.code in {"caveat-wide-link", "caveat-from-spec-sheet"} for one in linked)


def test_more_than_n_times_from_n_cards_is_explained_by_the_shared_optimizer() -> None:
    advice = asked(6e9, gpu_keys=("a100-sxm4-40",), counts=(8,))
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.efficiency is not None
    said = {reason.code: reason for reason in advice.reasons}
    # One such card cannot hold the model: what several are worth is said against one that could.
    more = chosen.efficiency.value > 1.005
    assert ("scaling-optimizer-shared" in said, "scaling-efficiency-sharded" in said) == (more, not more)
    assert "scaling-efficiency" not in said


def test_help_for_a_batch_that_is_fixed_holds_that_batch() -> None:
    free, fixed = asked(1e10, gpu_keys=("rtx4090",), counts=(1,)), Fixed(batch_size=True)
    kept = asked(1e10, gpu_keys=("rtx4090",), counts=(1,), fixed=fixed)
    assert larger(free).batch_size_per_device == 4
    assert {one.batch_size_per_device for one in kept.switches} == {4}


def test_where_only_the_hosts_memory_holds_a_step_8_bit_states_in_the_cards_own_are_looked_at() -> None:
    held = [one for one in asked(1.6e9, gpu_keys=("rtx4090",), counts=(1,)).switches if one.kind in EIGHT_BIT]
    assert [(one.kind, one.strategy, one.fits) for one in held] == [("optimizer_8bit_on_cards", "single", True)]
    beyond = asked(1e10, gpu_keys=("rtx4090",), counts=(1,)).switches
    assert not [one for one in beyond if one.kind in EIGHT_BIT]
    whole = asked(2e8, gpu_keys=("rtx4090",), counts=(1,)).switches
    assert not [one for one in whole if one.kind in EIGHT_BIT], "it fits as it is"


def on_four(parameters: float, activations: float) -> AdviceRecord:
    """The advice on four RTX 4090 in a machine with room for everything."""
    roomy = 1024 * GIBIBYTE
    return asked(
        parameters, activations=activations, batch_size=1, gpu_keys=("rtx4090",), counts=(4,), host_memory_bytes=roomy
    )


def test_8_bit_states_are_not_credited_where_tensor_parallelism_alone_holds_the_step() -> None:
    advice = on_four(2e9, 2e10)
    chosen = advice.recommendation
    assert chosen is not None
    assert STRATEGY_FACTS[chosen.strategy].offloads
    assert any(one.strategy == "tp" and one.fits and one.batch_size_per_device == 1 for one in advice.predictions)
    assert not [one for one in advice.switches if one.kind in EIGHT_BIT]


def test_8_bit_states_are_told_with_what_leaves_the_code_as_it_is_where_that_holds_the_step() -> None:
    (held,) = [one for one in on_four(5e9, 4e9).switches if one.kind in EIGHT_BIT]
    assert (held.kind, held.strategy, held.count) == ("optimizer_8bit_on_cards", "fsdp", 4)


def test_where_8_bit_states_hold_a_step_only_with_split_layers_both_are_named() -> None:
    advice = on_four(4e9, 4e10)
    (held,) = [one for one in advice.switches if one.kind in EIGHT_BIT]
    assert held.strategy == "tp"
    told = " ".join("\n".join(one_screen(advice, "en").sections[0].sentences).split())
    assert "With 8-bit optimizer states and layers split over the cards (other code of the model) 4 × " in told
    assert "权重按层拆分" in "".join(one_screen(advice, "zh").sections[0].sentences)


def test_help_that_holds_a_step_tells_how_long_the_whole_job_takes_with_it(off_loaded: AdviceRecord) -> None:
    found = larger(off_loaded)
    assert found.job_s is not None
    samples = found.batch_size_per_device * found.gradient_accumulation_steps * found.count
    steps = off_loaded.workload.data.samples / samples * off_loaded.workload.training.epochs
    assert found.job_s.value == pytest.approx(found.step_s.value * steps, rel=0.01)
    told = " ".join("\n".join(one_screen(off_loaded, "en").sections[0].sentences).split())
    assert f"Job: {format_seconds(found.job_s.value)}." in told
