"""Claims that a training takes so much memory: held against what the parameters need in each way of training."""

from __future__ import annotations

from advisor.claims.claim import Claim, ClaimAnswer, Verdict
from advisor.claims.predictor import Predictor
from advisor.claims.refusals import size_text, without_model
from advisor.claims.sized.ways import said_way, ways_of
from advisor.core.sentences import Arguments, Reason
from advisor.workload.workload_file import load_workload

_ROUNDED = 1.05
"""Sizes and memory are told in round words: a `7B` has 6.7 G parameters, `14 GB` may be GiB."""
_GB = 1e9
"""As people say it of memory: the card's own are GiB."""
_BESIDE = 3.0
"""Over the parameters' part by this much a claim is about activations: what they take follows batch and length."""


def check_need(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """The memory that is claimed to be needed, over all cards, against the parameters' part of it.

    Raises SaidError where no model is named, by its name or size.
    """
    parameters = claim.parameters or _parameters(claim, predictor)
    if not parameters:
        raise without_model(claim, predictor.specs)
    claimed = claim.memory_bytes or 0.0
    ways = ways_of(claim)
    usual, least = ways[0], ways[-1]
    chosen = next((way for way in ways if way.parameter_bytes * parameters <= claimed * _ROUNDED), None)
    shown = least if chosen is None else chosen
    numbers: Arguments = {
        "model": size_text(parameters),
        "claimed": f"{claimed / _GB:.4g} GB",
        "claimed_bytes": claimed,
        "way": said_way(usual),
        "need_bytes": usual.parameter_bytes * parameters,
        "least_way": said_way(shown),
        "least_bytes": shown.parameter_bytes * parameters,
        "left_bytes": max(0.0, claimed - usual.parameter_bytes * parameters),
    }
    verdict: Verdict
    if claim.told_as == "least" and chosen is not usual and not claim.offload:
        verdict, word = "plausible", "more"
    elif claim.offload:
        verdict, word = "plausible_only_with", "offloaded"
    elif chosen is None:
        verdict, word = "impossible", "impossible"
    elif chosen is not usual:
        verdict, word = "plausible_only_with", "only-with"
    elif claimed > _BESIDE * usual.parameter_bytes * parameters:
        verdict, word = "plausible_only_with", "activations"
    else:
        verdict = "plausible"
        word = "plausible" if claimed > _ROUNDED * usual.parameter_bytes * parameters else "bare"
    adapters = (Reason.of("claim-size-adapters"),) if usual.name.startswith("lora") else ()
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=(Reason.of(f"claim-need-{word}", **numbers), *adapters))


def _parameters(claim: Claim, predictor: Predictor) -> int:
    """Of the bundled model that is named; 0: none is."""
    if claim.workload is None:
        return 0
    tables = predictor.tables(load_workload(claim.workload)).values()
    return max((table.parameter_count for table in tables), default=0)
