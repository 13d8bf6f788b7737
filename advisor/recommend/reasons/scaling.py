"""What holds for several cards beside the advice: why DataParallel loses, first card, cores, network, unlike cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import Arguments, Names, Reason
from advisor.cost.scaling.communication import bus_bytes_per_s, network_of
from advisor.cost.scaling.links import Link
from advisor.predict.groups import MixedGroup
from advisor.predict.prediction import Device, Prediction
from advisor.recommend.batch_size import rounded
from advisor.recommend.comparison import Comparison, counted, set_up_name
from advisor.workload.workload import NumbersModel

TIE_FRACTION = 0.02
"""DataParallel and DistributedDataParallel closer than this are said to be equal."""
_LOSS_FRACTION = 0.05
"""DataParallel that is slower by more than this has its causes named."""
_FIRST_CARD_FRACTION = 0.1
"""More memory than this on DataParallel's first card, over the others, is worth a sentence."""
_MIXED_GAIN = 1.1
"""Unlike cards together are advised where they train this much more than the best alike ones."""

_REFERENCE_CARD = "a100-sxm4-40"
"""Whose NVLink (the third generation) a missing one is compared with."""
_WORTH_SAYING_FRACTION = 0.02
_LEADING_CAUSE_FRACTION = 0.25
"""Share of DataParallel's loss from which a cause is named beside a larger one."""


def dp_reasons(comparison: Comparison, dp: Prediction, ddp: Prediction) -> Iterator[Reason]:
    """Why DataParallel is slower than DDP in the same set-up, or that it is not, and what its first card holds."""
    advantage = ddp.samples_per_s.value / dp.samples_per_s.value
    numbers_only = isinstance(comparison.workload.model, NumbersModel)
    if numbers_only:
        yield Reason.of("scaling-dp-untold", count=dp.count)
    elif abs(advantage - 1) < TIE_FRACTION:
        yield Reason.of("scaling-dp-tied", count=dp.count)
    if advantage > 1 + _LOSS_FRACTION:
        # Totals alone tell nothing of the operators that one process would have to issue.
        yield from (
            cause for cause in dp_loss_reasons(dp, ddp) if not (numbers_only and cause.code == "scaling-dp-one-process")
        )
    yield from _first_card(comparison, dp)


def dp_loss_reasons(dp: Prediction, ddp: Prediction) -> tuple[Reason, ...]:
    """Why DataParallel is slower than DistributedDataParallel in the same set-up, the larger cause first.

    Empty where it is not slower; a cause that is under 2 % of the step or a quarter of the loss is left out.
    """
    lost_s = dp.step_s.value - ddp.step_s.value
    copies_s = dp.part_s("communication") - ddp.part_s("communication")
    host_s = dp.part_s("host") - ddp.part_s("host")
    least_s = max(_WORTH_SAYING_FRACTION * ddp.step_s.value, _LEADING_CAUSE_FRACTION * lost_s)
    if lost_s <= 0:
        return ()
    reasons = []
    if copies_s >= least_s:
        reasons.append(
            (
                copies_s,
                Reason.of(
                    "scaling-dp-copies",
                    count=dp.count,
                    communication_s=dp.part_s("communication"),
                    ddp_communication_s=ddp.part_s("communication"),
                ),
            )
        )
    if host_s >= least_s:
        reasons.append((host_s, Reason.of("scaling-dp-one-process", count=dp.count, host_s=host_s)))
    return tuple(reason for _, reason in sorted(reasons, key=lambda entry: -entry[0]))


def _first_card(comparison: Comparison, dp: Prediction) -> Iterator[Reason]:
    """DataParallel's first card gathers what the others computed: what it needs, and what the others do."""
    # One card alone may only have been asked with the accumulation that several cards take over from it.
    other = min(
        (alone for alone in comparison.alone(dp.device, dp) if alone.batch_size_per_device == dp.batch_size_per_device),
        key=lambda alone: abs(alone.gradient_accumulation_steps - dp.gradient_accumulation_steps),
        default=None,
    )
    if dp.peak_memory_bytes is None or other is None or other.peak_memory_bytes is None:
        return
    first, others = dp.peak_memory_bytes.value, other.peak_memory_bytes.value
    if dp.fits is False or first > others * (1 + _FIRST_CARD_FRACTION):
        yield Reason.of(
            "scaling-dp-memory-full" if dp.fits is False else "scaling-dp-memory",
            count=dp.count,
            batch=dp.batch_size_per_device,
            need_bytes=first,
            other_bytes=others,
        )


def nvlink_instead(spec: GpuSpec, link: Link, count: int) -> Link | None:
    """The NVLink that cards without it could be compared with; None where they have one, or none helps.

    A card that takes a bridge is compared with its own bridge, which can be bought (and joins pairs only); any other
    with the NVLink of an A100. A link that was measured or given with its rate is what it is.
    """
    if count < 2 or link.type not in {"pcie_p2p", "pcie_host", "virtual_machine"}:  # noqa: PLR2004 - one sends nothing
        return None
    pairs = bool(spec.nvlink_pairs_only and spec.nvlink_bytes_per_s)
    if pairs and count > 2:  # noqa: PLR2004 - a bridge joins two
        return None
    rate = spec.nvlink_bytes_per_s if pairs else spec_table()[_REFERENCE_CARD].nvlink_bytes_per_s
    kind = "nvlink_bridge" if pairs else "nvswitch"
    return replace(link, type=kind, wire_bytes_per_s=rate, measured=(), measured_rank_count=None)


def missing_nvlink(comparison: Comparison, chosen: Prediction) -> Reason | None:
    """What a missing NVLink costs a set-up; None where it has one, would gain little, or was not predicted here."""
    groups, spec, link = comparison.groups, comparison.spec_of(chosen.device), comparison.link_of(chosen)
    traffic = None if groups is None else groups.traffic(chosen)
    if groups is None or spec is None or link is None or traffic is None:
        return None
    instead = nvlink_instead(spec, link, chosen.count)
    step_s = None if instead is None else groups.step_over(chosen, instead)
    if instead is None or step_s is None:
        return None
    return missing_nvlink_reason(chosen, link, instead, step_s, traffic.gradient_bytes)


def missing_nvlink_reason(
    prediction: Prediction, link: Link, instead: Link, nvlink_step_s: float, gradient_bytes: float
) -> Reason | None:
    """What a missing NVLink costs: the step as it is and over `instead`; None where it would gain under 2 %."""
    step_s, count = prediction.step_s.value, prediction.count
    if step_s < nvlink_step_s * (1 + _WORTH_SAYING_FRACTION):
        return None
    return Reason.of(
        "scaling-missing-bridge" if instead.type == "nvlink_bridge" else "scaling-missing-nvlink",
        device=prediction.device.name,
        count=count,
        gradient_bytes=gradient_bytes,
        step_s=step_s,
        nvlink_step_s=nvlink_step_s,
        bus_bytes_per_s=bus_bytes_per_s(link, count),
        nvlink_bytes_per_s=bus_bytes_per_s(instead, count),
    )


def host_core_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """More ranks than cores on this machine: they take turns at issuing their steps."""
    cores = comparison.groups.host_core_count(chosen) if comparison.groups is not None else None
    if cores is not None and chosen.count > 1 and cores < chosen.count:
        yield Reason.of("scaling-host-cores", count=chosen.count, cores=cores)


def network_reasons(comparison: Comparison, set_ups: Sequence[Prediction]) -> Iterator[Reason]:
    """Set-ups that leave one machine over a network that nobody described: what was assumed of it."""
    links = [comparison.groups.link(set_up) for set_up in set_ups] if comparison.groups is not None else []
    pairs = zip(set_ups, links, strict=False)
    unstated = [
        network_of(link).node_bytes_per_s
        for prediction, link in pairs
        if link is not None and link.network is None and prediction.count > link.node_size_count
    ]
    if unstated:
        yield Reason.of("scaling-network-unstated", rate_bytes_per_s=min(unstated))


def uneven_reasons(comparison: Comparison, here: Prediction | None) -> Iterator[Reason]:
    """Whether this machine's unlike cards should train together: all, the fastest of them, or one kind alone."""
    if here is None or comparison.groups is None:
        return
    predicted = {
        prediction.device.key for prediction in comparison.predictions if prediction.precision == here.precision
    }
    cards = [card for card in comparison.local_cards if card.key in predicted]
    if len({card.key for card in cards}) < 2:  # noqa: PLR2004 - alike ones
        return
    accumulation = comparison.workload.training.gradient_accumulation_steps
    groups = comparison.groups.mixed(cards, here.precision, accumulation)
    able = [group for group in groups if _allowed(comparison, group, here, accumulation)]
    everyone = max(
        (mixed_group for mixed_group in able if len(mixed_group.devices) == len(cards)), key=_rate, default=None
    )
    if everyone is None:
        yield from _left_out(comparison, cards, here)
        return
    best = max(able, key=_rate)
    numbers: Arguments = {
        "precision": PRECISION_LABELS[here.precision],
        "batch": best.batch_size,
        "waiting_s": max(everyone.waits_s),
        "slowest": everyone.devices[-1].name,
        "count": len(cards),
    }
    alone = max((mixed_group for mixed_group in able if _kinds(mixed_group) == 1), key=_rate, default=None)
    alike, name = here.samples_per_s.value, set_up_name(here)
    if alone is not None and _rate(alone) >= alike:
        alike, name = _rate(alone), named_cards(alone.devices)
    if _kinds(best) > 1 and _rate(best) >= _MIXED_GAIN * alike:
        numbers |= {"devices": named_cards(best.devices), "gain_ratio": _rate(best) / alike}
        yield Reason.of("scaling-uneven-pays", **numbers, rate=rounded(_rate(best)))
    else:
        numbers |= {"devices": name, "gain_ratio": alike / _rate(everyone)}
        yield Reason.of("scaling-uneven-cards", **numbers)


def _left_out(comparison: Comparison, cards: Sequence[Device], here: Prediction) -> Iterator[Reason]:
    """Cards that can hold no batch that was tried keep the whole from training together."""
    small = {
        card.name for card in cards if all(prediction.fits is False for prediction in comparison.alone(card, here))
    }
    if small:
        yield Reason.of("scaling-uneven-memory", devices=Names(names=tuple(sorted(small))))


def _allowed(comparison: Comparison, group: MixedGroup, here: Prediction, accumulation: int) -> bool:
    """Whether every card of a group holds its batch, and the global batch stays within its limit."""
    if group.batch_size * len(group.devices) * accumulation > comparison.global_limit:
        return False
    return all(
        any(
            prediction.batch_size_per_device == group.batch_size and prediction.fits
            for prediction in comparison.alone(card, here)
        )
        for card in set(group.devices)
    )


def _rate(group: MixedGroup) -> float:
    return group.samples_per_s


def _kinds(group: MixedGroup) -> int:
    return len({device.key for device in group.devices})


def named_cards(devices: Sequence[Device]) -> str:
    """Cards by name, alike ones counted: `2 × GeForce RTX 3090, GeForce RTX 4090`."""
    names = [device.name for device in devices]
    return " + ".join(counted(names.count(name), name) for name in dict.fromkeys(names))
