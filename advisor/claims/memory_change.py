"""Claims about how much of a card's memory a change takes or saves, as a share of it or in bytes."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from advisor.claims.change_sides import predicted_pair
from advisor.claims.changes import (
    batches_of,
    grown_ratio,
    judged_by,
    kind_of,
    kinds_of,
    models_of,
    one_side_each,
    ways_meant,
    words_of,
)
from advisor.claims.claim import Claim, ClaimAnswer, Verdict
from advisor.claims.gpu_names import shared_name
from advisor.claims.predictor import Predictor
from advisor.claims.refusals import refusal
from advisor.claims.setting import range_over
from advisor.core.sentences import Arguments, Listed, Reason
from advisor.core.units import Estimate
from advisor.predict.prediction import Prediction
from advisor.predict.ranges.gain_range import independent_ratio
from advisor.recommend.comparison import counted
from advisor.workload.workload import Training, stored_bits
from advisor.workload.workload_file import load_workload

_OF_ANY_CARD = ("a100-sxm4-80",)
"""What a step holds hardly differs between cards: asked of where a claim names none."""
_LARGE_BATCH, _LARGE_FACTOR = 16, 8
"""Tried beside one sample and a workload's own where a claim names no batch: activations grow with it."""
_WHOLE_BITS = 16
_QUANTISED = Training(precision="bf16_amp", batch_size=1, quantization="nf4")
"""As a side with QLoRA is predicted."""
_ROUNDED = 1.05
"""Memory is claimed in round words: `half` is said of 48 or 52 % too (assumed)."""
_GB, _GIB = 1e9, 2.0**30
"""`6 GB` is said of either."""
_SIZE_SLACK = 1.3
"""A model's size is named in round numbers; bytes of one of another size are other bytes."""
_COUNTED = {"parameters", "gradients", "optimizer"}
_ONE_WAY = {"tuning", "attention", "checkpointing", "switched"}
_EXPLAINED: dict[tuple[str | None, str], str] = {
    ("precision", "above"): "claim-why-autocast-memory",
    ("tuning", "above"): "claim-why-weights",
    ("optimizer_8bit", "below"): "claim-why-shared-states",
    ("optimizer_8bit", "above"): "claim-why-states",
}
"""What decides the memory of a change beyond the set-up that it was predicted on."""


class _Held(NamedTuple):
    """The most that a card holds at once before a change, and the share of that after it."""

    before_bytes: Estimate
    ratio: Estimate

    @property
    def saved_bytes(self) -> Estimate:
        """What the change saves, by the range of the share: both sides err alike in what stays."""
        whole, ratio = self.before_bytes.value, self.ratio
        low, value, high = (whole * (1 - share) for share in (ratio.high, ratio.value, ratio.low))
        return Estimate(value=value, low=low, high=high, basis=ratio.basis)

    def scaled(self, scale: float) -> _Held:
        """The same share of so many times the bytes."""
        return self if scale == 1 else self._replace(before_bytes=self.before_bytes.scaled(scale))


def check_memory_change(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """The memory that the same cards hold after a change, against that before it.

    Raises InputError where the memory of either cannot be told, or bytes are claimed of no model that is known.
    """
    if claim.reference_strategy is not None and (claim.count or 1) == 1:
        raise refusal("claim-strategies-without-count", claim, predictor.specs)
    asked = msgspec.structs.replace(
        claim, gpus=claim.gpus or tuple(key for key in _OF_ANY_CARD if key in predictor.specs)
    )
    names = models_of(asked, predictor)
    scale = 1.0 if claim.saved_bytes is None or claim.workload is not None else _scale(claim, predictor, names)
    if scale is None:
        raise refusal("claim-saved-without-model", claim, predictor.specs)
    held = [one for key in asked.gpus for name in names for one in _held(asked, predictor, key, name)]
    if not held:
        sides = {side: name for side, name in words_of(claim).items() if side != "change"}
        device = shared_name([predictor.specs[key] for key in asked.gpus])
        raise refusal("claim-change-not-predicted", claim, predictor.specs, device=device, **sides)
    if claim.saved_bytes is not None:
        scaled = [one.scaled(scale) for one in held]
        return _of_bytes(asked, claim, predictor, scaled)
    return _of_share(asked, claim, predictor, held)


def _scale(claim: Claim, predictor: Predictor, names: Sequence[str]) -> float | None:
    """How many times as large as that of the model that it is judged by a saving is; None: not known.

    An optimizer's states are so many bytes of each parameter, whatever the model; other savings are each model's own.
    """
    if claim.parameters is None:
        return None
    tables = predictor.tables(load_workload(names[0])).values()
    own = max((table.parameter_count for table in tables), default=0)
    if own / _SIZE_SLACK <= claim.parameters <= own * _SIZE_SLACK:
        return 1.0
    return claim.parameters / own if own and claim.switched == "optimizer_8bit" else None


def _of_share(asked: Claim, claim: Claim, predictor: Predictor, held: Sequence[_Held]) -> ClaimAnswer:
    """The answer where a share of the memory is claimed."""
    expected = range_over([one.ratio for one in held])
    assert expected is not None
    ratio, bound = claim.memory_ratio or 1.0, _least_ratio(claim)
    verdict: Verdict = "plausible"
    if bound is not None and ratio < min(bound, expected.low):
        verdict, word = "impossible", "impossible"
    elif ratio * _ROUNDED < expected.low:
        verdict, word = "plausible_only_with", "above"
    elif ratio > expected.high * _ROUNDED:
        verdict, word = "below_expected", "below"
    else:
        word = "plausible"
    numbers: Arguments = {
        **_sides(asked, claim, predictor),
        "claimed_fraction": ratio,
        **expected.arguments("expected", "fraction"),
        "bound_fraction": bound or 0.0,
    }
    of = (*_tried(asked, predictor), *judged_by(asked, predictor))
    reasons = (Reason.of(f"claim-memory-{word}", **numbers), *_why(claim, word), *of)
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=reasons, expected_memory_ratio=expected)


def _of_bytes(asked: Claim, claim: Claim, predictor: Predictor, held: Sequence[_Held]) -> ClaimAnswer:
    """The answer where bytes are claimed to be saved."""
    expected = range_over([one.saved_bytes for one in held])
    assert expected is not None
    claimed = claim.saved_bytes or 0.0
    most_bytes = max(one.before_bytes.high for one in held)
    verdict: Verdict = "plausible"
    if claimed > most_bytes * _ROUNDED and claim.batch_size is not None:
        verdict, word = "impossible", "impossible"
    elif claimed > expected.high * _ROUNDED:
        verdict, word = "plausible_only_with", "above"
    elif claimed * _GIB / _GB * _ROUNDED < expected.low:
        verdict, word = "below_expected", "below"
    else:
        word = "plausible"
    numbers: Arguments = {
        **_sides(asked, claim, predictor),
        "claimed": f"{claimed / _GB:.4g} GB",
        **expected.arguments("expected", "bytes"),
        "most_bytes": most_bytes,
    }
    of = (*_tried(asked, predictor), *judged_by(asked, predictor))
    reasons = (Reason.of(f"claim-saved-{word}", **numbers), *_why(claim, word), *of)
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=reasons, expected_saved_bytes=expected)


def _sides(asked: Claim, claim: Claim, predictor: Predictor) -> Arguments:
    """The cards, and what stands after and before the change, as a step is said to have it."""
    words = words_of(claim)
    kinds = kinds_of(claim)
    if kinds in {("batch",), ("length",)}:  # a bare figure is named
        after, before = one_side_each(claim, kinds[0])
        words |= {"after": Listed(reasons=(after,)), "before": Listed(reasons=(before,))}
    device = counted(claim.count or 1, shared_name([predictor.specs[key] for key in asked.gpus]))
    return {"device": device, **words}


def _why(claim: Claim, word: str) -> tuple[Reason, ...]:
    kind = kind_of(claim)
    code = _EXPLAINED.get((claim.switched if kind == "switched" else kind, word))
    from_half = kind == "precision" and claim.reference_precision != "fp32"
    of_more_than_weights = kind == "tuning" and _least_ratio(claim) is None
    return () if code is None or from_half or of_more_than_weights else (Reason.of(code),)


def _held(claim: Claim, predictor: Predictor, key: str, name: str) -> list[_Held]:
    """Of one model at each batch size, and in each way, that may be meant, on one card."""
    solved = dataclasses.replace(predictor, solves_memory=True)
    found: list[_Held] = []
    for meant, batch in itertools.product(ways_meant(claim), _batches(claim, name)):
        pair = predicted_pair(meant, solved, predictor.specs[key], name, batch)
        if pair is not None:
            after, before = (prediction.peak_memory_bytes for prediction in pair)
            if after is not None and before is not None:
                found.append(_Held(before, _one_way(claim, _share_of(pair, after, before))))
    return found


def _share_of(pair: tuple[Prediction, Prediction], after: Estimate, before: Estimate) -> Estimate:
    """One need over the other, by the range of what differs between them: what stays the same errs alike on both sides.

    Parameters, gradients and states are counted, so that the other parts err by more than the whole does.
    """
    alone = independent_ratio(after, before)
    new, old = ({part.kind: part.size_bytes for part in prediction.memory_parts} for prediction in pair)
    differs = {kind: abs(new.get(kind, 0.0) - old.get(kind, 0.0)) for kind in sorted({*new, *old})}
    uncertain = [kind for kind in differs if kind not in _COUNTED]
    held = max(sum(side.get(kind, 0.0) for kind in uncertain) for side in (new, old))
    shares = (sum(differs.values()) / before.value, sum(differs[kind] for kind in uncertain) / held if held else 0.0)
    width = max(before.high / before.value - 1, 1 - before.low / before.value) * max(shares)
    low, high = max(alone.low, alone.value - width), min(alone.high, alone.value + width)
    return msgspec.structs.replace(alone, low=low, high=high)


def _batches(claim: Claim, name: str) -> Sequence[int]:
    if claim.batch_size is not None or claim.batch_ratio is not None:
        return batches_of(claim, name)
    own = load_workload(name).training.batch_size
    return sorted({1, own, max(_LARGE_BATCH, _LARGE_FACTOR * own)})


def _tried(claim: Claim, predictor: Predictor) -> tuple[Reason, ...]:
    """Which batch sizes a change was judged on, where the claim names none."""
    if claim.batch_size is not None or claim.batch_ratio is not None:
        return ()
    sizes = [size for name in models_of(claim, predictor) for size in _batches(claim, name)]
    return (Reason.of("claim-any-batch", least=min(sizes), most=max(sizes)),)


def _one_way(claim: Claim, ratio: Estimate) -> Estimate:
    """A change saves memory or takes some: its range does not reach to the other side of one.

    A larger batch takes no less, and no more than it grew; nor does a longer text, but for the square that it grew.
    """
    kinds = kinds_of(claim)
    if kinds in {("batch",), ("length",)}:
        grown = grown_ratio(claim)
        # Attention that keeps its scores keeps the square of a length.
        most_grown = grown**2 if kinds == ("length",) else grown
        least, most = min(1.0, most_grown), max(1.0, most_grown)
        low, value, high = (min(max(end, least), most) for end in (ratio.low, ratio.value, ratio.high))
        return msgspec.structs.replace(ratio, low=low, value=value, high=high)
    if len(kinds) > 1 or kind_of(claim) not in _ONE_WAY:
        return ratio
    if ratio.value <= 1:
        return msgspec.structs.replace(ratio, high=min(1.0, ratio.high))
    return msgspec.structs.replace(ratio, low=max(1.0, ratio.low))


def _least_ratio(claim: Claim) -> float | None:
    """What no change of the weights' bits alone can be below: all else stays, so that it only adds to both."""
    if kinds_of(claim) == ("tuning",) and (claim.tuning, claim.reference_tuning) == ("qlora", "lora"):
        return (stored_bits(_QUANTISED) or _WHOLE_BITS) / _WHOLE_BITS
    return None
