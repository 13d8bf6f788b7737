"""Cases answered from their own figures: where a batch crosses over, and where an epoch's time goes."""

from __future__ import annotations

import math
from typing import NamedTuple

from advisor.cases.case_file import Case, Finding
from advisor.claims.predictor import Predictor, candidate
from advisor.core.sentences import Reason
from advisor.logs.periodic_validation import PeriodicValidation
from advisor.recommend.comparison import fixed_s
from advisor.workload.workload_file import load_workload

HOSTED_CARDS = ("t4", "p100-pcie-16", "v100-sxm2-16")
"""Cards that hosted notebooks give; stand-ins where a source names none."""


class _Line(NamedTuple):
    """A step's time as a fixed cost and a cost a sample, through two points."""

    fixed_s: float
    per_sample_s: float

    @classmethod
    def through(cls, first: tuple[float, float], second: tuple[float, float]) -> _Line:
        """Through two (batch size, iterations per second) points."""
        (size0, rate0), (size1, rate1) = first, second
        slope = (1 / rate1 - 1 / rate0) / (size1 - size0)
        return cls(1 / rate0 - slope * size0, slope)


def answer_rnn_crossover(case: Case, predictor: Predictor) -> Finding:
    """The RNN: where the reported lines of CPU and GPU cross, and what the prediction says of such GPUs."""
    cpu = _Line.through((100, case.number("batch100_cpu_it_s")), (10000, case.number("batch10000_cpu_it_s")))
    gpu = _Line.through((100, case.number("batch100_gpu_it_s")), (10000, case.number("batch10000_gpu_it_s")))
    crossing = math.ceil((gpu.fixed_s - cpu.fixed_s) / (cpu.per_sample_s - gpu.per_sample_s))
    reasons = [
        Reason.of(
            "case-crossover",
            batch=crossing,
            gpu_fixed_s=gpu.fixed_s,
            cpu_fixed_s=cpu.fixed_s,
            gain_ratio=cpu.per_sample_s / gpu.per_sample_s,
        ),
        Reason.of("case-crossover-why", gpu_step_s=1 / case.number("batch100_gpu_it_s")),
    ]
    figures = {"crossover_count": float(crossing), "gpu_fixed_s": gpu.fixed_s}
    workload = load_workload("rnn_characters")
    specs = [predictor.specs[key] for key in HOSTED_CARDS if key in predictor.specs]
    wanted = tuple(candidate(spec, "fp32", size) for spec in specs for size in (100, 200, 10000))
    predicted = predictor.predict(workload, wanted)
    small = [prediction for prediction in predicted if prediction.batch_size_per_device == 100]  # noqa: PLR2004 - the case's own batch
    if small:
        fastest = min(small, key=lambda prediction: prediction.step_s.value)
        slowest = max(small, key=lambda prediction: prediction.step_s.value)
        fixed = fixed_s(slowest, predicted)
        alike = slowest.step_s.value < _ALIKE_RATIO * fastest.step_s.value
        figures["predicted_step_s"] = slowest.step_s.value
        reasons.append(
            Reason.of(
                "case-gpu-expected-alike" if alike else "case-gpu-expected",
                fast_step_s=fastest.step_s.value,
                slow_step_s=slowest.step_s.value,
                reported_step_s=1 / case.number("batch100_gpu_it_s"),
                fixed_fraction=fixed / slowest.step_s.value,
                slower_ratio=1 / case.number("batch100_gpu_it_s") / slowest.step_s.value,
            )
        )
    return Finding("plausible", reasons, figures)


_ALIKE_RATIO = 1.005
"""Steps nearer to each other than this are printed as the same."""


def answer_epoch_log(case: Case, predictor: Predictor) -> Finding:
    """The epoch log: what share of each interval is validation, and what a longer interval would give."""
    del predictor
    every = case.number("validation_every_steps")
    first, last = case.number("step_0_s"), case.number("step_5300_s")
    intervals = (5300 - 0) / every
    log = PeriodicValidation(
        interval_s=(last - first) / intervals,
        validation_s=first,
        every_steps=round(every),
        step_count=round(case.number("steps_per_epoch")),
    )
    reasons = (*log.reasons(), Reason.of("case-validation-rows", rows=round(case.number("test_rows"))))
    better_s = log.total_at_s(log.better_every_steps)
    figures = {"validation_fraction": log.validation_fraction, "epoch_s": log.total_s, "better_epoch_s": better_s}
    return Finding("below_expected", reasons, figures)
