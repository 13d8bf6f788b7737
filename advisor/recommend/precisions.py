"""Which precisions a device has, which may stand in for the one asked for, and what they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.catalogue.precisions import PRECISION_FACTS, PURE_HALF
from advisor.workload.defaults import stored_half
from advisor.workload.model_config import config_of
from advisor.workload.workload import HuggingFaceModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.catalogue.precisions import HalfFormat, Precision
    from advisor.hardware.machine import Cpu
    from advisor.workload.workload import Workload

_HALF_SINCE = 7
_TF32_SINCE = 8
_IN_ITS_PLACE: dict[Precision, Precision] = {"bf16_amp": "fp16_amp"}
_IN_ITS_PLACE_FORWARD: dict[Precision, Precision] = {PURE_HALF["bf16"]: PURE_HALF["fp16"]}
"""What a card without BF16 is tried in."""
_BF16_INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "amx", "bf16")


def sensible_precisions(workload: Workload) -> tuple[Precision, ...]:
    """The workload's precision first, then the others that people choose between."""
    others: tuple[Precision, ...] = ("fp32", "tf32", autocast_for(workload))
    return tuple(dict.fromkeys((workload.training.precision, *others)))


def autocast_for(workload: Workload, spec: GpuSpec | None = None) -> Precision:
    """The autocast that people choose: BF16, which needs no loss scaling, on a card that computes in it.

    FP16 where the card has no BF16 (`spec` None: the card is not known yet, and what it lacks is replaced then), or
    where 16 bit means FP16 to the workload: by its own precision, else by what its model is published in.
    """
    half = PRECISION_FACTS[workload.training.precision].half_format or published_half(workload)
    lacks = spec is not None and spec.bf16_flop_per_s is None
    return "fp16_amp" if lacks or half == "fp16" else "bf16_amp"


def published_half(workload: Workload) -> HalfFormat | None:
    """The 16-bit format that its model's configuration names for the weights; None: another or none."""
    if not isinstance(workload.model, HuggingFaceModel):
        return None
    return stored_half(config_of(workload.model))


def at_least_as_exact(precision: Precision, asked: Precision) -> bool:
    """Whether `precision` may be advised to someone who asked for `asked`: never a less exact one."""
    return PRECISION_FACTS[precision].exactness_rank >= PRECISION_FACTS[asked].exactness_rank


def stand_in(precisions: Iterable[Precision], asked: Precision) -> Precision | None:
    """What stands for the precision asked for where it was not predicted: the nearest one that is at least as exact."""
    exact = [precision for precision in precisions if at_least_as_exact(precision, asked)]
    return min(
        exact,
        key=lambda precision: (precision != asked, PRECISION_FACTS[precision].exactness_rank, precision),
        default=None,
    )


def rate_of(spec: GpuSpec, precision: Precision) -> float | None:
    """The card's peak matmul rate in FLOP/s at a precision; None where it has none."""
    rates = {
        "fp32": spec.fp32_flop_per_s,
        "tf32": spec.tf32_flop_per_s,
        "fp16": spec.fp16_flop_per_s,
        "bf16": spec.bf16_flop_per_s,
        "fp8": spec.fp8_flop_per_s,
    }
    return rates[PRECISION_FACTS[precision].products]


def precisions_of_gpu(
    spec: GpuSpec | None,
    wanted: Sequence[Precision],
    compute_capability: str | None = None,
    *,
    forward_alone: bool = False,
) -> tuple[Precision, ...]:
    """Those of `wanted` that the card computes itself.

    A card without BF16 gets FP16 autocast in the place of BF16 autocast, and `forward_alone`, where no gradient can
    vanish, FP16 weights in the place of BF16 ones. One whose tensor cores' rate nobody told keeps the first alone,
    which is then refused unless it is FP32. A card without a spec row is judged by its compute capability: tensor cores
    for half from 7.0 on, TF32 and BF16 from 8.0 on; unknown: FP32 only.
    """
    if spec is not None and spec.lacks_tensor_rates:  # FP32 beside another card's FP16 would say the wrong thing of it
        return tuple(wanted[:1])
    precisions: list[Precision] = []
    instead = _IN_ITS_PLACE | (_IN_ITS_PLACE_FORWARD if forward_alone else {})
    for precision in wanted:
        taken: Precision = precision
        if not _has(spec, precision, compute_capability):
            taken = instead.get(precision, precision)
        if _has(spec, taken, compute_capability) and taken not in precisions:
            precisions.append(taken)
    return tuple(precisions) or ("fp32",)


def _has(spec: GpuSpec | None, precision: Precision, compute_capability: str | None) -> bool:
    if spec is not None:
        return rate_of(spec, precision) is not None
    major = int(compute_capability.split(".")[0]) if compute_capability is not None else 0
    if precision in {"fp32", "default"}:
        return True
    products = PRECISION_FACTS[precision].products
    return products != "fp8" and major >= (_HALF_SINCE if products == "fp16" else _TF32_SINCE)


def precisions_of_cpu(cpu: Cpu, wanted: Sequence[Precision]) -> tuple[Precision, ...]:
    """FP32 always; BF16 autocast where half precision was asked for and the CPU has instructions for it."""
    half = any(PRECISION_FACTS[precision].computes_in_half for precision in wanted)
    has_bf16 = any(name in _BF16_INSTRUCTIONS for name in cpu.instruction_sets)
    return ("fp32", "bf16_amp") if half and has_bf16 else ("fp32",)
