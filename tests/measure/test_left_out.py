"""What is told of batch sizes and blocks that were not timed."""

from __future__ import annotations

from advisor.catalogue.precisions import Precision
from advisor.core.sentences import Reason, say
from advisor.measure.left_out import left_out
from advisor.measure.measurement import StepMeasurement, Verdict
from advisor.measure.statistics import summarise


def _step(
    batch_size: int, *, measured: bool, precision: Precision = "fp32", blocks: int | None = None
) -> StepMeasurement:
    why = Reason.of("measure-ended-no-budget", batch_size=batch_size)
    return StepMeasurement(
        batch_size=batch_size,
        precision=precision,
        thread_count=2,
        layer_limit=blocks,
        full_layer_count=None if blocks is None else 12,
        samples=(),
        summary=summarise([0.02] * 9, duration_s=0.2, stop_reason="settled") if measured else None,
        device_summary=None,
        parts_s={},
        memory=None,
        verdict=Verdict(kind="stable") if measured else Verdict(kind="not_measured", reason=why),
    )


def test_from_which_size_on_nothing_was_timed_is_told_once() -> None:
    steps = [_step(1, measured=True), _step(64, measured=False), _step(8, measured=False)]
    (reason,) = left_out("AMD EPYC", steps)
    assert reason.numbers == {"device": "AMD EPYC", "precision": "FP32", "batch_size": 8, "count": 2}
    assert "from batch size 8 on" in say(reason, "en")
    assert "2" in say(reason, "zh")


def test_where_all_or_nothing_was_timed_no_size_is_told() -> None:
    assert left_out("AMD EPYC", [_step(1, measured=True), _step(8, measured=True)]) == ()
    assert left_out("AMD EPYC", [_step(1, measured=False)]) == ()


def test_each_precision_tells_its_own() -> None:
    parts = [_step(1, measured=True, precision="bf16_amp", blocks=blocks) for blocks in (1, 2)]
    cut = _step(8, measured=False, precision="bf16_amp", blocks=1)
    found = left_out("AMD EPYC", [_step(1, measured=True), _step(8, measured=False), *parts, cut])
    assert [reason.code for reason in found] == ["measure-sizes-left-out", "measure-part-of-layers"]
    assert found[1].numbers == {"layers": 2, "all": 12}
