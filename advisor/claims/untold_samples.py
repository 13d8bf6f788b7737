"""Times of an epoch or a whole training whose number of samples is not told: those of the workload, and what else."""

from __future__ import annotations

import msgspec

from advisor.claims.claim import Claim, ClaimAnswer
from advisor.core.sentences import Arguments, Reason
from advisor.workload.workload import Workload


def of_own_samples(claim: Claim, answer: ClaimAnswer, workload: Workload) -> ClaimAnswer:
    """The answer with the samples that an epoch was taken to have, which the claim may mean otherwise."""
    told = (claim.trained_samples, claim.trained_tokens)
    if (claim.epoch_s or claim.job_s) is None or any(told):
        return answer
    data = workload.name.rpartition(" on ")[2].lower()
    named = claim.text is None or data in claim.text.lower()
    if answer.verdict == "impossible" and not named:
        reason = Reason.of("claim-only-with-fewer-samples", samples=workload.data.samples, model=workload.name)
        return msgspec.structs.replace(answer, verdict="plausible_only_with", reasons=(reason,))
    if answer.verdict == "below_expected" and not named:
        return _with_more_samples(claim, answer, workload)
    said = () if named else (Reason.of("claim-samples-of-model", samples=workload.data.samples, model=workload.name),)
    return msgspec.structs.replace(answer, reasons=(*answer.reasons, *said))


def _with_more_samples(claim: Claim, answer: ClaimAnswer, workload: Workload) -> ClaimAnswer:
    """How many samples would explain a time that is too long for the workload's own.

    An epoch has the usual data's samples more often than not; a whole training without a word of it has any number.
    """
    expected, claimed_s = answer.expected_step_s, answer.claimed_step_s
    if expected is None or claimed_s is None:
        return answer
    of_epoch = claim.epoch_s is not None
    samples = workload.data.samples * (1 if of_epoch else workload.training.epochs)
    passed = (samples * claimed_s / step_s for step_s in (expected.high, expected.low))
    least, most = (round(float(f"{count:.2g}")) for count in passed)
    numbers: Arguments = {"samples": round(samples), "model": workload.name, "least": least, "most": most}
    if of_epoch:
        said = Reason.of("claim-samples-of-model-below", **numbers)
        return msgspec.structs.replace(answer, reasons=(*answer.reasons, said))
    only = Reason.of("claim-only-with-more-samples", **numbers)
    return msgspec.structs.replace(answer, verdict="plausible_only_with", reasons=(only,))
