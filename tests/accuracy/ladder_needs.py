"""What the recorded models of the ladder need at the rung that ran and at the one that failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec

from advisor.cost.memory.capacity import usable_bytes
from advisor.cost.memory.largest_batch import fits
from advisor.cost.memory.need import CONVOLUTION_HEADROOM, MemoryQuestion, answered, memory_question
from advisor.cost.memory.run_software import RunSoftware
from advisor.predict.ranges.memory_range import need_range
from advisor.workload.workload import Training
from tests.accuracy.ladder import RUNGS, ladder_path, ladder_rows, load_ladder_table

CARD_BYTES = 24 * 2**30
CAPABILITY = "8.6"
TRAINING = Training(precision="fp16_amp", batch_size=32, optimizer="sgd_momentum")
Outcome = Literal["right", "too high", "too low"]
_FAR_BELOW, _FAR_ABOVE = 0.8, 1.1
"""Live bytes over what the card gives, outside of which fragmentation and head-room decide nothing."""


class LadderRow(NamedTuple):
    """One recorded model whose ladder ended below the top rung."""

    name: str
    length: int
    layout: str
    ran: int
    failed: int


class RungNeed(NamedTuple):
    """What one rung needs in bytes: without the convolutions' head-room, its base, and the range of the whole."""

    plain: float
    largest_convolution: float
    low: float
    high: float


def recorded_rows(models: Collection[str], layout: str) -> Iterator[LadderRow]:
    """The rows of `models` that are recorded and ended below the top rung."""
    for row in ladder_rows():
        name, length, ran = row["workload"], int(row["seq_len_or_img"]), int(row["max_batch_that_ran"])
        if (
            row["layout"] == layout
            and name in models
            and ran != RUNGS[0]
            and ladder_path(name, length, layout).exists()
        ):
            yield LadderRow(name, length, layout, ran, int(row["min_batch_that_failed"]))


def question_of(workload: str, length: int, layout: str) -> MemoryQuestion:
    """The benchmark's step: it kept gradients allocated, as torch did before 2.0."""
    question = memory_question(
        load_ladder_table(workload, length, layout),
        msgspec.structs.replace(TRAINING, channels_last=layout == "nhwc"),
        "fp16_amp",
        compute_capability=CAPABILITY,
        software=RunSoftware(gradients_kept=True),
    )
    if question is None:
        message = f"{workload} was recorded without a timeline"
        raise ValueError(message)
    return question


def predicted_rung(workload: str, length: int, layout: str) -> int:
    """The largest rung that fits the card."""
    question, usable = question_of(workload, length, layout), usable_bytes(CARD_BYTES)
    return next((rung for rung in RUNGS if fits(question, rung, usable)), 0)


def outcome(row: LadderRow) -> Outcome:
    """How the predicted rung compares with the one that ran."""
    rung = predicted_rung(row.name, row.length, row.layout)
    if rung != row.ran:
        print(f"{row.name} {row.layout}: ran {row.ran}, predicted {rung}")
    return "right" if rung == row.ran else "too high" if rung > row.ran else "too low"


def outcomes(models: Collection[str], layout: str) -> Counter[Outcome]:
    """How many of the recorded models come out right, too high and too low."""
    return Counter(outcome(row) for row in recorded_rows(models, layout))


def rung_needs(row: LadderRow) -> tuple[RungNeed, RungNeed]:
    """Of the rung that ran and of the one that failed; fragmentation is replayed only near the card's limit."""
    question = question_of(row.name, row.length, row.layout)
    ran, failed = (_rung_need(question, batch) for batch in (row.ran, row.failed))
    return ran, failed


def _rung_need(question: MemoryQuestion, batch_size: int) -> RungNeed:
    need = answered(question, batch_size, replayed=False)
    share = need.need_bytes / usable_bytes(CARD_BYTES)
    if _FAR_BELOW < share < _FAR_ABOVE:
        need = answered(question, batch_size)
    largest = question.stream.largest_convolution(batch_size)
    ends = need_range(need)
    return RungNeed(ends.value - CONVOLUTION_HEADROOM * largest, largest, ends.low, ends.high)


def counted(needs: Sequence[tuple[RungNeed, RungNeed]], share: float) -> tuple[int, int]:
    """Rows predicted too high and too low were the head-room that share of the largest convolution."""
    usable = usable_bytes(CARD_BYTES)
    too_high = sum(failed.plain + share * failed.largest_convolution <= usable for _, failed in needs)
    too_low = sum(ran.plain + share * ran.largest_convolution > usable for ran, _ in needs)
    return too_high, too_low
