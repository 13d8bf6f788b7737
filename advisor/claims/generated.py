"""Claims of tokens that a language model generates one after another: each reads every weight of the model once.

Where the claim names the model and a length, it also reads the keys and values of as many tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from advisor.catalogue.precisions import PRECISION_FACTS
from advisor.claims.claim import Claim, ClaimAnswer
from advisor.claims.gpu_names import shared_name
from advisor.claims.predictor import Predictor
from advisor.claims.reading.numbers.number_words import search
from advisor.core.sentences import Arguments, Reason
from advisor.cost.memory.capacity import usable_bytes
from advisor.recommend.comparison import counted
from advisor.workload.config_sizes import compressed_size, head_size, key_value_head_count, layer_count, text_part
from advisor.workload.model_config import resolve_config
from advisor.workload.tasks import infer_task
from advisor.workload.workload import HuggingFaceModel
from advisor.workload.workload_file import load_workload

_FEWEST_BITS, _USUAL_BITS = 4, 16
"""Of a weight as models are served: quantised, or as they are published."""
_WHOLE_BITS = 32
_CACHED_BYTES = 2
"""Of a key's or a value's element: caches are kept in 16 bits unless somebody asks for fewer."""
_ONE_TEXT = r"\bsingle[ -](?:stream|user|sequence|request|batch)\b|\bbatch(?: size)?[ =]1\b|单(?:条|路|并发|用户)"
_SLOW_SHARE = 0.2
"""Of what the memory allows: below, something else than reading weights takes most of the time."""


def with_generation(claim: Claim, predictor: Predictor, judged: Callable[[Claim], ClaimAnswer]) -> ClaimAnswer:
    """The answer to a claim of inference in tokens a second: what generating one text allows, else a pass over it all.

    `judged` is the answer to the claim as one of passes over whole texts, as prompts are read.
    """
    most = _most_tokens_per_s(claim, predictor)
    claimed = claim.tokens_per_s
    if most is None or claimed is None:
        return judged(claim)
    if (crowded := _without_room(claim, predictor)) is not None:
        return crowded
    cache_bytes = _cache_bytes(claim)
    numbers: Arguments = {
        "device": counted(claim.count or 1, shared_name([predictor.specs[key] for key in claim.gpus])),
        "claimed_rate": round(claimed, 1),
        "most_rate": round(most, 1),
        "share_fraction": claimed / most,
        "tokens": claim.sequence_length or 0 if cache_bytes else 0,
        "cache_bytes": cache_bytes,
    }
    if claimed < _SLOW_SHARE * most:
        return ClaimAnswer(
            claim=claim, verdict="below_expected", reasons=(Reason.of("claim-generated-below", **numbers),)
        )
    if claimed <= most:
        return ClaimAnswer(claim=claim, verdict="plausible", reasons=(Reason.of("claim-generated-one", **numbers),))
    alone = search(_ONE_TEXT, (claim.text or "").lower()) is not None
    answer = None if alone or claimed <= most * _bits_of(claim) / _FEWEST_BITS else judged(claim)
    if answer is not None and not _is_slow(answer, claim, judged):
        return answer
    return ClaimAnswer(
        claim=claim, verdict="plausible_only_with", reasons=(Reason.of("claim-generated-several", **numbers),)
    )


def _without_room(claim: Claim, predictor: Predictor) -> ClaimAnswer | None:
    """The answer where not even weights of few bits lie in the cards' memory: neither a text nor many run so at all."""
    parameters, bits = _parameters(claim, predictor) or 0.0, claim.weights_bits or _FEWEST_BITS
    cards = [predictor.specs[key] for key in claim.gpus]
    largest = max((spec.memory_bytes for spec in cards if spec.memory_bytes is not None), default=None)
    capacity = usable_bytes(largest) * (claim.count or 1) if largest is not None else math.inf
    need = parameters * bits / 8
    if claim.offload or need <= capacity:
        return None
    numbers: Arguments = {
        "device": counted(claim.count or 1, shared_name(cards)),
        "bits": bits,
        "need_bytes": need,
        "capacity_bytes": capacity,
        "claimed_rate": round(claim.tokens_per_s or 0.0, 1),
    }
    reason = Reason.of("claim-generated-no-room", **numbers)
    return ClaimAnswer(claim=claim, verdict="plausible_only_with", reasons=(reason,))


def _is_slow(answer: ClaimAnswer, claim: Claim, judged: Callable[[Claim], ClaimAnswer]) -> bool:
    """Whether a pass over whole texts is quicker than claimed, in 16 bits where the claim names no precision."""
    if answer.verdict != "plausible_only_with" or claim.precision is not None:
        return answer.verdict == "below_expected"
    return judged(msgspec.structs.replace(claim, precision="fp16_true")).verdict == "below_expected"


def _most_tokens_per_s(claim: Claim, predictor: Predictor) -> float | None:
    """Tokens a second of one text at the peak bandwidth of all cards; None: no such claim, or a figure is missing."""
    if claim.mode != "inference" or claim.tokens_per_s is None or claim.speed_up_ratio is not None:
        return None
    parameters = _parameters(claim, predictor)
    bandwidths = [predictor.specs[key].memory_bandwidth_bytes_per_s for key in claim.gpus if key in predictor.specs]
    bandwidth = max((figure for figure in bandwidths if figure is not None), default=None)
    if parameters is None or bandwidth is None:
        return None
    return bandwidth * (claim.count or 1) / (parameters * _bits_of(claim) / 8 + _cache_bytes(claim))


def _cache_bytes(claim: Claim) -> float:
    """Keys and values that a token at the claimed length reads; 0: the claim tells no length, or no such model."""
    if claim.workload is None or claim.sequence_length is None:
        return 0.0
    model = load_workload(claim.workload).model
    if not isinstance(model, HuggingFaceModel):
        return 0.0
    return claim.sequence_length * cached_bytes_per_token(resolve_config(model.config))


def cached_bytes_per_token(config: Mapping[str, Any]) -> float:
    """Keys and values of one token in all layers; 0 where layers differ in what they keep, or nothing tells."""
    text = text_part(config)
    if text.get("sliding_window") or text.get("layer_types"):
        return 0.0
    layers = layer_count(config) or 0
    apart = (key_value_head_count(config) or 0) * 2 * (head_size(config) or 0)
    return float(layers * (compressed_size(config) or apart) * _CACHED_BYTES)


def _bits_of(claim: Claim) -> int:
    """Of a weight, as the claim says, or as models are published."""
    whole = claim.precision is not None and PRECISION_FACTS[claim.precision].half_format is None
    return claim.weights_bits or (_WHOLE_BITS if whole else _USUAL_BITS)


def _parameters(claim: Claim, predictor: Predictor) -> float | None:
    """Of a model that generates text; None: it does not, or its size is not known."""
    if claim.workload is None:
        return claim.parameters
    workload = load_workload(claim.workload)
    if not isinstance(workload.model, HuggingFaceModel):
        return None
    task = workload.model.task or infer_task(resolve_config(workload.model.config))
    counts = [table.parameter_count for table in predictor.tables(workload).values()]
    return float(max(counts)) if task == "causal-lm" and counts else None
