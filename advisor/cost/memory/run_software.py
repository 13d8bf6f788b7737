"""What a published run's libraries hold otherwise than today's torch and transformers do."""

from __future__ import annotations

from typing import NamedTuple

from advisor.catalogue.software import GRADIENTS_FREED_YEAR, is_before
from advisor.cost.memory.capacity import KERNELS_LAZY_FROM_YEAR
from advisor.cost.memory.copied_logits import LABELS_SHIFTED_FROM_YEAR
from advisor.cost.memory.kept_inputs import INPUTS_FREED_FROM_YEAR
from advisor.cost.memory.mixed_units import ADAPTERS_APART_FROM_YEAR


class RunSoftware(NamedTuple):
    """All of it off: torch and transformers of today."""

    gradients_kept: bool = False
    """The loop calls `zero_grad(set_to_none=False)`, as was torch's default before 2.0."""
    inputs_kept: bool = False
    """Sharded adapters keep their blocks' inputs (`kept_inputs`)."""
    logits_copied: bool = False
    """The loss keeps the logits twice (`copied_logits`)."""
    units_mixed: bool = False
    """Adapters share units of full sharding with frozen weights (`mixed_units`)."""
    adapters_apart: bool = False
    """Adapters are units of full sharding by themselves, of which each has the next one gathered."""
    kernels_whole: bool = False
    """The context holds every kernel of the libraries, used or not (`capacity`)."""


TODAY = RunSoftware()


def software_of_year(year: int | None, *, units_by_module: bool = True) -> RunSoftware:
    """What libraries of a year do; None: today's.

    `units_by_module`: full sharding gathers modules, as all that is called so does but the second generation and
    DeepSpeed's.
    """
    mixed = is_before(year, ADAPTERS_APART_FROM_YEAR)
    return RunSoftware(
        gradients_kept=is_before(year, GRADIENTS_FREED_YEAR),
        inputs_kept=is_before(year, INPUTS_FREED_FROM_YEAR),
        logits_copied=is_before(year, LABELS_SHIFTED_FROM_YEAR),
        units_mixed=units_by_module and mixed,
        adapters_apart=units_by_module and not mixed and is_before(year, INPUTS_FREED_FROM_YEAR),
        kernels_whole=is_before(year, KERNELS_LAZY_FROM_YEAR),
    )
