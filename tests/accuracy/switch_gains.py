"""Published runs in pairs that differ in one switch, and how far their predicted ratio is off."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from advisor.optable.op_columns import Floats
from advisor.predict.ranges.gain_range import GainKind
from advisor.workload.workload import quantization_of
from tools.fitting.fit import MeasuredStep

COVERED = 0.84
"""Of the pairs, as many as ranges of single steps leave inside."""
_SWITCHES = (
    "compile", "channels_last", "attention", "activation_checkpointing", "trainable", "quantization",
    "fused_optimizer", "optimizer_bits", "optimizer", "chunked_loss", "fused_layers", "unpacked_bits",
)  # fmt: skip
_KINDS: dict[str, GainKind] = {"compile": "compiled", "trainable": "adapters", "quantization": "adapters"}


BESIDE_EACH_OTHER = {"bf16_true", "bf16_amp"}


class GainPair(NamedTuple):
    """Two steps, by their places, of one source, card, model and generation that differ in one thing."""

    switch: str
    kind: GainKind
    source: str
    one: int
    other: int


def gain_pairs(steps: Sequence[MeasuredStep]) -> tuple[GainPair, ...]:
    """Every such pair: one switch at one batch size, or the batch size alone; never one card beside several."""
    return tuple(_pairs(steps))


def _pairs(steps: Sequence[MeasuredStep]) -> Iterator[GainPair]:
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for place, step in enumerate(steps):
        alone = step.added_s == 0
        mode = step.training.mode
        groups[step.source, step.spec.key, step.workload, mode, step.length, step.software_year, alone].append(place)
    for places in groups.values():
        for one, other in combinations(places, 2):
            first, second = _settings(steps[one]), _settings(steps[other])
            differing = {name for name in first if first[name] != second[name]}
            if "trainable" in differing:
                differing.discard("quantization")
                # Adapters run under autocast beside the same 16-bit weights that are trained without it.
                if {first["precision"], second["precision"]} == BESIDE_EACH_OTHER:
                    differing.discard("precision")
            if len(differing) == 1:
                switch = differing.pop()
                yield GainPair(switch, _KINDS.get(switch, "alike"), steps[one].source, one, other)


def _settings(step: MeasuredStep) -> dict[str, object]:
    training = step.training
    told = {name: getattr(training, name) for name in _SWITCHES}
    return {**told, "quantization": quantization_of(training), "precision": step.precision, "batch": step.batch_size}


def gain_errors(pairs: Sequence[GainPair], steps: Sequence[MeasuredStep], predicted_s: Floats) -> Floats:
    """|log of published over predicted ratio| of each pair, shape (pairs,)."""
    off = np.log(np.array([step.measured_s for step in steps]) / predicted_s)
    errors: Floats = np.abs(np.array([off[pair.one] - off[pair.other] for pair in pairs]))
    return errors


def weights(pairs: Sequence[GainPair]) -> Floats:
    """One over the root of the source's pairs, shape (pairs,): large sources count more, but not by each pair."""
    counted = Counter(pair.source for pair in pairs)
    return np.array([counted[pair.source] ** -0.5 for pair in pairs])


def width_of(pairs: Sequence[GainPair], errors: Floats, covered: float = COVERED) -> float:
    """The weighted quantile of the errors that holds `covered` of the pairs."""
    order = np.argsort(errors)
    reached = np.cumsum(weights(pairs)[order]) / weights(pairs).sum()
    return float(errors[order][np.searchsorted(reached, covered)])
