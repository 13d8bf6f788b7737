"""Claims of a step time, a rate, an epoch or a job on a named card: roofline first, then the prediction."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable

import msgspec

from advisor.catalogue.precisions import PRECISION_LABELS, Precision
from advisor.catalogue.strategies import STRATEGY_LABELS
from advisor.claims.bounds import Bound
from advisor.claims.claim import Claim, ClaimAnswer, Verdict, any_precision_of
from advisor.claims.claimed_set_up import ClaimedSetUp, claimed_set_ups, nearest_own, open_precisions
from advisor.claims.limits import likely_limits
from advisor.claims.predictor import Predictor
from advisor.claims.reading.models.mode_words import says_training
from advisor.claims.refusals import unpredicted
from advisor.claims.setting import claimed_workload, fp32_meant, in_open_layouts
from advisor.claims.untold_samples import of_own_samples
from advisor.core.sentences import Arguments, Names, Reason, Value
from advisor.predict.accuracy_record import accuracy_record
from advisor.recommend.comparison import counted
from advisor.workload.workload import Workload, with_training

_COUNTED_FROM = 10
"""Of a second's samples: fewer are no count."""
_FAR_SLOWER = 2.0
"""A claim that only a batch below the usual one explains says so where that one would be so much slower (assumed)."""


def check_time(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """Judge a step time, a rate, an epoch or a whole job. Raises InputError naming what is missing."""
    answer = _judged(claim, predictor)
    if answer is None and claim.strategy is None and (claim.count or 1) > 1:
        # No card holds a copy: nobody who timed it can have trained with one on each.
        sharded = _judged(msgspec.structs.replace(claim, strategy="fsdp"), predictor)
        said = Reason.of("claim-with-sharding", strategy=STRATEGY_LABELS["fsdp"])
        answer = sharded and msgspec.structs.replace(sharded, reasons=(*sharded.reasons, said))
    answer = answer or _judged(claim, predictor, fitting=False)
    workload = claimed_workload(claim, predictor)
    if answer is None:
        raise unpredicted(claim, workload.name, predictor.specs, traced=False)
    answer = _in_usual_layout(claim, answer, predictor)
    length = workload.data.sequence_length
    answer = of_own_samples(claim, answer, workload)
    if claim.sequence_length is None and length is not None:
        said = Reason.of("claim-length-of-model", length=length)
        answer = msgspec.structs.replace(answer, reasons=(*answer.reasons, said))
    return answer


def _stated(claim: Claim) -> tuple[Precision, ...]:
    """What the claim's precision may be; none where it names none."""
    if claim.precision == "fp32" and claim.workload is not None:
        return fp32_meant(claim, claim.workload)
    return (claim.precision,) if claim.precision is not None else ()


def _in_usual_layout(claim: Claim, answer: ClaimAnswer, predictor: Predictor) -> ClaimAnswer:
    """A time that is longer than expected, in torch's usual layout where nobody says that it is of channels last."""
    if answer.verdict != "below_expected" or answer.expected_step_s is None or claim.workload is None:
        return answer
    usual = in_open_layouts(claim, claim.workload)[-1]
    other = _judged(usual, predictor) if usual is not claim else None
    if other is None:
        return answer
    said = Reason.of("claim-usual-layout", **answer.expected_step_s.arguments("expected", "s"))
    return msgspec.structs.replace(other, claim=claim, reasons=(*other.reasons, said))


def _judged(claim: Claim, predictor: Predictor, *, fitting: bool = True) -> ClaimAnswer | None:
    """The answer by the set-ups that fit, or else by the smallest batch; None: there are no such set-ups."""
    workload = claimed_workload(claim, predictor)
    stated = _stated(claim) or open_precisions(workload)
    at_each = (claimed_set_ups(claim, predictor, workload, precision, fitting=fitting) for precision in stated)
    set_ups = list(itertools.chain.from_iterable(at_each))
    if not set_ups:
        return None
    fastest = min(set_ups, key=lambda set_up: set_up.expected.value / set_up.claimed_step_s)
    if all(set_up.claimed_step_s > set_up.expected.high for set_up in set_ups):
        return _below(claim, nearest_own(set_ups, workload) or fastest, workload)
    held = [set_up for set_up in set_ups if set_up.holds]
    if near := held or [set_up for set_up in set_ups if set_up.reached]:
        judged = _plausible if held else _between
        return judged(claim, nearest_own(near, workload) or fastest, set_ups, workload)
    explained = _explained(claim, predictor, workload)
    if explained is not None:
        return explained
    if fastest.bound is not None and all(set_up.impossible for set_up in set_ups):
        return _impossible(claim, fastest, fastest.bound, workload)
    possible = min(
        (set_up for set_up in set_ups if not set_up.impossible),
        key=lambda set_up: set_up.expected.value / set_up.claimed_step_s,
    )
    return _faster_than_expected(claim, possible)


def _faster_than_expected(claim: Claim, possible: ClaimedSetUp) -> ClaimAnswer:
    """What only the card's peak rates allow: no wonder of better kernels where no run was ever so far ahead."""
    runs = accuracy_record().score("source")
    faster = possible.expected.value / possible.claimed_step_s
    # Those runs were of one card each: what several may save on their link is no part of it.
    computed = 1.0 - possible.best.part_share("communication", "imbalance")
    if runs is None or faster * computed <= runs.fastest_ratio:
        return _answer(claim, "plausible_only_with", possible, "claim-only-with-better-kernels")
    told = {"faster_ratio": faster, "most_ratio": runs.fastest_ratio, "run_count": runs.run_count}
    return _answer(claim, "plausible_only_with", possible, "claim-beyond-every-run", **told)


def _numbers(set_up: ClaimedSetUp, claim: Claim) -> Arguments:
    count = claim.count or 1
    return {
        "device": counted(count, set_up.device),
        "precision": PRECISION_LABELS[set_up.precision],
        "batch": set_up.batch_size,
        "claimed_s": set_up.claimed_step_s,
        **set_up.expected.arguments("expected", "s"),
    }


def _answer(
    claim: Claim,
    verdict: Verdict,
    set_up: ClaimedSetUp,
    code: str,
    beside: Iterable[Reason] = (),
    /,
    **numbers: Value,
) -> ClaimAnswer:
    """The answer whose first statement is `code`, of the set-up's figures and `numbers`."""
    return ClaimAnswer(
        claim=claim,
        verdict=verdict,
        reasons=(Reason.of(code, **{**_numbers(set_up, claim), **numbers}), *beside),
        claimed_step_s=set_up.claimed_step_s,
        expected_step_s=set_up.expected,
        bound_step_s=set_up.bound.step_s if set_up.bound is not None else None,
    )


def _plausible(claim: Claim, set_up: ClaimedSetUp, set_ups: list[ClaimedSetUp], workload: Workload) -> ClaimAnswer:
    """In range; but if what was left out would not do otherwise, precision or batch, it holds only with these."""
    fit = _memory_reasons(set_up)
    holding = {set_up.precision for set_up in set_ups if set_up.holds}
    seen = {set_up.precision for set_up in set_ups}
    if claim.precision is None and holding != seen:
        named = _in_their_order(set_ups, holding)
        return _answer(claim, "plausible_only_with", set_up, "claim-only-with-precision", fit, precisions=named)
    own = workload.training.batch_size
    larger = [other for other in set_ups if other.holds and other.batch_size >= own]
    usual = next((other for other in set_ups if other.precision == set_up.precision and other.batch_size == own), None)
    slower = usual.claimed_step_s / usual.expected.value if usual is not None and not larger else 1.0
    if slower > _FAR_SLOWER and claim.batch_size is None:
        code = "claim-only-with-small-batch"
        return _answer(claim, "plausible_only_with", set_up, code, fit, usual_batch=own, slower_ratio=slower)
    answer = _answer(claim, "plausible_only_with" if fit else "plausible", set_up, "claim-plausible")
    return msgspec.structs.replace(answer, reasons=(*fit, *answer.reasons))


def _memory_reasons(set_up: ClaimedSetUp) -> tuple[Reason, ...]:
    """That the step does not fit, where that is known."""
    best = set_up.best
    peak, capacity = best.peak_memory_bytes, best.usable_memory_bytes
    if best.fits is not False or peak is None or capacity is None:
        return ()
    sizes = {"need_bytes": peak.value, "capacity_bytes": capacity}
    return (Reason.of("claim-only-with-less-memory", device=best.device.name, batch=set_up.batch_size, **sizes),)


def _below(claim: Claim, set_up: ClaimedSetUp, workload: Workload) -> ClaimAnswer:
    slower = set_up.claimed_step_s / set_up.expected.value
    limits = likely_limits(claim, set_up.best, workload, set_up.claimed_step_s)
    return _answer(claim, "below_expected", set_up, "claim-below", limits, slower_ratio=slower)


def _between(claim: Claim, set_up: ClaimedSetUp, set_ups: list[ClaimedSetUp], workload: Workload) -> ClaimAnswer:
    """Too slow for one precision and too fast for the next: something may slow a run, and nothing speeds it up."""
    answer = _below(claim, set_up, workload)
    beaten = {other.precision for other in set_ups} - {other.precision for other in set_ups if other.reached}
    if not beaten:
        return answer
    named = _in_their_order(set_ups, beaten)
    return msgspec.structs.replace(answer, reasons=(*answer.reasons, Reason.of("claim-too-fast-in", precisions=named)))


def _in_their_order(set_ups: list[ClaimedSetUp], precisions: Collection[Precision]) -> Names:
    """Any of these precisions, in the order in which the set-ups have them."""
    return any_precision_of(one for one in dict.fromkeys(set_up.precision for set_up in set_ups) if one in precisions)


def _explained(claim: Claim, predictor: Predictor, workload: Workload) -> ClaimAnswer | None:
    """The first change at which a claim that is too fast would hold: precision, layout, compilation, mode, FP16."""
    stated = claim.precision
    answer = _by_precision(claim, predictor, workload, open_precisions(workload)) if stated is not None else None
    if answer is not None:
        return answer
    for code, change in _changes(claim, workload):
        changed = with_training(workload, **change)
        mode_kept = "mode" not in change
        asked = claim if mode_kept else msgspec.structs.replace(claim, mode="inference")
        for precisions in (
            (stated,) if stated is not None else (),
            open_precisions(workload) if mode_kept or stated is None else (),
        ):
            set_up = nearest_own(_reaching(asked, predictor, changed, precisions), workload)
            if set_up is not None:
                return _answer(claim, "plausible_only_with", set_up, code)
    return _by_precision(claim, predictor, workload, ("fp16",))


def _by_precision(
    claim: Claim, predictor: Predictor, workload: Workload, precisions: tuple[Precision, ...]
) -> ClaimAnswer | None:
    for precision in precisions:
        set_up = nearest_own(_reaching(claim, predictor, workload, (precision,)), workload)
        if set_up is not None:
            fit, named = _memory_reasons(set_up), any_precision_of((precision,))
            return _answer(claim, "plausible_only_with", set_up, "claim-only-with-precision", fit, precisions=named)
    return None


def _reaching(
    claim: Claim, predictor: Predictor, workload: Workload, precisions: tuple[Precision, ...]
) -> list[ClaimedSetUp]:
    return [
        set_up
        for precision in precisions
        for set_up in claimed_set_ups(claim, predictor, workload, precision)
        if set_up.reached
    ]


def _changes(claim: Claim, workload: Workload) -> list[tuple[str, dict[str, object]]]:
    """What the claim leaves open beside precision and would make it faster, with the sentence that says so."""
    changes: list[tuple[str, dict[str, object]]] = []
    if claim.channels_last is None and not workload.training.channels_last and workload.data.image_size is not None:
        changes.append(("claim-only-with-channels-last", {"channels_last": True}))
    if claim.compile is None and not workload.training.compile:
        changes.append(("claim-only-with-compile", {"compile": True}))
    if claim.mode == "training" and not says_training(claim.text or ""):
        changes.append(("claim-only-with-inference", {"mode": "inference"}))
    return changes


def _impossible(claim: Claim, set_up: ClaimedSetUp, bound: Bound, workload: Workload) -> ClaimAnswer:
    """The roofline that proves it: the work of a step, the cards' peak rate, and the time that leaves."""
    count = claim.count or 1
    samples = set_up.batch_size * count
    numbers: Arguments = {
        "model": workload.name,
        "device": counted(count, set_up.bounded),
        "batch": samples,
        "bound_s": bound.step_s,
        "work_flop": bound.flop * count,
        "peak_flop_per_s": bound.rate_flop_per_s * count,
        "needed_flop_per_s": bound.flop * count / set_up.claimed_step_s,
        "most_rate": _rate_text(samples / bound.step_s),
        "claimed_rate": _rate_text(samples / set_up.claimed_step_s),
    }
    code = "claim-impossible-rate" if claim.samples_per_s is not None else "claim-impossible-step"
    return _answer(claim, "impossible", set_up, code, **numbers)


def _rate_text(per_second: float) -> int | str:
    """A rate as a count; few a second with their decimals, which a count would leave out."""
    return round(per_second) if per_second >= _COUNTED_FROM else f"{per_second:.3g}"
