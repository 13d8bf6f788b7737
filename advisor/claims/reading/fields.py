"""The fields of a claim, each read from its own words of a normalised text."""

from __future__ import annotations

from advisor.catalogue.precisions import Precision
from advisor.claims.claim import Claim
from advisor.claims.gpu_names import Mention
from advisor.claims.reading.changes.batch_words import BATCH, LARGEST_SIZE, SIZE_DIGITS, compared_batches, shared_batch
from advisor.claims.reading.changes.change_words import (
    TUNINGS,
    compared_strategies,
    find_checkpointing,
    find_strategy,
    says_on,
)
from advisor.claims.reading.changes.held_against import first_named, named_in_order
from advisor.claims.reading.changes.link_words import find_interconnect
from advisor.claims.reading.changes.precision_words import PRECISIONS, compared_precisions, precisions_of_cards
from advisor.claims.reading.changes.switch_words import COMPILES
from advisor.claims.reading.compared.sides import Sides
from advisor.claims.reading.models.fit_words import says_fits, says_possible
from advisor.claims.reading.models.mode_words import says_training
from advisor.claims.reading.models.model_words import find_model
from advisor.claims.reading.models.other_models import find_other_model
from advisor.claims.reading.models.size_words import (
    find_parameters,
    find_samples,
    find_tokens,
    find_tokens_of_samples,
    find_trainable,
    find_weight_bits,
    says_offloaded,
    trains_frozen,
)
from advisor.claims.reading.numbers.card_counts import CARD, find_counts
from advisor.claims.reading.numbers.figures import Figures
from advisor.claims.reading.numbers.number_words import CONTEXT, LENGTH_WORDS, SAYS, SECOND, search, search_each
from advisor.claims.reading.numbers.ratio_words import says_slower
from advisor.claims.reading.numbers.utilisation_words import find_flop_rate
from advisor.workload.workload_file import bundled_names

_OF_ONE_CARD = (
    rf"(?<![a-z])(?:{SECOND}|秒)\s*(?:/|per|a|each|every|on each|每)\s*(?:gpu|card|device|卡|张卡|{CARD})"
    r"|每(?:张)?卡每秒|单卡每秒"
    rf"|\b(?:each|every|per) (?:gpu|card|{CARD})\b[^,.;，。；\d]{{0,24}}\d[\d.]* ?k? ?"
    rf"[^\d,.;，。；]{{1,12}}?(?:/|per)\s*{SECOND}"
    r"|每(?:张|块)?卡(?:上)?(?:大?约|能|可以?|跑|有|到|达到?|只有){0,2}\s*\d[\d.]*\s*[k千万]?\s*[^\d,.;，。；]{1,8}?(?:/|每)\s*(?:s\b|秒)"
)
"""A rate of each card, behind its second (`3,000 tokens/s/GPU`, `per H100`) or with the card before it."""
_QUANTISED_BITS = 4
_SPEED = rf"(?:/|\b(?:per|each|every|a))\s*{SECOND}|\b(?:speed|throughput|overhead)\b"
_SPEED += r"|(?<!first )(?<!any )(?<!no )\btime\b|每秒|每步|每轮|速度|吞吐|时间|耗时|用时|缩短|提速|加速|开销"
"""Words of a speed: where no figure of it could be read, the claim is about more than whether a step fits."""
_ASKS = r"\bhow (?:many|much)\b|\bwhat\b|\bwhich\b|(?<!不了)(?<!没)多少|几[张块个台]|哪"
"""Words of a question that no yes or no answers."""
_GENERATES = (
    r"\b(?:generat(?:es?|ing|ed)|text generation|decod(?:es?|ing)|serv(?:es?|ing)|vllm|sglang|ollama)\b|\bllama\.cpp\b"
    r"|\btensorrt-llm\b|\bexl(?:lama\w*|[23])\b|\bgguf\b|\bkobold\w*|\blm ?studio\b|\bsingle[ -](?:stream|user)\b"
    r"|生成|解码|部署"
)
"""What is said of tokens that a model gives, the programs that serve it and the files that they read."""
_LENGTH = (
    *(rf"{words}{SAYS}(\d+)" for words in LENGTH_WORDS),
    rf"(?<![\d.,])(\d{{3,7}}){CONTEXT}",
    r"(?<![\d.,a-z-])(\d{2,6})\s*(?:的?(?:序列)?长度|的长)",
    r"(?<![\d.,])(?<!每秒)(?<!每秒 )(?<!每秒钟 )(?<!生成 )(?<!生成)(\d+)[\s-]*tokens?\b(?!\s*(?:/|per|a)\s*s)",
)
_IMAGE = (
    rf"\b(?:image[ _-]?size|resolution|img){SAYS}(\d{{2,5}})",
    rf"(?:分辨率|图像大小|图像尺寸){SAYS}(\d{{2,5}})",
    r"(\d{2,5})\s*[x×]\s*\d{2,5}(?!\s*(?:gpu|card))",
)


def _precisions(plain: str, sides: Sides, cards: tuple[Mention, ...]) -> tuple[Precision, Precision] | None:
    """What is computed in after and before, or on either of two cards; None: not two precisions are meant."""
    if not sides.reference:
        return compared_precisions(plain)
    ends = [
        next((mention.start, mention.end) for mention in cards if mention.keys == keys)
        for keys in (sides.subject, sides.reference)
    ]
    return precisions_of_cards(plain, ends)


def claim_of_fields(text: str, plain: str, figures: Figures, sides: Sides, cards: tuple[Mention, ...]) -> Claim:
    """What is claimed of which cards, whatever else it is held against."""
    length, bits = _number_of(_LENGTH, plain), find_weight_bits(plain)
    parameters, workload = find_parameters(plain), _adapted(_workload(plain), plain, bits)
    of_change = any((figures.speed_up_ratio, figures.memory_ratio, figures.saved_bytes))
    precisions = _precisions(plain, sides, cards) if of_change else None
    batches = compared_batches(plain) if of_change else None
    # Of two numbers of cards it is these that are compared, whatever else is said of ways to share the work.
    counts = {count for _, count in find_counts(plain, [(card.start, card.end) for card in cards])}
    strategies = compared_strategies(plain) if of_change and len(counts) <= 1 else None
    of_each = search(_OF_ONE_CARD, plain) is not None
    of_all = sides.card_count or 1 if of_each else 1
    of_each_flop = (rate := find_flop_rate(plain)) is not None and rate.per_card
    batch = batches[0] if batches is not None else _number_of(BATCH, plain)
    samples, of_job = find_samples(plain), figures.epoch_s is not None or figures.job_s is not None
    if batch is not None and batches is None:
        batch = shared_batch(batch, plain, sides.card_count or 1)
    if batch is None and figures.step_s is not None and samples is not None:
        batch = max(1, round(samples / (sides.card_count or 1)))
    return Claim(
        text=text,
        other_model=find_other_model(plain, text) if workload is None and parameters is None else None,
        gpus=sides.subject,
        count=sides.card_count,
        reference_gpus=sides.reference,
        reference_count=sides.reference_count,
        workload=workload,
        parameters=parameters,
        trainable=find_trainable(plain) or trains_frozen(plain, bits),
        weights_bits=bits if parameters is not None else None,
        offload=True if says_offloaded(plain) else None,
        trained_tokens=find_tokens(plain) or (find_tokens_of_samples(plain) if of_job else None),
        trained_samples=samples if of_job else None,
        mode="inference" if _is_inference(plain, figures) else "training",
        strategy=strategies[0] if strategies is not None else find_strategy(plain),
        reference_strategy=strategies[1] if strategies is not None else None,
        interconnect=find_interconnect(plain, [(card.start, card.end) for card in cards]),
        precision=precisions[0] if precisions is not None else first_named(PRECISIONS, plain),
        reference_precision=precisions[1] if precisions is not None else None,
        batch_size=batch,
        reference_batch_size=batches[1] if batches is not None else None,
        fits=None if figures else _fits(plain, sized=parameters is not None, compared=bool(sides.reference)),
        sequence_length=length,
        image_size=_number_of(_IMAGE, plain),
        activation_checkpointing=None if of_change or not figures else find_checkpointing(plain),
        channels_last=says_on(r"channels[ _-]?last|\bnhwc\b", plain),
        compile=True if of_change and search(COMPILES, plain) else says_on(COMPILES, plain),
        step_s=figures.step_s,
        per_card=True if (of_each and sides.card_count is None) or of_each_flop else None,
        samples_per_s=_times(_rate(figures, length), of_all),
        tokens_per_s=_times(figures.tokens_per_s, of_all),
        epoch_s=figures.epoch_s,
        job_s=figures.job_s,
        speed_up_ratio=figures.speed_up_ratio,
        memory_ratio=figures.memory_ratio,
        saved_bytes=figures.saved_bytes,
        mfu_fraction=figures.mfu_fraction,
        flop_per_s=figures.flop_per_s,
    )


def _is_inference(plain: str, figures: Figures) -> bool:
    """Whether forward alone is meant, as it is where tokens are generated."""
    if search(r"\binference\b|推理|推断|\bforward (?:pass )?only\b", plain) is not None:
        return True
    if figures.tokens_per_s is None or says_training(plain):
        return False
    # Weights of four bits take no gradient: without adapters beside them nothing is trained.
    frozen = find_weight_bits(plain) == _QUANTISED_BITS and find_trainable(plain) is None
    return frozen or search(_GENERATES, plain) is not None


def _adapted(workload: str | None, plain: str, bits: int | None) -> str | None:
    """The workload with the adapters that a text names, unless they are held against a full fine-tuning."""
    if workload is None:
        return None
    if bits == _QUANTISED_BITS:
        workload = workload.replace("_lora", "_qlora")
    compared = any(way == "full" for _, way in named_in_order(TUNINGS, plain))
    if compared or workload.endswith("lora") or find_trainable(plain) is None:
        return workload
    adapted = f"{workload}_{'qlora' if bits == _QUANTISED_BITS else 'lora'}"
    return adapted if adapted in bundled_names() else workload


def _workload(plain: str) -> str | None:
    """The bundled workload that is named by its model or its own key, whichever says more of it."""
    named = find_model(plain)
    own = [key for key in bundled_names() if "_" in key]  # `resnet50` is a model's name first, maybe of a part
    keys = [key for key in own if search(rf"(?<![a-z0-9_]){key}(?![a-z0-9_])", plain) is not None]
    key = max(keys, key=len, default=None)
    return named if named is not None and (key is None or named.startswith(key)) else key


def _fits(plain: str, *, sized: bool, compared: bool) -> bool | None:
    said = says_fits(plain)
    asked = search(_ASKS, plain) is not None
    if said is not None or compared or asked or says_slower(plain) or search(_SPEED, plain) is not None:
        return said
    return says_possible(plain, sized=sized)


def _number_of(patterns: tuple[str, ...], plain: str) -> int | None:
    """The first number that one of the patterns finds; None: none, or one beyond the claim type's range."""
    match = search_each(patterns, plain)
    number = int(match.group(1)[:SIZE_DIGITS]) if match is not None else 0
    return number if 1 <= number <= LARGEST_SIZE else None


def _times(rate: float | None, cards: int) -> float | None:
    return rate * cards if rate is not None else None


def _rate(figures: Figures, length: int | None) -> float | None:
    if figures.tokens_per_s is not None:
        return figures.tokens_per_s / length if length is not None else None
    return figures.samples_per_s
