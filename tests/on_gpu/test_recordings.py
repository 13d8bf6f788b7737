"""Recordings are replayed for ever; what must hold of one is shown to fail where it does not hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import tomlkit
from msgspec.structs import replace

from advisor.catalogue.spec_table import spec_table
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.row_predictions import WorkloadReader, questions_of
from advisor.evaluate.run_rows import read_run_rows
from advisor.hardware.machine import GpuReading, Reading
from advisor.workload.workload import with_training
from advisor.workload.workload_file import load_workload
from tests.on_gpu.checks import problems_of
from tests.on_gpu.make_up import made_up
from tests.on_gpu.recording import (
    MOST_BYTES,
    Happening,
    Recording,
    RecordingError,
    changed_workload,
    fit_steps,
    read_recording,
    run_rows,
    write_recording,
)
from tools.measured_by_us import DOCUMENT, recordings, section, with_section

FOLDER = Path(__file__).resolve().parents[1] / "recorded" / "gpus"
FILES = sorted(FOLDER.glob("*.json"))
GIVEN = made_up()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_a_card_once_showed_still_holds(path: Path) -> None:
    assert problems_of(read_recording(path)) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_recording_says_in_its_name_and_in_itself_whether_it_is_made_up(path: Path) -> None:
    assert read_recording(path).made_up == path.stem.startswith("made_up")


def test_the_made_up_recording_is_what_its_program_writes() -> None:
    assert read_recording(FOLDER / "made_up_rtx3090.json") == GIVEN


def _gpu(**changed: object) -> Recording:
    machine = GIVEN.machine
    return replace(GIVEN, machine=replace(machine, gpus=(replace(machine.gpus[0], **changed),)))


def _rate(number: int, factor: float) -> Recording:
    rates = list(GIVEN.rates)
    rates[number] = replace(rates[number], median_s=rates[number].median_s * factor)
    return replace(GIVEN, rates=tuple(rates))


def _step(**changed: object) -> Recording:
    return replace(GIVEN, steps=(replace(GIVEN.steps[1], **changed), *GIVEN.steps))


WRONG: dict[str, tuple[Callable[[], Recording], str]] = {
    "a field that is silently absent": (lambda: _gpu(power_limit_w=None, refusals=()), "neither told nor refused"),
    "another memory size": (lambda: _gpu(memory_total_bytes=12 << 30), "memory_total_bytes"),
    "another name": (lambda: _gpu(name="NVIDIA GeForce RTX 3080"), "name: "),
    "a card the sampler lacks": (lambda: _gpu(uuid="GPU-other"), "the sampler does not"),
    "a product above the peak": (lambda: _rate(0, 0.5), "matmul in fp32: 140%"),
    "a product under a third": (lambda: _rate(0, 2.5), "matmul in fp32: 28%"),
    "memory above its bandwidth": (lambda: _rate(1, 0.6), "elementwise in fp32: 117%"),
    "an idle card at work": (
        lambda: replace(
            GIVEN,
            readings=(Reading(monotonic_s=0.0, gpus=(GpuReading(uuid=None, index=0, utilisation_fraction=0.1),)),),
        ),
        "busiest reading",
    ),
    "a silent driver": (
        lambda: replace(GIVEN, readings=(replace(GIVEN.readings[0], driver_responding=False), *GIVEN.readings)),
        "fell silent",
    ),
    "events above the clock": (lambda: _step(device_s=(0.2,) * 9), "events say 0.2 s, the clock only 0.11 s"),
    "events far below the clock": (lambda: _step(device_s=(0.05,) * 9), "events say 0.05 s, the clock 0.11 s"),
    "blocks without events": (lambda: _step(device_s=()), "0 event times for 9 blocks"),
    "no peak": (lambda: _step(peak_allocated_bytes=None), "told no peak"),
    "more allocated than reserved": (lambda: _step(peak_reserved_bytes=1), "allocated of 1 reserved"),
    "more than the card has": (lambda: _step(peak_reserved_bytes=1 << 40), "reserved of a card"),
    "a step without a time": (lambda: _step(median_s=None, verdict="not_measured"), "not measured"),
    "no trust": (
        lambda: replace(GIVEN, steps=tuple(replace(one, verdict="unstable") for one in GIVEN.steps)),
        "0 of 4",
    ),
    "a card that did not recover": (
        lambda: replace(GIVEN, happenings=(Happening(name="lost_context", facts={"ok_next_trains": False}),)),
        "lost_context: ok_next_trains",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_each_fault_of_a_recording_is_named(what: str) -> None:
    build, said = WRONG[what]
    problems = problems_of(build())
    assert any(said in problem for problem in problems), problems


def test_a_peak_that_was_taken_out_with_its_reason_is_no_fault() -> None:
    assert (
        problems_of(_step(peak_allocated_bytes=None, peak_reserved_bytes=None, no_peak="another model held some")) == []
    )


def test_a_recording_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    write_recording(path, GIVEN)
    assert read_recording(path) == GIVEN
    assert path.stat().st_size < MOST_BYTES


def test_what_is_no_recording_is_refused_with_its_field(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text('{"made_up": "perhaps"}')
    with pytest.raises(RecordingError, match="made_up"):
        read_recording(path)
    large = replace(GIVEN, steps=(replace(GIVEN.steps[0], workload="x" * MOST_BYTES),))
    with pytest.raises(RecordingError, match="at most"):
        write_recording(path, large)
    write_recording(path, replace(GIVEN, schema_version=99))
    with pytest.raises(RecordingError, match="version 99"):
        read_recording(path)


def test_no_figure_of_a_made_up_recording_can_be_fitted_or_shown() -> None:
    with pytest.raises(RecordingError, match="made up"):
        run_rows([GIVEN])
    assert "rtx3090" not in section([GIVEN])


def test_a_real_recordings_steps_are_rows_that_can_be_predicted_and_fitted(tmp_path: Path) -> None:
    real = replace(GIVEN, made_up=False)  # only here, in memory: to see what would be made of a real one
    changed = replace(real.steps[0], change="attention=eager")
    part = replace(real.steps[1], layer_limit=2)
    shaky = replace(real.steps[2], verdict="unstable")
    real = replace(real, steps=(*real.steps, changed, part, shaky))
    assert fit_steps(real) == list(real.steps[:4])
    path = tmp_path / "rows.csv"
    path.write_text(run_rows([real]))
    questions = questions_of(read_run_rows(path), WorkloadReader(tmp_path), spec_table())
    asked = [one for one in questions if isinstance(one, RowQuestion)]
    assert [one.row.workload for one in asked] == [step.workload for step in real.steps[:4]]
    assert [one.row.measured_s for one in asked] == pytest.approx([step.median_s for step in real.steps[:4]])
    assert {one.row.cells["torch"][:4] for one in asked} == {"2.11"}
    assert all(one.row.peak_bytes == pytest.approx(3e9) for one in asked)


def test_a_card_without_a_row_of_the_table_gives_no_rows() -> None:
    machine = GIVEN.machine
    unknown = replace(machine, gpus=(replace(machine.gpus[0], spec_key=None),))
    assert fit_steps(replace(GIVEN, machine=unknown)) == []


def test_what_was_measured_by_us_is_told_with_its_predictions_and_its_misses() -> None:
    seen = replace(GIVEN.steps[1], predicted_s=0.121, predicted_low_s=0.10, predicted_high_s=0.14)
    missed = replace(GIVEN.steps[2], predicted_s=0.104, predicted_low_s=0.09, predicted_high_s=0.12)
    text = section([replace(GIVEN, made_up=False, steps=(seen, missed))])
    assert "| resnet50 | FP32 | 16 | 110.0 | 121.0 | +10 % | inside | 3.00 | – |" in text
    assert "| bert_base_sst2 | FP32 | 16 | 52.0 | 104.0 | +100 % | outside | 3.00 | – |" in text
    assert "1 of 2 steps lie inside their 80 % range" in text


def test_a_changed_setting_is_told_against_the_step_without_it() -> None:
    plain = replace(GIVEN.steps[1], predicted_s=0.121, predicted_low_s=0.10, predicted_high_s=0.14)
    changed = replace(plain, change="channels_last=True", median_s=0.055, predicted_s=0.0605)
    text = section([replace(GIVEN, made_up=False, steps=(plain, changed))])
    assert "| resnet50 | FP32 | channels_last=True | 2.00 | 2.00 | 3.00 | – |" in text
    assert "One setting changed" not in section([replace(GIVEN, made_up=False, steps=(plain,))])


def test_a_changed_steps_workload_is_the_bundled_one_with_that_change() -> None:
    step = replace(GIVEN.steps[0], workload="gpt2_small", precision="bf16_amp")
    for change, changed in (
        (
            "optimizer_in_backward=True",
            {"optimizer_in_backward": True, "gradient_accumulation_steps": 1, "clip_gradient_norm": None},
        ),
        ("trainable=lora,lora_rank=16", {"trainable": "lora", "lora_rank": 16}),
    ):
        made = load_workload(tomlkit.parse(changed_workload(replace(step, change=change))).unwrap())
        assert made == with_training(load_workload("gpt2_small"), precision="bf16_amp", **changed)


def test_the_accuracy_page_tells_what_was_measured_by_us() -> None:
    page = DOCUMENT.read_text(encoding="utf-8")
    assert section(recordings()).strip() in page
    assert with_section(page, section(recordings())) == page
    assert with_section("# One\n\n## Measured by us\n\nold\n\n## Two\n", "## Measured by us\n\nnew\n") == (
        "# One\n\n## Measured by us\n\nnew\n\n## Two\n"
    )
