"""What a claim tells of one change on the same cards: which it is, what it is held against, and its figures."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping, Sequence

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.claims.claim import Claim
from advisor.claims.reading.changes.batch_words import Growth, compared_batches
from advisor.claims.reading.changes.change_words import (
    ATTENTIONS,
    TUNINGS,
    Changed,
    find_change,
    find_cost,
    find_strategy,
    says_on,
)
from advisor.claims.reading.changes.circumstances import unjudged_change
from advisor.claims.reading.changes.held_against import COMPARES
from advisor.claims.reading.changes.length_words import LengthChange, says_of_tokens
from advisor.claims.reading.changes.link_words import find_link_change
from advisor.claims.reading.changes.switch_words import (
    COMPILES,
    acts_compiled,
    find_bare_gain,
    find_cause,
    find_switch,
    leads,
    leaves_out,
    leaves_out_precision,
    lone_precision,
    names_change,
)
from advisor.claims.reading.changes.together import has_reference, joined_changes, together
from advisor.claims.reading.numbers.card_counts import CARD
from advisor.claims.reading.numbers.figures import Figures
from advisor.claims.reading.numbers.number_words import search
from advisor.claims.refusals import refusal

_SHARING = {"zero2", "fsdp", "fsdp_offload"}
"""Told alone of memory, they are held against a copy of everything on each card."""
_OF_ONE = (
    r"\b(?:than|as|over|vs\.?|versus|against) (?:on )?(?:one|a single|1|just one)\b(?![.\d])|比(?:单卡|单张|一张|1 ?张)"
)
"""Held against a single card, whose noun stands elsewhere: `8 A100 in bf16 are 12x as fast as one in fp32`."""
_MADE = (
    r"(?:^|[.;:。；] ?)([^.;:。；]{2,40}?) ?"
    r"(?:\b(?:made|makes|gave|gives|brought|brings|sped|speeds|cuts?|reduce[sd]?|lower(?:s|ed)|shave[sd]?|trim(?:s|med)"
    r"|boost(?:s|ed)|improve[sd]|double[sd]|halve[sd])\b|让|使得?|带来)[^.;。；]*$"
)
_ACTED = (
    r"\b(?:after|by|once|when|since) ((?!training\b|scaling\b|going\b|running\b)[a-z]+ing(?: [^ .;:,]+){1,4})",
    r"((?:把|将|换|改|升级|搬|挪|用了|加了|开了|装了)[^,.;:，。；]{1,20}?)(?:之|以)?后",
)
"""What is told as done before a gain: `after moving the data to NVMe`."""
_OF_WORK = r"\b(?:time|epochs?|steps?|throughput|speed|training|runs?|jobs?)$|(?:时间|速度|吞吐|训练)$"
"""A quantity that changed is none that brought something."""
_OF_CARDS = (
    r"\b(?:gpus?|cards?|it|this|that|which|we|i|they|nodes?|machines?|scal\w+|paralle\w+"
    rf"|(?:moving|going) (?:from|to) (?:\d|one|two|four|eight)|{CARD})\b"
    r"|卡|并行|扩展|这|机"
)
_PART_OF_SHARING = r"\b(?:bucket\w*|overlap\w*|prefetch\w*|hooks?|compression)\b|分桶|重叠"
_OF_A_STEP = (
    r"\b(?:long|longer|slow|slower|more time|the time) (?:per|a|each|every) (?:step|iteration|iter|batch)\b"
    r"|\b(?:step|iteration|iter)(?: time)? (?:takes?|took|is|are|was|got|gets) (?:[^.;,]|\.\d){0,24}?(?:long|slow|time)"
    r"|\beach (?:step|iteration) (?:[^.;,]|\.\d){0,24}?(?:long|slow|time)|每步(?:的?时间|耗时|用时|要|慢)"
)
"""A ratio of steps, and not of what passes in a second."""
_SCALES = r"\bscal\w+|\befficien\w+|\blinear\w*|加速比|扩展|线性|效率"
"""Words of more cards against fewer, whatever else is told."""


def with_change(figures: Figures, change: Changed, plain: str, of_memory: Figures, *, grew: bool) -> Figures:
    """The figures with what a change brings or costs and what memory it takes, where the text is about one."""
    shared = bool(of_memory) and find_strategy(plain) in _SHARING
    sized = grew or compared_batches(plain) is not None
    if not (change.changes_anything or sized or shared or names_change(plain)):
        unjudged = not figures and not of_memory and unjudged_change(plain) is not None
        return figures._replace(speed_up_ratio=find_bare_gain(plain)) if unjudged else figures
    if not figures and names_change(plain) and (cost := find_cost(plain)) is not None:
        figures = figures._replace(speed_up_ratio=cost)
    elif not figures and not of_memory:
        figures = figures._replace(speed_up_ratio=find_bare_gain(plain))
    return figures._replace(memory_ratio=of_memory.memory_ratio, saved_bytes=of_memory.saved_bytes)


def changed(claim: Claim, change: Changed) -> Claim:
    """The claim with what was changed, where its figures are of a change and nothing else was."""
    others = (claim.reference_precision, claim.reference_batch_size, claim.reference_strategy)
    counted = not change.certain and claim.reference_count != (claim.count or 1)
    if (
        not claim.of_change
        or claim.reference_gpus
        or claim.compile
        or counted
        or any(stated is not None for stated in (*others, claim.reference_interconnect))
    ):
        return claim
    settings: dict[str, str] = {}
    for name, pair in (("tuning", change.tuning), ("attention", change.attention)):
        settings |= {name: pair[0], f"reference_{name}": pair[1]} if pair is not None else {}
    if change.checkpointing is not None:
        after, before = change.checkpointing
        settings |= {"activation_checkpointing": after, "reference_activation_checkpointing": before}
    return msgspec.structs.replace(claim, **settings)


def linked(claim: Claim, plain: str, counts: Collection[int]) -> Claim:
    """The claim with what joins its cards after and before, where that is the change; `counts`: all that are named."""
    alike = claim.of_change and not claim.reference_gpus and len(counts) == 1 and 1 not in counts
    links = find_link_change(plain) if alike else None
    if links is None:
        return claim
    after, before = links
    return msgspec.structs.replace(
        claim, interconnect=after, reference_interconnect=before, reference_count=claim.count or 1
    )


def of_samples(claim: Claim, plain: str) -> Claim:
    """The claim with its ratio of steps of two batches as one of samples: `twice as long a step at twice the batch`."""
    sizes, ratio = (claim.batch_size, claim.reference_batch_size), claim.speed_up_ratio
    grew = claim.batch_ratio or (sizes[0] / sizes[1] if sizes[0] and sizes[1] else None)
    if grew is None or ratio is None or claim.reference_gpus or search(_OF_A_STEP, plain) is None:
        return claim
    return msgspec.structs.replace(claim, speed_up_ratio=ratio * grew)


def grown(claim: Claim, growth: Growth | None) -> Claim:
    """The claim of one card and its batch, where a figure is told of one that grew, and of nothing else."""
    one = claim.of_change and not claim.reference_gpus
    others = (claim.reference_precision, claim.reference_strategy, claim.compile, claim.tuning, claim.attention)
    if growth is None or not one or any((*others, claim.activation_checkpointing)):
        return claim
    return msgspec.structs.replace(claim, batch_ratio=growth.ratio)


def stretched(claim: Claim, length: LengthChange | None, plain: str) -> Claim:
    """The claim with both lengths of its texts, where a figure is told of a change of these on the same cards."""
    if length is None or not claim.of_change or claim.reference_gpus:
        return claim
    if length.after is not None and length.before is not None:
        sizes: dict[str, object] = {"sequence_length": length.after, "reference_sequence_length": length.before}
    else:
        sizes = {"length_ratio": length.ratio, "sequence_length": None}
    of_tokens = says_of_tokens(plain) if claim.speed_up_ratio is not None else None
    same = {"reference_count": claim.count} if claim.count is not None else {}
    return msgspec.structs.replace(claim, ratio_of_tokens=of_tokens, **sizes, **same)


def against_usual(claim: Claim, plain: str, specs: Mapping[str, GpuSpec], *, counts: int) -> Claim:
    """The claim whose one change is told alone, with what that is usually held against.

    A switch against the same without it, a precision against FP32, sharding against a copy on each card. `counts`:
    how many different numbers of cards are named; of one alone, as many are compared with. Raises SaidError where one
    figure is given to two changes.
    """
    if not claim.of_change or claim.reference_gpus or counts > 1:
        return claim
    if joined := joined_changes(plain):
        of_all = together(claim, joined, plain)
        if of_all is None:
            raise refusal("claim-changes-joined", claim, specs, first=joined[0].words, other=joined[1].words)
        return of_all
    lone = claim if has_reference(claim) else _lone(claim, plain, several=(claim.count or 1) > 1)
    told = (lone.reference_precision, lone.reference_batch_size, lone.batch_ratio, lone.switched)
    of_change = any(change is not None for change in told) or (lone.compile and acts_compiled(plain, alone=True))
    if claim.count is None or not of_change or search(_OF_ONE, plain) is not None:
        return lone
    return msgspec.structs.replace(lone, reference_count=claim.count)


def refuse_alike(claim: Claim, plain: str, counts: Sequence[tuple[int, int]], specs: Mapping[str, GpuSpec]) -> None:
    """Refuse one number of cards on both sides, `4 A100 with NVLink against 4 A100 without`: it is not 4 against 1.

    Nor is what something else is said to have brought on so many.
    """
    several = bool(counts) and counts[0][1] != claim.reference_count and claim.speed_up_ratio is not None
    if not several or claim.reference_gpus or has_reference(claim) or claim.compile or claim.switched:
        return
    acting = acting_cause(plain, counts[0][0]) if len(counts) == 1 else None
    if acting is not None and claim.precision is None:
        raise refusal("claim-change-unjudged", claim, specs, change=acting)
    change = unjudged_change(plain)
    compared = len(counts) == 2 and counts[0][1] == counts[1][1]  # noqa: PLR2004 - a pair
    alike = compared and search(COMPARES, plain[counts[0][0] : counts[1][0]]) is not None
    if change is not None and (alike or (len(counts) == 1 and leads(plain, change, counts[0][0]))):
        raise refusal("claim-change-unjudged", claim, specs, change=change)
    if alike:
        raise refusal("claim-same-cards", claim, specs)


def as_change(claim: Claim, plain: str, counts: int) -> Claim | None:
    """A claim of cards against one, as one of the change that its text also names, on as many cards.

    None: what brought the gain is not left open. `counts`: how many different numbers of cards are named.
    """
    several = counts == 1 and (claim.count or 1) > 1 and claim.reference_count == 1
    told = claim.reference_gpus or claim.speed_up_ratio is None or claim.of_memory or claim.switched
    if not several or told or has_reference(claim) or search(f"{_OF_ONE}|{_SCALES}", plain) is not None:
        return None
    alike = msgspec.structs.replace(claim, reference_count=claim.count)
    operators = changed(msgspec.structs.replace(alike, compile=None), find_change(plain))
    if has_reference(operators):
        return operators
    lone = _lone(alike, plain, several=False)
    return lone if lone.switched or lone.compile or lone.reference_precision else None


def acting_cause(plain: str, place: int) -> str | None:
    """What is said to have made a gain before any number of cards is named; None: nothing, or how they share the work.

    `DDP buckets of 50 MB made training 5 % faster on 8 V100` is no claim of eight cards against one.
    """
    done: list[str] = [
        match.group(1) for words in _ACTED for match in re.finditer(words, plain, re.ASCII) if match.end() != place
    ]
    act = search(_MADE, plain[:place])
    told_causes: list[str] = [act.group(1), *done] if act is not None else done
    for words in told_causes:
        subject = words.strip(" ,.;:，。；")
        is_cards = search(_OF_CARDS, subject) is not None or find_strategy(subject) is not None
        told = subject and not is_cards and not names_change(subject) and search(_OF_WORK, subject) is None
        if told or search(_PART_OF_SHARING, subject):
            return subject
    return None


def _lone(claim: Claim, plain: str, *, several: bool) -> Claim:
    if (switch := find_switch(plain, alone=several)) is not None:
        on = msgspec.structs.replace(claim, switched=switch, weights_bits=None, channels_last=None)
        return _turned(on) if leaves_out(plain) else on
    if claim.of_memory and claim.strategy in _SHARING:
        return msgspec.structs.replace(claim, reference_strategy="ddp")
    if (compiles := says_on(COMPILES, plain)) is not None:
        compiled = msgspec.structs.replace(claim, compile=True)
        return compiled if compiles else _turned(compiled)
    precision = lone_precision(plain) if claim.of_memory else find_cause(plain, alone=several)
    if precision is not None:
        usual = "bf16_amp" if precision == "fp8" else "fp32"
        reduced = msgspec.structs.replace(claim, precision=precision, reference_precision=usual)
        return _turned(reduced) if leaves_out_precision(plain) else reduced
    return claim


def _turned(claim: Claim) -> Claim:
    """The claim with its ratios of what is on over what is left out, which it tells the other way round."""
    ratios = {name: getattr(claim, name) for name in ("speed_up_ratio", "memory_ratio")}
    return msgspec.structs.replace(claim, **{name: 1 / ratio for name, ratio in ratios.items() if ratio})


def tells_change(claim: Claim) -> bool:
    """Whether a claim is told of one change on the same cards."""
    return has_reference(claim) or bool(claim.switched or claim.compile)


def refuse_one_kind(plain: str, specs: Mapping[str, GpuSpec]) -> None:
    """Refuse two of what is predicted as one held against each other: `FA3 over FA2`, `xformers against SDPA`."""
    for words in (ATTENTIONS, TUNINGS):
        for pattern, _ in words:
            named = list(re.finditer(pattern, plain, re.ASCII))
            for one, other in itertools.pairwise(named):
                between = plain[one.end() : other.start()]
                if one.group() != other.group() and search(rf"^[^.;,]{{0,40}}(?:{COMPARES})", between) is not None:
                    change = f"{one.group().strip()} / {other.group().strip()}"
                    raise refusal("claim-change-unjudged", Claim(), specs, change=change)
