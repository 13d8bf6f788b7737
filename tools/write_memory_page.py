"""Write docs/memory.md: the largest-batch ladder, and the rule that chose the head-room; --check where it is stale."""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from advisor.cost.memory.need import CONVOLUTION_HEADROOM  # noqa: E402 - the checkout first
from advisor.predict.ranges.memory_range import ON_ONE_CARD, SHARED  # noqa: E402 - the same
from tests.accuracy.ladder import chosen_models, judging_models  # noqa: E402 - the same
from tests.accuracy.ladder_needs import RungNeed, counted, outcome, recorded_rows, rung_needs  # noqa: E402 - the same
from tests.accuracy.language_model_memory import (  # noqa: E402 - the same
    FROM_SCRATCH,
    SHORTER_AFTERWARDS,
    PeakRow,
    failed_rows,
    middle_of,
    not_judged,
    peak_rows,
    told_rows,
)

PAGE = ROOT / "docs" / "memory.md"
LAYOUTS = ("nchw", "nhwc")
SHARES = tuple(step / 20 for step in range(21))
OUT_OF_MEMORY_WEIGHT = 3
"""A batch that runs out of memory is as bad as three that are a rung too small."""
SPLIT_COUNT = 100
Needs = tuple[RungNeed, RungNeed]

INTRODUCTION = """# Memory: predicted largest batches against published ones

Written by `python tools/write_memory_page.py`; change that, not this page.

timm's benchmark tries 512, 384, 256, 192, 128, ... images until one batch trains (RTX 3090, AMP, torch 1.12). A
prediction is right when it names the rung that ran. Models whose ladder ends at 512 are left out: they are too easy.
Causes were looked for in the first sample; the second was drawn and recorded to judge, and nothing was chosen by it.

"""
LANGUAGE_MODELS = """
## Language models, on one card and sharded

Peaks as their sources print them: `allocated` tensors, `reserved` segments, or what the `device` shows for the process.
No figure was fitted to these rows. A device of a sharded job holds its share of weights, gradients and states (FP32
shards where products run on 16 bit), two whole units and the gradients of the one that runs. While a loss is computed
no block runs: tensors alone are counted without these then, which meets a dozen published peaks to 0.01 GB; segments
are not, for units lie in those of another stream. At the optimizer's step it holds the temporaries of foreach Adam, as
large as its own weights. A pipeline fits where its fuller end does: the
first stage has no logits and as many batches in flight as there are stages, the last one batch and the logits. What is
published of one is taken for its first stage, which runs on the card that drivers list first and on the rank that
prints: those peaks came out up to 58 % too high by the fuller end, and runs that tell 13 GB of 32 went out of memory on
16 at the same batch, by the last stage's logits. What a driver showed for a process before 2023 holds every kernel of
its libraries. A compiled
step has no result that no kernel writes out. Adapters under the first generation of full sharding, with reentrant
checkpoints as trainers made them before 2026, keep every block's input and its gradient until backward ends: hooks on
units of frozen weights hold them (seen by resident memory with torch 2.13: two tensors a block, none without
reentrance). The loss of transformers before 2025 shifted the logits into a tensor of its own, which a fused loss of
`fused_layers` keeps to the peak. A run counts so where its software is of those years (by the release of PyTorch: those
of early 2025 on PyTorch 2.4, Mixtral's here, come out 4 to 12 % too high). Products by weights of 4 bits kept their
inputs until backward before bitsandbytes 0.43.2, which came out with PyTorch 2.4, and keep none since: read off its
sources. Adapters are cast with all that full sharding gathers: Llama-3 and PowerLM over two and four cards are met
within 1.6 %, 0.3 % in the mean, once fused layers leave the gate as those runs' kernels do. FP8 under full sharding
runs on 16-bit weights, and so do activations between layers: with contexts of 32k and more, on weights of FP32, peaks
came out an eighth too high; they are 4 to 5 % too high now. Where they are off: DeepSpeed's and Megatron's buffers
(eight copies of the weights without a pipeline come out 5 to 13 % too low), and layers split before 2022, whose norms
and dropouts each card had whole. Adapters that are
units of their own have each other gathered ahead, not the next block, which comes when most of a block's activations
are gone: one whole unit is there at the peak, not two. Mixtral with weights of 16 bits came out 7 to 8 % too high
before that was read off the order of units, Llama-3 and PowerLM up to 3 %. Experts were modules that ran one after the
other until transformers 5; traced as grouped products, as they run today, they hold 0.5 GB a sample more, 2 to 3 % of
these peaks, and with weights of 4 bits the peaks are 2 to 8 % too high (one after the other takes a trace of half a
minute, and meets both peaks of 16 bits to 0.01 GB). Before 2024 trainers left adapters in one unit with the frozen
weights around them, and the first generation makes a gradient of all that a unit holds as soon as some of it is
trained (PyTorch's issue 91167); accumulated without a reduction (`no_sync`) such gradients are whole on every device.
Published peaks at one sample a device come out 2 % too low to 8 % too high so, with more samples up to 27 % too high,
since samples after the longest are shorter. That holds for runs of that time whose weights and adapters are all of 16
bits. Weights that are all trained are taken to be reduced at every micro-batch, as the script does, though trainers
may choose `no_sync` there too. Where lengths of samples vary, tensors hold most at the longest, while the allocator
keeps segments of shorter ones too: `--evaluate` tells `reserved` and `device` peaks of what adapters or a head are
trained on between lengths all alike and lengths spread evenly. Such rows here are of lengths all alike. Ranges
are the middle four fifths of published over predicted, the widest of every row and every source weighing the same, of
all sources and without each in turn:
{one_low:.2f} to {one_high:.2f}
on one card, {share_low:.2f} to {share_high:.2f} where a card holds a share.

"""
METHOD = """
## What a need is made of

- **Live tensors** of the traced step, rounded as the allocator does, with gradients, optimizer and library workspaces.
- **Fragmentation**: the caching allocator is replayed until a step asks the driver for nothing new (at most six steps),
  at the least capacity that survives. Steps after the second matter: gradients and states lie where the first step had
  activations, and what was cached for one size serves another. That alone moves needs by up to 3.4 %.
- **Recurrent layers**: cuDNN's reserve and workspace by sizes that it has printed.
- **Head-room for cuDNN's convolutions** (below), and the **context**. What an RTX 3090 leaves to the allocator,
  22.10 GiB, is what out-of-memory messages show for it with software of that time; kernels loaded lazily leave more.

"""


def main() -> None:
    """Write the page, or with --check fail where it differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the committed file differs")
    check = parser.parse_args().check
    needs = {layout: _needs(layout) for layout in LAYOUTS}
    text = INTRODUCTION + _outcome_table() + _language_models() + METHOD + _rule(needs)
    if check:
        if PAGE.read_text(encoding="utf-8") != text:
            sys.exit(f"{PAGE.relative_to(ROOT)} is out of date")
        return
    PAGE.write_text(text, encoding="utf-8")
    print(text)


def _needs(layout: str) -> dict[str, Needs]:
    return {row.name: rung_needs(row) for row in recorded_rows(set(chosen_models()), layout)}


def _outcome_table() -> str:
    lines = [
        "| sample | layout | models | right | too high | too low | not right |",
        "|---|---|---|---|---|---|---|",
    ]
    for sample, models in (("first", chosen_models()), ("second", judging_models())):
        for layout in LAYOUTS:
            found = {row.name: outcome(row) for row in recorded_rows(set(models), layout)}
            counts, total = Counter(found.values()), len(found)
            wrong = [
                f"{name.removeprefix('timm_')} ({what})" for name, what in sorted(found.items()) if what != "right"
            ]
            shares = [f"{counts[what] / total:.1%}" for what in ("right", "too high", "too low")]
            lines.append(f"| {sample} | {layout.upper()} | {total} | {' | '.join(shares)} | {', '.join(wrong)} |")
    return "\n".join(lines) + "\n"


def _cost(needs: dict[str, dict[str, Needs]], share: float, names: set[str]) -> int:
    total = 0
    for found in needs.values():
        too_high, too_low = counted([each for name, each in found.items() if name in names], share)
        total += OUT_OF_MEMORY_WEIGHT * too_high + too_low
    return total


def _choice(needs: dict[str, dict[str, Needs]], names: set[str]) -> float:
    """The least share of the least cost."""
    return min(SHARES, key=lambda share: (_cost(needs, share, names), share))


def _rule(needs: dict[str, dict[str, Needs]]) -> str:
    names = sorted(set().union(*needs.values()))
    chosen = _choice(needs, set(names))
    if chosen != CONVOLUTION_HEADROOM:
        print(f"the rule chooses {chosen}, the code has {CONVOLUTION_HEADROOM}", file=sys.stderr)
    lines = [
        "## How the convolutions' head-room was chosen",
        "",
        "As a share of the largest convolution's input and output. The rule: the least share with the least sum of",
        "wrong rungs of the first sample over both layouts. One that is too high counts",
        f"{OUT_OF_MEMORY_WEIGHT} times: a batch that runs out of memory stops a run, one too small costs time.",
        f"It chooses **{chosen:.2f}**.",
        "",
        "| share | NCHW too high, too low | NHWC too high, too low | sum |",
        "|---|---|---|---|",
    ]
    for share in SHARES[::2]:
        cells = [", ".join(map(str, counted(list(needs[layout].values()), share))) for layout in LAYOUTS]
        lines.append(f"| {share:.1f} | {cells[0]} | {cells[1]} | {_cost(needs, share, set(names))} |")
    lines += ["", *_cross_validation(needs, names)]
    return "\n".join(lines) + "\n"


def _language_models() -> str:
    groups: dict[tuple[str, str, str], list[PeakRow]] = {}
    for row in told_rows():
        groups.setdefault((row.source, row.layout.data_parallel, row.memory_kind), []).append(row)
    lines = [
        "| source | sharding | peak counts | rows | mean error | median | bias | inside the range |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for names, rows in sorted(groups.items()):
        bias = statistics.median(row.error_fraction for row in rows)
        lines.append(f"| {' | '.join(names)} | {_errors_of(rows)} | {bias:+.1%} | {_inside(rows)} |")
    lines.append(f"| all | | | {_errors_of(told_rows())} | | {_inside(told_rows())} |")
    (one_low, one_high), (share_low, share_high) = ON_ONE_CARD, SHARED
    text = LANGUAGE_MODELS.format(one_low=one_low, one_high=one_high, share_low=share_low, share_high=share_high)
    return text + "\n".join([*lines, "", *_untold(), "", *_sources_left_out(), "", *_failures()]) + "\n"


def _untold() -> list[str]:
    """Rows whose descriptions leave out what their peaks hang on, and published peaks that are no rows."""
    lines = [
        "Rows that are told apart, since no description says what their peaks hang on:",
        "",
        "| not told by the description | rows | mean error | median | bias | inside the range |",
        "|---|---|---|---|---|---|",
    ]
    for reason in (FROM_SCRATCH, SHORTER_AFTERWARDS):
        rows = [row for row in peak_rows() if row.untold == reason]
        bias = statistics.median(row.error_fraction for row in rows)
        lines.append(f"| {reason} | {_errors_of(rows)} | {bias:+.1%} | {_inside(rows)} |")
    reasons = "; ".join(f"{count} rows, {reason}" for reason, count in sorted(not_judged().items()))
    return [*lines, "", f"Not judged: {reasons}.", "", QWEN]


QWEN = """Of those whose reading is not stated, Qwen's 42 peaks (1.8B and 14B on one card) come out 12.0 % off in the
mean and 9.2 in the middle if they are what the device shows and samples are of one length, 16.0 and 11.1 as tensors
alone. What they hang on no description says. Its code of 2023 takes the loss in the type of the logits where no
autocast runs: adapters on GPTQ under DeepSpeed in FP16 grow by 1.2 MB a token, four times 152,064 logits of 16 bits,
where transformers' models take FP32, so that 8,192 tokens come out 26 to 39 % too high. And short ones come out too
low, by 1.2 to 5.0 GB: DeepSpeed keeps FP32 copies and states of adapters in 16 bits, PEFT before 0.6 had FP32 ones
(0.4 to 2.7 GB more), and the rest is not known."""


def _sources_left_out() -> list[str]:
    """What ranges without a source would have been, and what they hold of its rows."""
    lines = [
        "Ranges without a source, and the share of that source's rows inside; between two sources there is little to",
        "learn of a third:",
        "",
        "| devices | source left out | rows | range of the others | inside |",
        "|---|---|---|---|---|",
    ]
    for name, several in (("one", False), ("a share each", True)):
        rows = [row for row in told_rows() if (row.layout.count > 1) is several]
        for source in sorted({row.source for row in rows}):
            low, high = middle_of([row for row in rows if row.source != source])
            own = [low <= row.published_over_predicted <= high for row in rows if row.source == source]
            lines.append(f"| {name} | {source} | {len(own)} | {low:.2f} to {high:.2f} | {sum(own) / len(own):.0%} |")
    return lines


def _failures() -> list[str]:
    """Published runs out of memory, and whether any is called fitting."""
    rows = failed_rows()
    fitting = sum(row.need.value <= row.usable_bytes for row in rows)
    surely = sum(row.need.high <= row.usable_bytes for row in rows)
    return [
        f"Of {len(rows)} published runs that went out of memory {fitting} are called fitting, {surely} with the high",
        "end of the range. Four more that were published have no recorded step and are not judged here.",
    ]


def _errors_of(rows: Sequence[PeakRow]) -> str:
    sizes = [abs(row.error_fraction) for row in rows]
    return f"{len(rows)} | {statistics.mean(sizes):.1%} | {statistics.median(sizes):.1%}"


def _inside(rows: Sequence[PeakRow]) -> str:
    return f"{statistics.mean(row.inside for row in rows):.0%}"


def _cross_validation(needs: dict[str, dict[str, Needs]], names: Sequence[str]) -> list[str]:
    order, tallies = list(names), {layout: [0, 0, 0] for layout in LAYOUTS}
    plain = {layout: [0, 0] for layout in LAYOUTS}
    choices: list[float] = []
    for seed in range(SPLIT_COUNT):
        random.Random(seed).shuffle(order)  # noqa: S311 - halves of a sample, no secret
        halves = set(order[: len(order) // 2]), set(order[len(order) // 2 :])
        for fitted, judged in (halves, halves[::-1]):
            choices.append(_choice(needs, fitted))
            for layout in LAYOUTS:
                rows = [each for name, each in needs[layout].items() if name in judged]
                counts, without = counted(rows, choices[-1]), counted(rows, 0.0)
                tallies[layout] = [a + b for a, b in zip(tallies[layout], (*counts, len(rows)), strict=True)]
                plain[layout] = [a + b for a, b in zip(plain[layout], without, strict=True)]
    choices.sort()
    middle = (choices[len(choices) // 10], choices[len(choices) // 2], choices[-len(choices) // 10])
    lines = [
        f"Cross-validated: chosen on one half of the sample, judged on the other ({SPLIT_COUNT} random halvings, both",
        f"ways). The share chosen is {middle[1]:.2f} (80 % of choices: {middle[0]:.2f} to {middle[2]:.2f}).",
        "",
        "| layout | too high | too low | without head-room: too high | too low |",
        "|---|---|---|---|---|",
    ]
    for layout in LAYOUTS:
        too_high, too_low, total = tallies[layout]
        shares = [f"{count / total:.1%}" for count in (too_high, too_low, *plain[layout])]
        lines.append(f"| {layout.upper()} | {' | '.join(shares)} |")
    return lines


if __name__ == "__main__":
    main()
