"""Several switches at once: what they would make of the advised job, as far as each alone can say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from advisor.core.records import Record
from advisor.core.units import Estimate
from advisor.recommend.switches import Switch, SwitchKind
from advisor.workload.workload import Training

_EXCLUDE_EACH_OTHER: tuple[frozenset[SwitchKind], ...] = (
    frozenset({"half", "fp8", "pure_half", "half_weights"}),
    frozenset({"lora", "qlora"}),
    frozenset({"fused_optimizer", "optimizer_8bit"}),
)
"""Of each group one at most can be on."""


class Switched(Record, frozen=True, kw_only=True):
    """The advised job with some switches on."""

    job_s: Estimate
    saved_bytes: float | None
    """A device's memory; below 0 they cost memory; None: not known of one of them."""


def can_be_combined(switch: Switch) -> bool:
    """Whether a switch can be drawn beside the advised set-up: it fits, and there was something to compare with."""
    return switch.gain is not None and switch.fits is not False


def without_rivals(chosen: SwitchKind, on: Iterable[SwitchKind]) -> frozenset[SwitchKind]:
    """What stays on when `chosen` is switched on: all that can stand beside it, and itself."""
    rivals = {kind for group in _EXCLUDE_EACH_OTHER if chosen in group for kind in group}
    return frozenset({*(kind for kind in on if kind not in rivals), chosen})


def settings_of(switch: Switch, own: Training) -> dict[str, object]:
    """What a switch changes of the advised workload's `own` settings, by their names in a workload file.

    Empty where it changes something else (the cards, the model, how devices share the work) or was saved before
    switches kept their settings.
    """
    if switch.training is None or switch.kind == "larger_cards":
        return {}
    pairs = ((name, getattr(switch.training, name)) for name in own.__struct_fields__)
    return {name: value for name, value in pairs if value != getattr(own, name)}


def switched(job_s: Estimate, on: Sequence[Switch]) -> Switched:
    """The job's time with these switches: their gains multiplied, as if none acted on another.

    The range is the job's own, widened by each gain's: what both steps of a gain err by is the job's alone.
    """
    gains = [switch.gain for switch in on if switch.gain is not None]
    value = job_s.value / math.prod(gain.value for gain in gains)
    faster = math.hypot(
        math.log(job_s.value / job_s.low), *(math.log(estimate.high / estimate.value) for estimate in gains)
    )
    slower = math.hypot(
        math.log(job_s.high / job_s.value), *(math.log(estimate.value / estimate.low) for estimate in gains)
    )
    saved = [switch.saved_bytes for switch in on]
    told_sizes = [size for size in saved if size is not None]
    return Switched(
        job_s=Estimate(value=value, low=value / math.exp(faster), high=value * math.exp(slower), basis="specified"),
        saved_bytes=sum(told_sizes) if len(told_sizes) == len(saved) else None,
    )
