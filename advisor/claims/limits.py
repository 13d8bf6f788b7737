"""What likely slows down a run that is slower than this program expects."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.claims.claim import Claim
from advisor.core.sentences import Reason
from advisor.predict.prediction import Prediction
from advisor.recommend.wall_time import validation_pass_s
from advisor.workload.workload import Workload

HOST_SHARE = 0.3
FEWEST_STEPS_BETWEEN = 20
"""Nobody validates more often; a smaller interval explains nothing."""
MOST_GAIN_RATIO = 3.0
"""More than this a reduced precision hardly gains."""


def likely_limits(claim: Claim, expected: Prediction, workload: Workload, claimed_step_s: float) -> Iterator[Reason]:
    """What to look at, the likeliest first: host, communication, validation and loader, precision."""
    lost_s = claimed_step_s - expected.step_s.value
    host_share = expected.part_share("host", "synchronisation")
    if host_share >= HOST_SHARE:
        yield Reason.of("claim-limit-host", share_fraction=host_share)
    if (claim.count or 1) > 1:
        yield Reason.of("claim-limit-communication", count=claim.count or 1)
    pass_s = validation_pass_s(workload, expected)
    if (claim.epoch_s is not None or claim.job_s is not None) and pass_s >= FEWEST_STEPS_BETWEEN * lost_s:
        every, lost = round(pass_s / lost_s), lost_s / claimed_step_s
        yield Reason.of("claim-limit-validation", pass_s=pass_s, every_steps=every, lost_fraction=lost)
    reduced = expected.precision in {"fp16_amp", "bf16_amp", "tf32"}
    if reduced and claimed_step_s < MOST_GAIN_RATIO * expected.step_s.value:
        yield Reason.of("claim-limit-precision-off")
    if host_share < HOST_SHARE:
        yield Reason.of("claim-limit-loader", lost_s=lost_s)
