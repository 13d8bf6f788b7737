"""What a set-up needs on its device against what the device gives: nominal, free, shared, unknown."""

from __future__ import annotations

import msgspec
import pytest

from advisor.cost.memory.capacity import context_bytes, usable_bytes
from advisor.hardware.machine import HostMemory, Machine
from advisor.predict.assembly import predict_candidates
from advisor.predict.device_memory import MemoryAnswer, MemorySolver
from advisor.predict.prediction import Device, Prediction
from tests.cost.small_tables import CARD, OLD_CARD
from tests.predict.asked import A100, CPU, HERE, MIB, SPECS, STRANGER, V100, candidate, model, sources, workload
from tests.recommend.fakes import gpu, machine

GIB = 2.0**30


def solver(own: Machine | None = None) -> MemorySolver:
    return MemorySolver(workload().training, {"fp32": model()}, SPECS, own or machine())


def answer(device: Device = A100, batch: int = 8, own: Machine | None = None, **changes: object) -> MemoryAnswer:
    return solver(own).answer(candidate(device, batch=batch, **changes))  # type: ignore[arg-type]


def peak(found: MemoryAnswer) -> float:
    assert found.peak is not None
    return found.peak.value


def test_the_parts_add_up_and_hold_weights_gradients_states_and_activations() -> None:
    found = answer()
    sizes = {part.kind: part.size_bytes for part in found.parts}
    assert sum(sizes.values()) == pytest.approx(peak(found))
    assert sizes["parameters"] == pytest.approx(4e6)
    assert sizes["optimizer"] == pytest.approx(8e6, rel=0.01)
    assert sizes["activations"] == pytest.approx(8 * 10 * MIB, rel=0.02)
    assert sizes["context"] == context_bytes("8.0")


def test_a_larger_batch_needs_its_activations_more_and_a_little_waste() -> None:
    small, large = answer(batch=8), answer(batch=16)
    assert peak(large) - peak(small) == pytest.approx(1.025 * 8 * 10 * MIB, rel=0.01)


def test_the_context_is_that_of_the_cards_own_architecture() -> None:
    hopper = msgspec.structs.replace(CARD, key="new", compute_capability="9.0")
    device = msgspec.structs.replace(A100, key="new", spec_key="new")
    asked = MemorySolver(workload().training, {"fp32": model()}, SPECS | {"new": hopper}, machine())
    difference = peak(asked.answer(candidate(device))) - peak(asked.answer(candidate()))
    assert difference == pytest.approx(context_bytes("9.0") - context_bytes("8.0"))


def of_card(memory_bytes: float) -> MemoryAnswer:
    tight = msgspec.structs.replace(CARD, memory_bytes=memory_bytes)
    return MemorySolver(workload().training, {"fp32": model()}, {CARD.key: tight}, machine()).answer(candidate())


def test_a_card_fits_what_its_process_may_take_and_no_more() -> None:
    share = usable_bytes(GIB) / GIB
    need = peak(of_card(peak(answer()) * 1.05 / share))
    assert of_card(need * 1.001 / share).fits is True
    assert of_card(need * 0.999 / share).fits is False


def test_a_local_card_gives_only_what_is_free() -> None:
    free = machine(gpu(spec_key=CARD.key, memory_total_bytes=40 * 2**30, memory_free_bytes=39 * 2**30))
    full = machine(gpu(spec_key=CARD.key, memory_total_bytes=40 * 2**30, memory_free_bytes=2**28))
    assert answer(HERE, own=free).fits is True
    assert answer(HERE, own=full).fits is False
    assert answer(HERE, own=full).capacity_bytes == 40 * GIB
    assert answer(A100, own=full).fits is True


def test_two_hundredths_of_the_free_memory_are_left_to_others() -> None:
    plenty = peak(answer(HERE, own=machine(gpu(spec_key=CARD.key, memory_free_bytes=20 * 2**30))))
    # Near its limit the allocator's waste is replayed, not taken as usual.
    need = peak(answer(HERE, own=machine(gpu(spec_key=CARD.key, memory_free_bytes=int(plenty * 1.05)))))
    for free, fits in ((need / 0.975, True), (need / 0.985, False)):
        own = machine(gpu(spec_key=CARD.key, memory_free_bytes=int(free)))
        assert answer(HERE, own=own).fits is fits


def test_the_processor_has_the_machines_memory_or_its_limit() -> None:
    memory = HostMemory(total_bytes=64 * 2**30, available_bytes=60 * 2**30, cgroup_limit_bytes=None)
    whole = msgspec.structs.replace(machine(), memory=memory)
    found = answer(CPU, own=whole)
    assert (found.capacity_bytes, found.fits) == (64 * GIB, True)
    process = 0.6 * GIB
    assert {part.kind: part.size_bytes for part in found.parts}["context"] == process
    assert found.peak is not None
    assert found.peak.low / found.peak.value == pytest.approx(0.9)
    assert found.peak.high / found.peak.value == pytest.approx(1.3)
    limited = msgspec.structs.replace(memory, cgroup_limit_bytes=2**31)
    assert answer(CPU, own=msgspec.structs.replace(machine(), memory=limited)).capacity_bytes == 2.0**31
    tight = msgspec.structs.replace(memory, available_bytes=int(found.peak.value) - 1)
    assert answer(CPU, own=msgspec.structs.replace(machine(), memory=tight)).fits is False


def test_what_has_no_trace_or_no_known_memory_has_no_verdict() -> None:
    unknown = answer(precision="bf16_amp")
    assert (unknown.peak, unknown.parts, unknown.fits) == (None, (), None)
    assert unknown.capacity_bytes == CARD.memory_bytes
    assert unknown.beside_bytes == context_bytes(CARD.compute_capability)
    stranger = answer(STRANGER)
    assert (stranger.capacity_bytes, stranger.fits) == (None, None)
    assert stranger.peak is not None
    of_host = answer(CPU, precision="bf16_amp")
    assert of_host.fits is None
    assert of_host.beside_bytes > 0


def prediction(device: Device = A100, **changes: object) -> Prediction:
    asked = candidate(device, **changes)  # type: ignore[arg-type]
    (found,) = predict_candidates([asked], sources(), solver().answer).predictions
    return found


def test_the_largest_batch_fits_and_one_well_beyond_it_does_not() -> None:
    asked = solver()
    largest = asked.largest_batch(prediction())
    assert largest is not None
    assert asked.answer(candidate(batch=largest)).fits is True
    assert asked.answer(candidate(batch=int(largest * 1.05))).fits is False
    smaller = asked.largest_batch(prediction(V100))
    assert OLD_CARD.memory_bytes == CARD.memory_bytes
    assert smaller == pytest.approx(largest, rel=0.03)


def test_savings_are_of_the_micro_batch_and_none_are_known_of_a_processor() -> None:
    found = {saving.kind for saving in solver().savings(prediction())}
    assert {"accumulation", "sgd_momentum"} <= found
    assert solver().savings(msgspec.structs.replace(prediction(), device=CPU)) == ()


def test_without_a_trace_or_on_a_processor_the_largest_batch_is_unknown() -> None:
    assert solver().largest_batch(msgspec.structs.replace(prediction(), device=STRANGER)) is None
    assert solver().largest_batch(msgspec.structs.replace(prediction(), device=CPU)) is None


def test_what_the_allocator_wastes_is_found_once_and_holds_where_the_same_batch_is_accumulated() -> None:
    tight = msgspec.structs.replace(CARD, memory_bytes=peak(answer()) * 1.02 / (usable_bytes(GIB) / GIB))
    asked = MemorySolver(workload().training, {"fp32": model()}, {CARD.key: tight}, machine())
    shares = []
    for one in (candidate(), candidate(gradient_accumulation_steps=2)):
        sizes = {part.kind: part.size_bytes for part in asked.answer(one).parts}
        wasted = sizes.pop("fragmentation")
        shares.append(wasted / (sum(sizes.values()) - sizes["context"]))
    assert shares[0] == pytest.approx(shares[1])
    assert shares[0] != pytest.approx(0.025), "replayed, and not what is typical"


def two_cards() -> tuple[MemorySolver, Device, Device]:
    """A card whose room the allocator's waste decides about, and one with plenty."""
    tight = msgspec.structs.replace(CARD, memory_bytes=peak(answer()) * 1.02 / (usable_bytes(GIB) / GIB))
    roomy = msgspec.structs.replace(CARD, key="roomy", memory_bytes=400 * GIB)
    asked = MemorySolver(workload().training, {"fp32": model()}, {CARD.key: tight, "roomy": roomy}, machine())
    return asked, A100, msgspec.structs.replace(A100, key="roomy", spec_key="roomy")


@pytest.mark.parametrize("tight_first", [True, False])
def test_one_set_up_needs_the_same_on_alike_cards_whichever_is_asked_first(tight_first: bool) -> None:
    asked, tight, roomy = two_cards()
    order = [tight, roomy] if tight_first else [roomy, tight]
    made = [msgspec.structs.replace(prediction(), device=device) for device in order]
    answered = [
        msgspec.structs.replace(one, peak_memory_bytes=found.peak, memory_parts=found.parts, fits=found.fits)
        for one, found in ((one, asked.answer(one)) for one in made)
    ]
    needs = [one.peak_memory_bytes.value for one in asked.settled(answered) if one.peak_memory_bytes]
    assert needs == [needs[0]] * 2
    assert needs[0] == peak(asked.answer(candidate(tight)))
    for one in asked.settled(answered):
        assert one.peak_memory_bytes is not None
        assert sum(part.size_bytes for part in one.memory_parts) == pytest.approx(one.peak_memory_bytes.value)


def test_what_nothing_decided_about_keeps_the_usual_waste_and_what_was_timed_its_own_peak() -> None:
    asked, _, roomy = two_cards()
    plain = msgspec.structs.replace(prediction(), device=roomy, peak_memory_bytes=asked.answer(candidate(roomy)).peak)
    assert asked.settled([plain]) == (plain,)
    timed = msgspec.structs.replace(plain, measured=True)
    found = asked.answer(candidate(roomy))
    plain = msgspec.structs.replace(plain, memory_parts=found.parts, fits=found.fits)
    replayed = asked.replayed(plain)
    assert (asked.has_own_waste(plain), asked.has_own_waste(replayed)) == (False, True)
    assert asked.settled([timed]) == (timed,)
    assert replayed.peak_memory_bytes != plain.peak_memory_bytes
    assert asked.settled([plain])[0].peak_memory_bytes == replayed.peak_memory_bytes
