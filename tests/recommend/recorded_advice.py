"""What is advised, and for which reasons, of steps of fake physics; `python -m tests.recommend.recorded_advice` writes
it anew where the advice was changed on purpose."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from advisor.core.sentences import Reason
from advisor.recommend.recommendation import Limits, Recommendation, Recommendations
from tests.recommend.fakes import RECURRENT, TINY, TRANSFORMER, gpu, workload
from tests.recommend.test_recommend import IRIS, advise

FILE = Path(__file__).with_name("recorded_advice.json")
SMALL = replace(TRANSFORMER, flop_per_sample=5e8, bytes_per_sample=5e6, gradient_bytes=4e7)
HEAVY = replace(TRANSFORMER, flop_per_sample=2e11, gradient_bytes=2.4e8)
LARGE = replace(TRANSFORMER, memory_fixed_bytes=44e9, gradient_bytes=6e9)


def questions() -> Iterator[tuple[str, Recommendations]]:
    """Every regime: tiny, recurrent, compute, memory, links, loaders, prices, limits."""
    pair = ("a100-sxm4-40", "rtx4090")
    yield "tiny", advise(IRIS, TINY, gpu())
    yield "recurrent", advise(workload(batch_size=32), RECURRENT, gpu(), gpu(1))
    yield "strict", advise(workload("fp32"), TRANSFORMER, keys=pair)
    yield "half", advise(workload("fp16_amp"), TRANSFORMER, keys=pair)
    yield "tf32", advise(workload("tf32"), TRANSFORMER, gpu(), keys=("v100-sxm2-32", "a100-pcie-40"))
    yield "small", advise(workload("fp32", batch_size=8), SMALL, gpu(), gpu(1))
    yield "links", advise(workload("fp32"), HEAVY, keys=("l40s",), max_global_batch_growth=2.0)
    yield "many", advise(workload("fp32"), replace(HEAVY, gradient_bytes=2e10), keys=("a100-sxm4-40", "l40s"))
    yield "large", advise(workload("fp32", batch_size=4), LARGE, keys=("rtx4090", "l40s"))
    yield "loader", advise(workload(validation_samples=20000), replace(TRANSFORMER, loader_s=0.3), keys=pair)
    yield "cost", advise(workload(), TRANSFORMER, keys=pair, goal="cost")
    yield "energy", advise(workload(), TRANSFORMER, gpu(), keys=pair, goal="energy")
    limits = Limits(max_power_w=300.0, max_job_s=1e5)
    yield "limits", advise(workload(), TRANSFORMER, keys=("v100-sxm2-32", *pair), limits=limits)
    yield "held", advise(workload(batch_size=16), SMALL, gpu(), keys=pair, global_batch_size=64)


def said(reason: Reason) -> list[Any]:
    """A reason with its numbers, to seven digits."""
    numbers = sorted((name, _short(value)) for name, value in reason.numbers.items())
    return [reason.code, *([name, value] for name, value in numbers)]


def _short(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.7g}")
    return value if isinstance(value, str | int) else msgspec.to_builtins(value)


def chosen(one: Recommendation | None) -> dict[str, Any] | None:
    """A recommendation without its prose."""
    if one is None:
        return None
    set_up = [one.device.key, one.count, one.strategy, one.precision, one.batch_size_per_device]
    set_up.append(one.gradient_accumulation_steps)
    reasons = {"why": one.why, "otherwise": one.would_change_if}
    return {"set-up": set_up} | {name: [said(reason) for reason in found] for name, found in reasons.items()}


def recorded() -> dict[str, Any]:
    """Everything that is advised, by the question."""
    return {
        name: {
            "best": chosen(answer.recommendation),
            "here": chosen(answer.recommendation_local),
            "alternatives": [said(one.reason) for one in answer.alternatives],
            "batches": [said(one.reason) for one in answer.batch_advice],
            "crossovers": [said(one.reason) for one in answer.crossovers],
            "reasons": [said(one) for one in answer.reasons],
            "caveats": [said(one) for one in answer.caveats],
            "places": list(answer.best_set_ups),
        }
        for name, answer in questions()
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(recorded(), indent=0) + "\n", encoding="utf-8")
