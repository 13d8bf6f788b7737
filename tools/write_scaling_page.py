"""Write docs/scaling.md from the model's figures and published runs; --check fails where the page is out of date."""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from advisor.cost.scaling.scaling_figures import scaling_figures  # noqa: E402 - the checkout first
from tests.accuracy.large_scale_rows import read_large_scale  # noqa: E402 - the same
from tests.accuracy.scaling_rows import ScalingRow, predict, read_rows  # noqa: E402 - the same
from tools.fit_scaling import FitsBeside  # noqa: E402 - the same

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGE = ROOT / "docs" / "scaling.md"
TOLERANCE = 0.011
"""The page stands as long as no figure of it moved by more than a point."""

INTRODUCTION = """# Several cards: predicted against published

Written by `python tools/write_scaling_page.py`; change that, not this page.

## The model

For one card's step `T1` with backward pass `B`, gradients of `bytes`, `n` cards:

- **Buckets.** Gradients become ready in the order of the traced backward pass and are sent in buckets of 1 MiB, then
  25 MiB. A bucket takes the faster of ring and tree: `latency + 2 (n-1)/n * bytes / bus`.
- **Overlap.** While a bucket is sent, compute loses a share of its time (small with peer-to-peer, most of it through
  the host); the rest overlaps. What is left when backward ends is exposed, the last bucket always. Bytes that wait for
  a network take no more compute than the same bytes take inside a host.
- **Sockets.** Over PCIe with peer-to-peer up to four cards reach each other below one root complex; the ring of more
  crosses to the other processor over links that it shares, and the bus rate falls with the cards. Hosts of PCIe 3.0 and
  earlier have Intel's processors, between which NCCL uses no peer-to-peer: what crosses there goes through host memory.
- **Meshes.** Cards of AMD's boards of eight (MI300X) are all joined directly, each two by 64 GB/s one way: two cards
  have one such link, eight have seven each. Such a board makes 313 GB/s of an all-reduce of eight and 48 of two.
- **Bridges** join pairs. A host of several pairs (`NVLink bridge (pairs)`) gives a job of two cards the first two that
  its driver counts, which need not share a bridge: two such cards count as unbridged, with a range up to the bridge's.
  Two cards that surely share one are `NVLink bridge`, or two cards a host.
- **Copies.** Flattening, averaging and reducing cross the card's memory a number of times.
- **Stragglers.** All cards wait for the slowest of `n`, whose steps differ by input pipelines and clocks (the expected
  largest of `n` normal deviates), and across hosts for the slowest host.
- **Across hosts** the levels are pipelined, so the slower of the bus inside and the host's adapters rules. A network
  that is not stated is that of hosts sold with such links: an adapter for each switch-connected card, one for two in a
  mesh, as fast as the slots of their time allow (DGX-1, DGX A100, DGX H100), and 100 Gb/s elsewhere; the range reaches
  down to 100 Gb/s.
- **Accumulation** (`no_sync`) sends once for several micro-batches. Full sharding sends 1.5 x the bytes in every one.
- **Shards.** ZeRO-1 scatters gradients beside the last backward pass and gathers the weights that the step changed
  after it (with adapters few: frozen ones stand still); HSDP shards within a host and reduces shards across hosts.
  Groups that share a host share its adapters.
- **Adapters gathered one by one.** PEFT's policy for the first generation of full sharding makes a unit of each of a
  layer's two low-rank matrices. That generation lets the host run two gatherings ahead of the card and no further, so
  that what the host does around both (0.6 ms each and pass) is hidden by the layer's own product alone. Published runs
  are predicted so but for `fsdp2` and DeepSpeed, which gather tensors, and for fused kernels on packed weights, which
  read both matrices without calling their modules and leave them out of the shards. Scripts written here shard by the
  second generation.
- **DataParallel** copies weights, inputs, outputs and gradients through the first card and issues all work from one
  process, so it never leaves its machine; its first card holds the outputs and gradients of all. The threads of that
  process contend for one interpreter lock, so that each call takes 45 us or more there (10 us in one of its own).
- **Ranks and cores.** Every rank issues its own step; more ranks than cores of their machine take turns at it.
- **Unlike cards** share one batch size a card, so the slowest sets the pace; every group of the k fastest is compared.
- **Global batch.** Held, it needs the same steps as before. Grown from `B0` to `B`, the same loss needs
  `(1 + B / Bc) / (1 + B0 / Bc)` times the samples, `Bc` being the critical batch size (`--critical-batch`; 64 to 8,192
  samples where nobody knows).
- **Tensor parallel** reduces two activations a block and pass. Nothing hides that, but for Transformer Engine's layers,
  which send pieces beside their products: one of `n` is exposed. **Context parallel** passes keys and values round.
  Blocks that are checkpointed send again what they send forward, but for the sum that ends them, where recomputing
  stops. **Pipelines** wait `stages - 1` micro-batches, and each of a stage's tensor-parallel cards passes its part of
  an activation on. All are given with a wide range: no run of the fit uses them.
- **Inference** on one card by itself exchanges nothing. Where no card holds the model, shards are gathered once, split
  layers reduce in forward alone, and no gradient is sent. No published run judged it.

The figures are fitted with a loss that lets go of rows far from all others: hosts that route badly are not marked as
such. In the fit alone, one card's step is as long as the same source timed it (where it did), so that links do not
answer for steps, and a row counts for less the more its own runs differ. The six figures of slots and of host memory
(`pcie_fraction`, `bridged_ring_ratio`, `socket_contention_exponent`, `host_bytes_per_s`, `host_overlap_loss_fraction`,
`host_contention_exponent`) were fitted last, the others held as they were.
The range of an efficiency comes from residuals of cards that were left out. Where gradients cross PCIe it also reaches
down to a host that routes badly (4 GB/s), unless the bus was measured or given.

Which link a set-up has comes from the spec row, from words (`--interconnect`), or from a measurement; a measured bus
is worth more than any refinement, since no spec row tells which host routes badly.

## Figures

| figure | value |
|---|---|
"""

INTERCONNECT = """
## Words for a link

`--interconnect` and the column `interconnect` take a bus rate one way (`12`, `12 GB/s`, `900 MB/s`) or words:
`NVSwitch`, `NVLink hybrid-cube-mesh`, `NVLink bridge`, `NVLink bridge (pairs)`, `Infinity Fabric`, `PCIe P2P`,
`PCIe (no NVLink bridge)`, `PCIe or NVLink bridge` (the source does not say: bridged pairs where the card
takes a bridge), `PCIe without P2P`, `virtual machine`.
A network between hosts may follow: `NVSwitch + InfiniBand HDR x8`, `PCIe + 100 Gb/s Ethernet`,
`NVLink + 25 Gb/s RoCE`. `PCIe, slow lanes` and `PCIe, older motherboard` say that the host routes badly (4 GB/s).
Nothing said means the card's usual link. Cards that share no stated network beyond one host (16 cards) are counted with
100 Gb/s a host.

## Assumptions behind the cases without published settings

- U-Net on a VGG-16 encoder, 208 s on one card, 140 s with DataParallel, 118 s with DistributedDataParallel on two:
  8 images a card of 256 to 448 pixels, FP32 or FP16 autocast, RTX 2080 Ti, RTX 3090 or V100 PCIe, gradients through
  the host. The ratios 1.49 and 1.76 lie inside what these give, and one of them meets both within 6 %.
- RoBERTa-large on two RTX 3090, 1029 s on one card, 707 s on two, 579 s with accumulation: 512 tokens, 8 to 16 rows a
  card, FP32 or TF32, no bridge. With a bridge two cards would have gained more than published.
"""


BEHIND_TWIN = "a twin on the same switch is faster"
"""What the published table calls rows that another host of the same cards and link leaves far behind."""


def figures() -> list[str]:
    """One line a fitted figure, one for the range."""
    found = scaling_figures()
    lines = [f"| `{name}` | {getattr(found.fitted, name):.3g} |" for name in found.fitted.__struct_fields__]
    spread = found.spread
    lines.append(
        f"| range | -{spread.below_fraction:.3f} - {spread.below_of_loss_ratio:.2f} x loss to "
        f"+{spread.above_fraction:.3f} + {spread.above_of_loss_ratio:.2f} x loss |"
    )
    return lines


def calibration() -> list[str]:
    """Published and predicted medians on one host, by card, link and count."""
    rows = [row for row in read_rows() if row.healthy]
    found = predict(rows)
    groups: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        groups[row.gpu_key, row.interconnect, row.count].append(number)
    error = np.abs(found[:, 0] - [row.efficiency for row in rows])
    inside = np.mean([low <= row.efficiency <= high for row, (_, low, high) in zip(rows, found, strict=True)])
    lines = [
        "",
        f"## One host: {len(rows)} published medians",
        "",
        f"Mean absolute error {100 * error.mean():.1f} points; {100 * inside:.0f} % lie inside the range.",
        "Rows of hosts that cannot be healthy are left out. Medians over models and precisions:",
        "",
        "| card | link | cards | published | predicted | rows |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        _line(key, [rows[number] for number in numbers], found[numbers, 0]) for key, numbers in sorted(groups.items())
    ]
    return lines


def cards_left_out() -> list[str]:
    """Errors of every card by figures that were fitted without it, on healthy hosts and on all."""
    rows = read_rows()
    truth = [row.efficiency for row in rows]
    fits = FitsBeside(rows, scaling_figures())
    error, unseen = (100 * np.abs(fits.left_out(key) - truth) for key in ("gpu_key", "workload"))
    healthy = np.array([row.healthy for row in rows])
    behind = np.array([row.suspect == BEHIND_TWIN for row in rows])
    cards = np.array([row.gpu_key for row in rows])
    lines = [
        "",
        "### With the card left out of the fit",
        "",
        f"{error[healthy].mean():.1f} points on {healthy.sum()} rows of healthy hosts, {error.mean():.1f} on all",
        f"{len(rows)} rows, those of hosts that cannot be healthy among them. With the model left out instead:",
        f"{unseen[healthy].mean():.1f} and {unseen.mean():.1f}.",
        "",
        *_behind([row for row in rows if row.suspect == BEHIND_TWIN], rows),
        f"They are {error[behind].mean():.0f} points off and make {error[behind].sum() / len(rows):.1f} of those on",
        f"all rows: {error[~behind].mean():.1f} without them. In points:",
        "",
        "| card | healthy rows | mean | median | all rows | mean |",
        "|---|---|---|---|---|---|",
    ]
    for card in sorted(set(cards.tolist())):
        own, sound = error[cards == card], error[(cards == card) & healthy]
        lines.append(
            f"| {card} | {len(sound)} | {sound.mean():.1f} | {np.median(sound):.1f} | {len(own)} | {own.mean():.1f} |"
        )
    return lines


def _behind(rows: Sequence[ScalingRow], every: Sequence[ScalingRow]) -> list[str]:
    """What the rows are that a twin leaves far behind: whose, how far, and how many lie inside their range."""
    ratios = [
        twin.efficiency / row.efficiency
        for row in rows
        for twin in every
        if twin.healthy and _set_up(twin) == _set_up(row)
    ]
    inside = sum(low <= row.efficiency <= high for row, (_, low, high) in zip(rows, predict(rows), strict=True))
    cards, links = (
        ", ".join(sorted(names)) for names in ({row.gpu_key for row in rows}, {row.interconnect for row in rows})
    )
    return [
        f"{len(rows)} rows ({cards}, {links}) are described by their source as it describes another host of the same",
        f"cards, up to {max(ratios):.1f} times as efficient: nothing that a user could say tells one from the other.",
        f"{inside} of them lie inside their range.",
    ]


def _set_up(row: ScalingRow) -> tuple[str, str, str, str, int]:
    return (row.gpu_key, row.interconnect, row.workload, row.precision, row.count)


def _line(key: tuple[str, str, int], rows: list[ScalingRow], predicted: np.ndarray) -> str:
    published = np.median([row.efficiency for row in rows])
    return f"| {key[0]} | {key[1]} | {key[2]} | {published:.2f} | {np.median(predicted):.2f} | {len(rows)} |"


def large_scale() -> list[str]:
    """Published and predicted efficiencies over networks."""
    rows = read_large_scale()
    error = np.mean([abs(row.predicted - row.published) for row in rows])
    lines = [
        "",
        "## Many hosts: up to 1,024 devices",
        "",
        f"Mean absolute error of these {len(rows)} rows: {100 * error:.1f} points. One figure was chosen with a look",
        "at them, by hand: what hosts differ by (`host_straggler_fraction`), which small language models on 2 to 16",
        "hosts tell too. All others come from single hosts and from data sheets.",
        "Efficiency is against the reference run (one card, or one host). Adapters a host are those of the vendor's",
        "machine; accumulation follows from the source's global batch.",
        "",
        "| model | length | cards | of | accumulation | link | published | predicted (range) | source |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.workload} | {row.length} | {row.count} | {row.reference_count} | {row.accumulation} "
        f"| {row.interconnect} | {row.published:.2f} | {row.predicted:.2f} ({row.low:.2f} to {row.high:.2f}) "
        f"| {row.source} |"
        for row in rows
    ]
    return lines


def page() -> str:
    """The whole page."""
    return (
        INTRODUCTION + "\n".join([*figures(), *calibration(), *cards_left_out(), *large_scale()]) + "\n" + INTERCONNECT
    )


def stale(old: str, new: str) -> bool:
    """Whether words differ, or a figure by more than rounding and refitting the step time move it."""
    old_words, new_words = old.split(), new.split()
    return len(old_words) != len(new_words) or not all(map(_alike, old_words, new_words))


def _alike(first: str, second: str) -> bool:
    first, second = first.strip("(),;:%"), second.strip("(),;:%")
    if first == second:
        return True
    try:
        return abs(float(first) - float(second)) <= max(TOLERANCE, 0.05 * abs(float(first)))
    except ValueError:
        return False


def main() -> int:
    """Write or check; returns 1 where the committed page differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the committed file differs")
    check = parser.parse_args().check
    text = page()
    if check:
        return int(not PAGE.is_file() or stale(PAGE.read_text(encoding="utf-8"), text))
    PAGE.write_text(text, encoding="utf-8")
    print(f"written: {PAGE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
