"""Whether a model that is named by its size fits cards: what its parameters need in each way of training."""

from __future__ import annotations

from advisor.claims.claim import Claim, ClaimAnswer, Verdict
from advisor.claims.gpu_names import shared_name
from advisor.claims.predictor import Predictor
from advisor.claims.refusals import size_text
from advisor.claims.sized.ways import said_way, ways_of
from advisor.core.sentences import Arguments, Reason, SaidError
from advisor.cost.memory.capacity import usable_bytes
from advisor.recommend.comparison import counted

_LEAST_ROOM = 0.05
"""Of what cards can give: with less beside parameters no step's activations and logits have room (assumed)."""
_ADAPTERS_SHARE = 0.01
"""Of the frozen weights' bytes: what adapters with their gradients and states mostly stay below."""


def check_memory(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """Whether so many parameters fit the cards, by the bytes that each way of training keeps of one."""
    specs = [predictor.specs[key] for key in claim.gpus]
    spec = max(specs, key=lambda spec: spec.memory_bytes or 0.0)
    alike = [one for one in specs if one.memory_bytes == spec.memory_bytes]
    if spec.memory_bytes is None:
        raise SaidError.of("predict-missing-figures", gpu=spec.name, fields="memory_bytes")
    parameters, shared = claim.parameters or 0.0, _sharing(claim)
    capacity = usable_bytes(spec.memory_bytes) * shared
    ways = ways_of(claim)
    usual, least = ways[0], ways[-1]
    held = {way: parameters * (way.parameter_bytes + _copied(claim) * way.weight_bytes) for way in ways}
    numbers: Arguments = {
        "model": size_text(parameters),
        "device": counted(claim.count or 1, shared_name(alike)),
        "way": said_way(usual),
        "need_bytes": held[usual],
        "capacity_bytes": capacity,
        "left_bytes": max(0.0, capacity - held[usual]),
        "least_way": said_way(least),
        "least_bytes": held[least],
    }
    beside = _ADAPTERS_SHARE if usual.name.startswith("lora") else 0.0
    chosen = next((way for way in ways if (1 + beside) * held[way] < capacity), None)
    if claim.offload:
        verdict, code = _either(claim, "plausible_only_with", "below_expected"), "claim-size-offloaded"
    elif chosen is None:
        verdict, code = _either(claim, "impossible", "plausible"), "claim-size-beyond"
    elif chosen is usual and held[usual] > (1 - _LEAST_ROOM) * capacity:
        verdict, code = _either(claim, "plausible_only_with", "plausible"), "claim-size-hardly"
    elif chosen is usual:
        verdict, code = _either(claim, "plausible", "plausible_only_with"), "claim-size-fits"
    else:
        numbers |= {"least_way": said_way(chosen), "least_bytes": held[chosen]}
        verdict, code = _either(claim, "plausible_only_with", "plausible"), "claim-size-only-with"
    reasons = [Reason.of(code, **numbers)]
    if (claim.count or 1) > 1:
        word = "zero2" if claim.strategy == "zero2" else "shared" if shared > 1 else "whole"
        reasons.append(Reason.of(f"claim-size-{word}", count=claim.count or 1))
    if usual.name.startswith("lora"):
        reasons.append(Reason.of("claim-size-adapters"))
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=tuple(reasons))


def _either(claim: Claim, fits: Verdict, fits_not: Verdict) -> Verdict:
    """The verdict, by whether it is claimed to fit or not to."""
    return fits if claim.fits else fits_not


def _copied(claim: Claim) -> int:
    """How many further copies of the weights the cards hold together, where gradients and states alone are spread."""
    return (claim.count or 1) - 1 if claim.strategy == "zero2" else 0


def _sharing(claim: Claim) -> int:
    """Over how many cards the parameters are spread: all, but for the strategies that copy the model to each."""
    return 1 if claim.strategy in {"dp", "ddp"} else claim.count or 1
