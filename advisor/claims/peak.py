"""Claims of the memory that a step of a bundled model takes on a card, against what it is predicted to hold at once."""

from __future__ import annotations

import dataclasses
import itertools

from advisor.catalogue.precisions import Precision
from advisor.claims.claim import Claim, ClaimAnswer, Verdict
from advisor.claims.gpu_names import shared_name
from advisor.claims.predictor import Predictor, candidate
from advisor.claims.refusals import unpredicted
from advisor.claims.setting import claimed_workload, range_over, usual_precision
from advisor.core.sentences import Arguments, Reason
from advisor.core.units import Estimate
from advisor.recommend.comparison import counted
from advisor.workload.workload import Workload, with_training

_ROUNDED = 1.05
"""Memory is told in round figures."""
_SHOWN = 1.3
"""What a driver shows beside what a step holds: its context, and free blocks that the allocator keeps (assumed)."""
_GB, _GIB = 1e9, 2.0**30
"""`6 GB` is said of either."""


def check_peak(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """The memory that is claimed of a step, of each card, against the prediction at its batch or at usual ones.

    Raises SaidError where the memory of no such step can be told.
    """
    workload = claimed_workload(claim, predictor)
    batches = (claim.batch_size,) if claim.batch_size is not None else (1, workload.training.batch_size)
    solved = dataclasses.replace(predictor, solves_memory=True)
    peaks = _peaks(claim, solved, workload, tuple(dict.fromkeys(batches)))
    expected = range_over(peaks)
    if expected is None:
        raise unpredicted(claim, workload.name, predictor.specs, traced=bool(predictor.tables(workload)))
    claimed = claim.memory_bytes or 0.0
    verdict: Verdict = "plausible"
    word = "plausible"
    if claimed * _GIB / _GB * _ROUNDED < expected.low:
        verdict, word = "plausible_only_with", "less"
    elif claimed > expected.high * _SHOWN * _ROUNDED:
        verdict, word = "below_expected", "more"
    numbers: Arguments = {
        "model": workload.name,
        "device": counted(claim.count or 1, shared_name([predictor.specs[key] for key in claim.gpus])),
        "claimed": f"{claimed / _GB:.4g} GB",
        **expected.arguments("expected", "bytes"),
    }
    open_batch = () if claim.batch_size is not None else (_any(batches),)
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=(Reason.of(f"claim-peak-{word}", **numbers), *open_batch))


def _any(batches: tuple[int, ...]) -> Reason:
    return Reason.of("claim-any-batch", least=min(batches), most=max(batches))


def _peaks(claim: Claim, predictor: Predictor, workload: Workload, batches: tuple[int, ...]) -> list[Estimate]:
    """What a step holds at once on each card that is meant, in each precision and at each batch that may be."""
    asked: tuple[Precision, ...] = (claim.precision,) if claim.precision else (workload.training.precision, "fp32")
    count = claim.count or 1
    strategy = "single" if count == 1 else claim.strategy or "ddp"
    peaks: list[Estimate] = []
    for key, precision, batch in itertools.product(claim.gpus, dict.fromkeys(asked), batches):
        usual = usual_precision(predictor.specs[key], precision)
        if usual is not None:
            set_up = candidate(predictor.specs[key], usual, batch, count=count, strategy=strategy)
            changed = with_training(workload, precision=usual, batch_size=batch)
            peaks += [
                prediction.peak_memory_bytes
                for prediction in predictor.predict(changed, (set_up,))
                if prediction.peak_memory_bytes is not None
            ]
    return peaks
