"""Is a published timing possible? The verdict with the numbers that prove it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.claims.changes import is_about_one_change, words_of
from advisor.claims.claim import LIKELIEST_FIRST, Claim, ClaimAnswer, ClaimEntry, claim_of
from advisor.claims.generated import with_generation
from advisor.claims.gpu_names import shared_name
from advisor.claims.hedged import as_told, turned
from advisor.claims.memory import check_fits
from advisor.claims.more_cards import check_count_ratio
from advisor.claims.order import check_order
from advisor.claims.overlooked.otherwise import left_out, other_reading, price_beside
from advisor.claims.peak import check_peak
from advisor.claims.predictor import Predictor
from advisor.claims.reading.reader import parse_claim
from advisor.claims.refusals import refusal, require_told_rates, unknown_card
from advisor.claims.setting import held_by_rounding
from advisor.claims.several import of_each_ratio
from advisor.claims.sized.needed import check_need
from advisor.claims.sized.rate import check_sized
from advisor.claims.switched import check_change
from advisor.claims.times import check_time
from advisor.claims.two_cards import check_card_ratio
from advisor.claims.utilised import check_flop_rate, check_utilisation
from advisor.core.file_fault import shown_value
from advisor.core.sentences import Arguments, Listed, Names, Reason, SaidError
from advisor.workload.workload_file import load_workload

_SIZE_SLACK = 1.3
"""A size is named in round numbers: GPT-2's 124M are `117M` in its paper."""
_NOT_STATED = {"text", "mode", "reference_count", "told_as", "unknown_gpus", "other_model"}
_MAY_BE_STATED = tuple(name for name in Claim.__struct_fields__ if name not in _NOT_STATED)
"""Fields of a file's entry that correct what its text was read as."""


def check_claim(claim: Claim | ClaimEntry | str, predictor: Predictor) -> ClaimAnswer:
    """The answer to a claim given as a sentence (English or Chinese), as an entry of a file, or as fields.

    Raises InputError when something is missing without which it cannot be judged (card, model, figure), naming it.
    """
    text = claim if isinstance(claim, str) else claim.text if isinstance(claim, ClaimEntry) else None
    if text is None:
        return _checked(claim, predictor)

    def of_words(words: str) -> ClaimAnswer:
        other = words if isinstance(claim, str) else msgspec.structs.replace(claim, text=words)
        return _checked(other, predictor)

    def of_one_ratio(words: str) -> ClaimAnswer:
        return as_told(words, of_words, predictor.specs)

    return of_each_ratio(text, of_one_ratio, predictor.specs)


def _checked(claim: Claim | ClaimEntry | str, predictor: Predictor) -> ClaimAnswer:
    parsed = _of_its_size(_parsed(claim, predictor), predictor)
    words = left_out(parsed, predictor.specs)
    answer = turned(_in_the_likelier_way(parsed, _answered(parsed, predictor), predictor))
    # What was not read comes right behind the verdict: it may be what decides.
    told = (Reason.of("claim-left-out", words=Names(names=tuple(f"“{word}”" for word in words))),) if words else ()
    price = price_beside(parsed, predictor.specs)
    if price is not None:
        told = (Reason.of("claim-price-unjudged", price=price), *told)
    first, *others = answer.reasons
    beside = _beside(parsed, answer, predictor.specs)
    return msgspec.structs.replace(answer, reasons=(first, *told, *others, *beside))


def _answered(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    linked = predictor if claim.interconnect is None else predictor.linked_by(claim.interconnect)
    return with_generation(claim, linked, lambda told: _judged(_in_samples(told, linked), linked))


def _in_the_likelier_way(claim: Claim, answer: ClaimAnswer, predictor: Predictor) -> ClaimAnswer:
    """The answer, or that to what the claim may mean as well, where that one alone holds; it is said which was taken.

    `8 A100 with torch.compile: 1.3x` is eight cards against one, or compiled against not: nothing but the figure tells.
    """
    other = other_reading(claim, predictor.specs)
    if other is None:
        return answer
    try:
        instead = _answered(other, predictor)
    except SaidError:
        return answer
    if LIKELIEST_FIRST.index(instead.verdict) > LIKELIEST_FIRST.index(answer.verdict):
        return answer
    alike = instead.verdict == answer.verdict
    if claim.reference_gpus:
        taken, left = (answer, instead) if alike else (instead, answer)
        said = Reason.of("claim-read-other-order", **_cards_of(taken.claim, predictor.specs), **_verdict_of(left))
        return msgspec.structs.replace(taken, reasons=(*taken.reasons, said))
    # A loss is told of a change: that more cards are slower than one is told beside the one.
    of_cards = alike and (claim.speed_up_ratio or 1.0) >= 1
    taken, left = (answer, instead) if of_cards else (instead, answer)
    words = {"taken": "cards" if of_cards else "change", "count": claim.count or 1, **_verdict_of(left)}
    said = Reason.of("claim-read-otherwise", after=words_of(other)["after"], **words)
    return msgspec.structs.replace(taken, reasons=(*taken.reasons, said))


def _verdict_of(answer: ClaimAnswer) -> Arguments:
    return {"verdict": Listed(reasons=(Reason.of(f"verdict-{answer.verdict}"),))}


def _cards_of(claim: Claim, specs: Mapping[str, GpuSpec]) -> Arguments:
    """The two cards of a claim by their names, in its order."""
    sides = {"device": claim.gpus, "other": claim.reference_gpus}
    return {side: shared_name([specs[key] for key in keys]) for side, keys in sides.items()}


def _beside(claim: Claim, answer: ClaimAnswer, specs: Mapping[str, GpuSpec]) -> Iterator[Reason]:
    """What a rounded figure was given, and which cards a name stands for."""
    ratio, expected = claim.speed_up_ratio, answer.expected_ratio
    memory, held = claim.memory_ratio, answer.expected_memory_ratio
    rounded = bool(ratio and expected and held_by_rounding(ratio, expected))
    rounded = rounded or bool(memory and held and not held.low <= memory <= held.high)
    if answer.verdict == "plausible" and rounded:
        yield Reason.of("claim-told-round")
    yield from _open_variants(claim, specs)


def _open_variants(claim: Claim, specs: Mapping[str, GpuSpec]) -> Iterator[Reason]:
    """Which cards a name stands for that leaves the variant open."""
    for keys in dict.fromkeys((claim.gpus, claim.reference_gpus)):
        if len(keys) > 1:
            cards = [specs[key] for key in keys]
            names, card = Names(names=tuple(spec.name for spec in cards)), shared_name(cards)
            if all(set(card.split()) <= set(spec.name.split()) for spec in cards):  # not all cards of 16 GB
                yield Reason.of("claim-all-variants", card=card, names=names)


def _judged(parsed: Claim, predictor: Predictor) -> ClaimAnswer:
    for key in (*parsed.gpus, *parsed.reference_gpus):
        if key not in predictor.specs:
            raise SaidError.of("claim-card-unlisted", gpu=shown_value(key))
    require_told_rates(parsed, predictor.specs)
    if parsed.speed_up_ratio is not None and not is_about_one_change(parsed):
        if parsed.reference_gpus and parsed.reference_gpus != parsed.gpus:
            return check_card_ratio(parsed, predictor)
        if parsed.unknown_gpus and (parsed.count or 1) <= parsed.reference_count:
            raise unknown_card(parsed, predictor.specs)
        return check_count_ratio(parsed, predictor)
    if parsed.unknown_gpus:
        raise unknown_card(parsed, predictor.specs)
    return _without_speed(parsed, predictor) or _of_speed(parsed, predictor)


def _without_speed(parsed: Claim, predictor: Predictor) -> ClaimAnswer | None:
    """The answer to a claim of an order of cards, of memory, or of a share of the peak; None: it is of a time."""
    if parsed.memory_bytes is not None and parsed.gpus and parsed.workload is not None:
        return check_peak(parsed, predictor)
    if parsed.memory_bytes is not None:
        return check_need(parsed, predictor)
    if parsed.is_faster and parsed.reference_gpus:
        return check_order(parsed, predictor)
    if parsed.flop_per_s is not None and _is_only_about_utilisation(parsed):
        return check_flop_rate(parsed, predictor)
    if parsed.mfu_fraction is not None and _is_only_about_utilisation(parsed):
        return check_utilisation(parsed, predictor)
    return _of_memory(parsed, predictor) if parsed.of_memory else None


def _of_speed(parsed: Claim, predictor: Predictor) -> ClaimAnswer:
    if not parsed.gpus and not is_about_one_change(parsed):
        raise refusal("claim-without-card", parsed, predictor.specs)
    return _of_known_cards(parsed, predictor)


def _of_known_cards(parsed: Claim, predictor: Predictor) -> ClaimAnswer:
    """The answer to a claim about cards of the table that are not held against others, or about a change on any."""
    if parsed.workload is None and parsed.parameters is not None and parsed.speed_up_ratio is None:
        return check_sized(parsed, predictor)
    if parsed.fits is not None:
        return check_fits(parsed, predictor)
    return check_time(parsed, predictor) if parsed.speed_up_ratio is None else check_change(parsed, predictor)


def _of_memory(parsed: Claim, predictor: Predictor) -> ClaimAnswer:
    """The answer to a claim of how much memory a change takes; it needs no card."""
    if not is_about_one_change(parsed):
        raise refusal("claim-memory-without-change", parsed, predictor.specs)
    return check_change(parsed, predictor)


def _is_only_about_utilisation(claim: Claim) -> bool:
    """Whether no time and no rate is claimed beside the share of the peak: those are judged by themselves."""
    beside = (claim.step_s, claim.samples_per_s, claim.tokens_per_s, claim.epoch_s, claim.job_s, claim.speed_up_ratio)
    return all(figure is None for figure in beside)


def _of_its_size(claim: Claim, predictor: Predictor) -> Claim:
    """A claim that names a model and a size far from that model's is about the size: `ViT 22B` is no ViT-Base."""
    if claim.workload is None or claim.parameters is None:
        return claim
    tables = predictor.tables(load_workload(claim.workload)).values()
    own = max((table.parameter_count for table in tables), default=0)
    alike = own / _SIZE_SLACK <= claim.parameters <= own * _SIZE_SLACK
    return claim if alike or not own else msgspec.structs.replace(claim, workload=None)


def _in_samples(claim: Claim, predictor: Predictor) -> Claim:
    """A rate in tokens of a model whose length is known, in samples too. Raises InputError where no length is known."""
    if claim.workload is None or claim.tokens_per_s is None or claim.samples_per_s is not None:
        return claim
    length = claim.sequence_length or load_workload(claim.workload).data.sequence_length
    if length is None:
        raise refusal("claim-without-length", claim, predictor.specs)
    return msgspec.structs.replace(claim, samples_per_s=claim.tokens_per_s / length)


def _parsed(claim: Claim | ClaimEntry | str, predictor: Predictor) -> Claim:
    if isinstance(claim, str):
        return parse_claim(claim, predictor.specs)
    if isinstance(claim, Claim):
        return claim
    stated = claim_of(claim)
    if claim.text is None:
        return stated
    given = {name: getattr(stated, name) for name in _MAY_BE_STATED if getattr(stated, name) not in {None, ()}}
    return msgspec.structs.replace(parse_claim(claim.text, predictor.specs), **given)
