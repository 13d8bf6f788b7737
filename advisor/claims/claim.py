"""A claim about training speed as a type, its file format, and the answer that is given to it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from advisor.catalogue.precisions import PRECISION_LABELS, Precision
from advisor.catalogue.strategies import Strategy
from advisor.core.file_kinds import given_as
from advisor.core.input_file import read_toml
from advisor.core.records import Record, shared_fields
from advisor.core.sentences import Names, Reason, SaidError
from advisor.core.units import Estimate
from advisor.workload.workload import Attention, Checkpointing, Mode, Trainable

Seconds = Annotated[float, Meta(ge=1e-15, le=1e10)]
Rate = Annotated[float, Meta(ge=1e-15, le=1e12)]
Ratio = Annotated[float, Meta(ge=1e-15, le=1e9)]
Counted = Annotated[int, Meta(ge=1, le=1_000_000)]
Tuning = Literal["full", "lora", "qlora"]
ClaimedSwitch = Literal["channels_last", "fused_optimizer", "optimizer_8bit"]
Verdict = Literal["plausible", "plausible_only_with", "below_expected", "impossible"]
WITH_NVLINK, WITHOUT_NVLINK = "NVLink", "without NVLink"
"""Words of a link, as `--interconnect` takes them."""
LIKELIEST_FIRST: tuple[Verdict, ...] = ("plausible", "plausible_only_with", "below_expected", "impossible")
"""Verdicts from the one that leaves a claim most, where it may be read in several ways."""


class ClaimFields(Record, frozen=True, kw_only=True):
    """A time or a ratio, and as much of its circumstances as was said, beside the cards.

    `batch_size` is per device. `speed_up_ratio` is against `reference_count` cards of the same kind, or against the
    card that it is compared with.
    """

    count: Counted | None = None
    """How many cards; None: nothing is said."""
    reference_count: Counted = 1
    """How many cards it is compared with."""
    reference_precision: Precision | None = None
    """What the same card computed in before, where a precision is compared with another."""
    reference_batch_size: Counted | None = None
    """Per device before, where a batch size is compared with another."""
    batch_ratio: Annotated[float, Meta(gt=1, le=1000)] | None = None
    """How many times as large a batch became, where neither size is said."""
    reference_sequence_length: Counted | None = None
    """Tokens of a text before, where a length is compared with another."""
    length_ratio: Annotated[float, Meta(gt=1, le=1000)] | None = None
    """How many times as long a text became, where neither length is said."""
    ratio_of_tokens: bool | None = None
    """Whether the ratio is of tokens a second, which of other lengths are other samples; None: it is not said."""
    reference_compile: Literal[False] | None = None
    """False: nothing was compiled before, where compiling is one of several changes."""
    reference_strategy: Strategy | None = None
    """How the same cards shared the work before, where a strategy is compared with another."""
    tuning: Tuning | None = None
    """What is trained, where one way is held against another: all weights, or adapters beside whole or 4-bit ones."""
    reference_tuning: Tuning | None = None
    """What was trained before."""
    attention: Attention | None = None
    """How attention runs, where one way is held against another."""
    reference_attention: Attention | None = None
    """How it ran before."""
    activation_checkpointing: Checkpointing | None = None
    """What backward computes again, where that is held against another way."""
    reference_activation_checkpointing: Checkpointing | None = None
    """What it computed again before."""
    switched: ClaimedSwitch | None = None
    """What was switched on, where that is held against the same without it."""
    fits: bool | None = None
    """Whether a step is said to fit the card's memory; None: nothing is said of it."""
    memory_bytes: Annotated[float, Meta(ge=1, le=1e18)] | None = None
    """The memory that the model is said to take so, of all cards together."""
    is_faster: bool | None = None
    """True: the card is said to be faster than the one that it is compared with, but not by how much."""
    workload: str | None = None
    """A bundled workload."""
    parameters: Annotated[float, Meta(ge=1e6, le=2e13)] | None = None
    """Of the model, where it is named by its size."""
    trainable: Trainable | None = None
    """What is trained of it."""
    weights_bits: Literal[4, 8, 16] | None = None
    """Of the weights that are not trained."""
    offload: bool | None = None
    """Whether something is kept in the host's memory."""
    trained_tokens: Annotated[float, Meta(ge=1, le=1e17)] | None = None
    """What an epoch or the whole training passes."""
    trained_samples: Annotated[float, Meta(ge=1, le=1e15)] | None = None
    """The same in samples: of an epoch, or all that the whole training passes; None: those of the workload."""
    mode: Mode = "training"
    """What the time is of."""
    strategy: Strategy | None = None
    """How several cards share the work."""
    interconnect: Annotated[str, Meta(max_length=200)] | None = None
    """What joins several cards, in the words that `--interconnect` takes; None: as such cards usually are."""
    reference_interconnect: Annotated[str, Meta(max_length=200)] | None = None
    """What joined as many of the same cards before, where one link is compared with another."""
    precision: Precision | None = None
    """What the step computes in; None: each that may be meant is tried."""
    batch_size: Counted | None = None
    """Samples a device."""
    sequence_length: Counted | None = None
    """Tokens of a text."""
    image_size: Counted | None = None
    """Pixels of a picture's side."""
    channels_last: bool | None = None
    """Memory layout NHWC; None: tried as an explanation of what is too fast."""
    compile: bool | None = None
    """`torch.compile`; None: tried as an explanation of what is too fast."""
    step_s: Seconds | None = None
    """The claimed time of one step."""
    per_card: bool | None = None
    """Whether the rate is told of each card of a number that is not told."""
    samples_per_s: Rate | None = None
    """The claimed samples a second, of all cards."""
    tokens_per_s: Rate | None = None
    """The claimed tokens a second, of all cards."""
    epoch_s: Seconds | None = None
    """The claimed time of one pass over the workload's data."""
    job_s: Seconds | None = None
    """The claimed time of all its epochs."""
    speed_up_ratio: Ratio | None = None
    """How many times as fast as what it is compared with."""
    memory_ratio: Ratio | None = None
    """The most memory that a card holds at once, over that before the change: 0.5 is half of it."""
    saved_bytes: Annotated[float, Meta(ge=1, le=1e15)] | None = None
    """The memory of a card that a change is said to save."""
    flop_per_s: Annotated[float, Meta(ge=1, le=1e22)] | None = None
    """What the cards are said to reach; of each where `per_card` says so."""
    mfu_fraction: Ratio | None = None
    """The claimed share of the cards' peak that the model's own FLOP take (MFU): 0.55 is 55 %."""

    @property
    def of_memory(self) -> bool:
        """Whether it is told what a change does to a card's memory, as a share or in bytes."""
        return self.memory_ratio is not None or self.saved_bytes is not None

    @property
    def of_change(self) -> bool:
        """Whether it is told what a change brings, in speed or in memory."""
        return self.speed_up_ratio is not None or self.of_memory

    @property
    def passed_tokens(self) -> float | None:
        """Tokens that an epoch or the whole training passes; None: not said, in no way."""
        if self.trained_tokens is not None or self.trained_samples is None or self.sequence_length is None:
            return self.trained_tokens
        return self.trained_samples * self.sequence_length


class Claim(ClaimFields, frozen=True, kw_only=True):
    """What is claimed.

    `gpus` are spec-table keys: the variants of the one card that is meant, where the claim does not tell which.
    """

    text: str | None = None
    """The sentence that was read; None: it was given field by field."""
    gpus: tuple[str, ...] = ()
    """Keys of the spec table that the card may be."""
    reference_gpus: tuple[str, ...] = ()
    """The same of the card that it is compared with; empty: the same one."""
    told_as: Literal["most", "least"] | None = None
    """Whether the ratio is told as the most or the least there is (`not 2x`, `more than 2x`); None: as it stands."""
    other_model: str | None = None
    """A model that is named and not bundled: no other one's times are taken for its own."""
    unknown_gpus: tuple[str, ...] = ()
    """Cards that are named and not in the table: nothing is predicted for them, nor for their namesakes."""

    @property
    def order(self) -> Literal["slower", "faster"] | None:
        """What is said of a change or of more cards without by how much; None: a figure is told."""
        if self.speed_up_ratio != 1.0 or self.told_as is None:
            return None
        return "slower" if self.told_as == "most" else "faster"


class ClaimEntry(ClaimFields, frozen=True, kw_only=True):
    """One `[[claim]]` of a claim file: free `text`, or the fields one by one (`gpu` a key of the spec table)."""

    text: Annotated[str, Meta(min_length=1, max_length=2000)] | None = None
    """The claim as a sentence, English or Chinese; fields beside it correct what it is read as."""
    gpu: str | None = None
    """The card: a key of the spec table."""
    reference_gpu: str | None = None
    """The card that it is compared with; None: the same one."""


class ClaimFile(Record, frozen=True, kw_only=True):
    """A claim file: one or more `[[claim]]` tables."""

    claim: Annotated[tuple[ClaimEntry, ...], Meta(min_length=1, max_length=200)]
    """The claims, each answered by itself."""


class ClaimAnswer(Record, frozen=True, kw_only=True):
    """The verdict on a claim, with the numbers that prove it; the first reason is the answer in one sentence."""

    claim: Claim
    """As it was read."""
    verdict: Verdict
    """Whether it is possible."""
    reasons: tuple[Reason, ...]
    """The answer in sentences, with its numbers."""
    claimed_step_s: float | None = None
    """The claim as the time of one step, where it says one."""
    expected_step_s: Estimate | None = None
    """What is predicted for the step, with its 80 % range."""
    bound_step_s: float | None = None
    """No step on this card can be faster, by its peak rates."""
    expected_ratio: Estimate | None = None
    """What is predicted for a ratio, with its 80 % range."""
    bound_ratio: float | None = None
    """No ratio can be larger."""
    expected_mfu_fraction: Estimate | None = None
    """What share of the peak is predicted (MFU), with its 80 % range."""
    expected_memory_ratio: Estimate | None = None
    """What is predicted for the memory after a change over that before, with its 80 % range."""
    expected_saved_bytes: Estimate | None = None
    """What is predicted that a change saves of a card's memory, with its 80 % range."""


def read_claim_file(path: Path) -> tuple[ClaimEntry, ...]:
    """The entries of a claim file. Raises InputError naming file, field and what is allowed."""
    with given_as("claims", path):
        entries = read_toml(path, ClaimFile).claim
    for index, entry in enumerate(entries):
        times = (entry.step_s, entry.epoch_s, entry.job_s)
        ratios = (entry.speed_up_ratio, entry.mfu_fraction, entry.memory_ratio, entry.saved_bytes)
        values = (*times, *ratios, entry.samples_per_s, entry.tokens_per_s, entry.flop_per_s)
        if entry.text is None and entry.fits is None and all(value is None for value in values):
            raise SaidError.of("claim-nothing-to-check", path=str(path), place=f"claim[{index}]")
    return entries


def claim_of(entry: ClaimEntry) -> Claim:
    """An entry given field by field as a claim (free text goes through `reader.parse_claim`)."""
    return Claim(
        gpus=(entry.gpu,) if entry.gpu is not None else (),
        reference_gpus=(entry.reference_gpu,) if entry.reference_gpu is not None else (),
        **shared_fields(entry, ClaimFields),
    )


def any_precision_of(precisions: Iterable[Precision]) -> Names:
    """Precisions as the alternatives of a sentence."""
    return Names(names=tuple(PRECISION_LABELS[precision] for precision in precisions), alternatives=True)
