"""The words for how cards share the work and what was changed on them: adapters, attention, checkpointing, its cost."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from advisor.catalogue.strategies import Strategy
from advisor.claims.claim import Tuning
from advisor.claims.reading.changes.held_against import held_against_each_other, named_in_order
from advisor.claims.reading.numbers.number_words import NUMBER, SHARE_WORDS, search, share_of
from advisor.claims.reading.numbers.ratio_words import ABOUT
from advisor.workload.workload import Attention, Checkpointing

Word = TypeVar("Word", bound=str)
_ZERO = r"(?:\bzero|\bdeep\s?speed(?:[\s_-]*zero)?)[\s_-]*(?:stage)?[\s_=:-]*"
"""`ZeRO-3`, `zero_stage=3`, `DeepSpeed stage 2`, `DeepSpeed ZeRO Stage-3`."""
_FSDP = r"\bfsdp[\s_-]?2?(?!\d)|fully[\s-]sharded(?:[\s-]data[\s-]parallel)?"
_OFFLOAD = r"[^.,;。，；]{0,24}?(?:\boff-?\s?load\w*|卸载)"
STRATEGIES: tuple[tuple[str, Strategy], ...] = (
    (rf"(?:{_FSDP}|{_ZERO}3|\bzero[\s-]?infinity\b){_OFFLOAD}|\bzero[\s-]?infinity\b", "fsdp_offload"),
    (rf"(?:{_FSDP})[\s_-]*shard[\s_-]?grad[\s_-]?op\b|\bshard[\s_-]grad[\s_-]op\b|{_ZERO}2(?![\d.])", "zero2"),
    (rf"{_ZERO}3(?![\d.])|(?:{_FSDP})(?:[\s_-]*full[\s_-]?shard\b)?|\bfull[\s_-]shard\b", "fsdp"),
    (r"distributed\s*data\s*parallel|\bddp\b", "ddp"),
    (r"data\s*parallel\b|\bdp\b", "dp"),
)
_NOT_PREDICTED = (
    rf"\bhsdp\b|\bhybrid[\s_-]shard(?:ing|ed)?\b|{_ZERO}1(?![\d.])|\b(?:tensor|pipeline|context)[\s-]parallel\w*"
)
"""Sharding within a machine with copies across machines, of the optimizer's states alone, and models that are cut."""
TUNINGS: tuple[tuple[str, Tuning], ...] = (
    (r"\bq[\s-]?lora\b|\b(?:4[\s-]?bit|nf4|int4)\s*lora\b|量化\s*lora\b", "qlora"),
    (r"\blora\b", "lora"),
    (r"\bfull(?:[\s-]parameter)?[\s-]*(?:fine[\s-]?tun\w*|ft\b)|全(?:参数?|量)(?:微调|训练)?", "full"),
)
ATTENTIONS: tuple[tuple[str, Attention], ...] = (
    (
        r"\bflash[\s_-]*att?[en]\w{0,8}(?:[\s-]*[23](?![\d.]))?|\bfa[\s-]?[23](?![\d.])\b|flash\s*注意力|闪存注意力",
        "flash",
    ),
    (r"\bsdpa\b|\bscaled[\s-]dot[\s-]product[\s-]attention|\bxformers\b|\bmemory[\s-]efficient attention", "sdpa"),
    (
        r"\b(?:eager|na[iï]ve|vanilla|standard|normal|plain|unfused|regular)[\s-]*(?:attention|attn)\b|(?:普通|标准|原生)的?注意力",
        "eager",
    ),
)
CHECKPOINTING: tuple[tuple[str, Checkpointing], ...] = (
    (
        r"\bselective(?: (?:gradient|activation))?[\s_-]*(?:check[\s_-]?point\w*|recomput\w+)|选择性(?:重计算|检查点)",
        "selective",
    ),
    (
        (
            r"\b(?:(?:full )?(?:gradient|activation|grad)s?[\s_-]*)(?:check[\s_-]?p\w{2,9}|recomput\w+)"
            r"|\bcheckpointing\b|\brecomputation\b|(?:梯度|激活)(?:检查点|重计算|重算)|重计算"
        ),
        "full",
    ),
)
WITHOUT = (
    r"(?:\bwithout|\bw/o|\bno|\bnot using|\bdisabl\w+|\b(?:turn\w*|switch\w*) off|\bdropping|\bremov\w+|不用"
    r"|不使用|不开|未开启?|没开|没用|未用|不做|不|关闭|关掉|关了|去掉|没有)\s*(?:the |any |cpu |host )*$"
)
_CHANGES = r"\bfrom\b.{0,60}\bto\b|\b(?:replac|swapp|switch)\w+.{0,60}\b(?:with|by|for|to)\b|从.{0,30}(?:到|换成|改为)"
_ACTS = (
    r"^(?: training| it| alone| already|训练)?\s*"
    r"(?:made|makes?|gives?|gave|brings?|brought|is|was|are|sped|speeds?|slow\w*"
    r"|got (?:me|us|my|our|the|it|training)\b"
    r"|(?:does|did|do)(?:n't| not) (?:really |actually )?(?:help|matter|change|bring|make|speed|do)"
    r"|does nothing|did nothing"
    r"|costs?|adds?|halve\w*|sav\w+|needs?|uses?|tak\w+|doubl\w+"
    r"|使|让|比|带来|(?:打开|开启|启用|开)了?(?:以后|之后|后)"
    r"|多花|慢|快|没有?(?:任何|什么)?(?:加速|提速|提升|变快)|的开销|需要|只需|节省|省|能)"
)
CAUSE = (
    r"(?:\b(?:because of|due to|thanks to|with|by|using|after|via|through|(?:switch\w*|mov\w*|chang\w*) to"
    r"|(?:turn|switch)\w* on|enabl\w+|in|from)|因为|由于|靠|用|使用|采用|借助|开启?了?|打开|启用|换成|改为|改用|得益于)"
    r"\s*(?:the |turning on |enabling |using |switching to |了)*$"
)
"""Before a change that stands behind what it brought."""
_DONE = (
    r"(?:(?<!\bby )\b(?:turn(?:ed|ing) on|enabl(?:ed|ing)|switch(?:ed|ing) (?:on|to)|add(?:ed|ing))"
    r"|开启?了|打开了?|启用了?)\s*(?:the )?$"
)
"""Before a change that is told as what was done, whatever cards stand elsewhere: `turned on checkpointing: …`."""
_HEADS = (
    r"^(?: on (?:an? |the |my |our |\d{1,4} ?(?:x )?)?[a-z0-9][a-z0-9 -]{1,24}?)?\s*(?:上\s*)?(?:[:=：→]|->|=>)\s*"
    rf"{ABOUT}\+?\d[\d.]*\s*(?:%|[x×](?!\s*[a-z]*\d)|倍)"
)
"""Behind a change that a figure is told of with no verb: `torch.compile on 8 A100: 1.3x`."""
_PAIR = 2
_SHARE = rf"(?:{NUMBER}\s*(?:%|percent|per cent)|({'|'.join(SHARE_WORDS)})(?![a-z]))"
_COSTS_WORDS = (
    r"\bcosts?(?: me| us)?|\bcosting|\boverhead(?: is| was)?(?: of)?|\bpenalty(?: of)?|\badds?|\b(?:price|cost) of"
    r"|\bslow(?:s|ed)?(?: \w+){0,2} down(?: by)?|开销(?:为|是|约)?|代价(?:为|是|约)?|损失(?:为|了|约)?|牺牲了?"
)
_EXTRA = r"(?:extra |more |additional |的?额外)?(?:overhead|penalty|slow-?down|compute\b|computation|开销|代价|计算)"
_COSTS = (
    rf"(?:{_COSTS_WORDS})\s*{ABOUT}{_SHARE}(?! ?(?:more |less )?(?:of the )?(?:memory|money|price|显存))",
    rf"{_SHARE}\s*{_EXTRA}",
)
_OF_SPEED = r"^\s*(?:of )?(?:the |its |your |training )?(?:speed|throughput)|^\s*的?(?:训练)?(?:速度|吞吐)"


def says_on(pattern: str, plain: str) -> bool | None:
    """Whether what a pattern finds is told as present or as left out; None: it is not named."""
    match = search(pattern, plain)
    return None if match is None else search(WITHOUT, plain[: match.start()]) is None


def find_checkpointing(plain: str) -> Checkpointing | None:
    """What is said to be computed again in backward, where it is only told beside; None: nothing is said."""
    for pattern, meant in CHECKPOINTING:
        on = says_on(pattern, plain)
        if on is not None:
            return meant if on else "none"
    return None


def find_strategy(plain: str) -> Strategy | None:
    """How the cards are said to share the work, the first of several; None: nothing is said."""
    return next((strategy for _, strategy in named_in_order(STRATEGIES, plain)), None)


def compared_strategies(plain: str) -> tuple[Strategy, Strategy] | None:
    """Two strategies that are held against each other, after and before: `DDP is 20 % faster than DP`."""
    return held_against_each_other(named_in_order(STRATEGIES, plain), plain)


def unpredicted_strategy(plain: str) -> str | None:
    """The words for a strategy that no claim can be predicted with; it is never taken for another one."""
    match = search(_NOT_PREDICTED, plain)
    return match.group().strip() if match is not None else None


class Changed(NamedTuple):
    """What stands after and before a change; None: it is not about this."""

    tuning: tuple[Tuning, Tuning] | None = None
    attention: tuple[Attention, Attention] | None = None
    checkpointing: tuple[Checkpointing, Checkpointing] | None = None
    certain: bool = False
    """Whether what it brings is said of the change itself: both sides are named, or a verb stands behind the one."""

    @property
    def changes_anything(self) -> bool:
        """Whether anything was changed."""
        return (self.tuning, self.attention, self.checkpointing) != (None, None, None)


def find_change(plain: str) -> Changed:
    """The one thing that a text says was changed; what stands alone is held against what it usually replaces.

    QLoRA against LoRA, LoRA against a full fine-tuning, fused attention against eager, checkpointing against none.
    """
    stated_changes = _stated_changes(plain)
    ranked = [
        (not change.both, not (change.acts or change.caused), change.place, kind)
        for kind, change in stated_changes.items()
    ]
    if not ranked:
        return Changed()
    *_, kind = min(ranked)
    change = stated_changes[kind]
    return Changed(**{kind: (change.after, change.before)}, certain=change.both or change.acts)  # type: ignore[arg-type]


def find_each_change(plain: str) -> dict[str, tuple[str, str]]:
    """After and before of all that a text says was changed, by the field of a claim that it belongs to."""
    fields = {"checkpointing": "activation_checkpointing"}
    stated = _stated_changes(plain)
    return {fields.get(kind, kind): (change.after, change.before) for kind, change in stated.items()}


def _stated_changes(plain: str) -> dict[str, _Told]:
    told = {
        "tuning": _told(TUNINGS, plain, {"qlora": "lora", "lora": "full"}),
        "attention": _told(ATTENTIONS, plain, {"flash": "eager", "sdpa": "eager"}),
        "checkpointing": _told(CHECKPOINTING, plain, {"full": "none", "selective": "none"}),
    }
    return {kind: change for kind, change in told.items() if change is not None}


def acts(plain: str, end: int) -> bool:
    """Whether a verb of bringing, costing or saving stands right behind a place."""
    return search(_ACTS, plain[end:]) is not None


def heads(plain: str, start: int, end: int) -> bool:
    """Whether a figure stands behind a change as behind a heading, which is no circumstance of another one."""
    return search(CAUSE, plain[:start]) is None and search(_HEADS, plain[end:]) is not None


class _Told(NamedTuple):
    """What stands after and before, where its words begin, whether both are named, whether the words are a subject."""

    after: str
    before: str
    place: int
    both: bool
    acts: bool
    caused: bool
    """Whether words for a cause stand right before: `13B LoRA, 1.4x by switching to flash attention`."""


def _told(words: tuple[tuple[str, Word], ...], plain: str, usual: dict[str, str]) -> _Told | None:
    """The two of one table; None: nothing is named, or nothing that has a usual counterpart."""
    named = named_in_order(words, plain)
    names = list(dict.fromkeys(meant for _, meant in named))
    start = min((match.start() for pattern, _ in words if (match := search(pattern, plain)) is not None), default=0)
    is_subject = bool(named) and (acts(plain, named[0][0]) or heads(plain, start, named[0][0]))
    caused = search(CAUSE, plain[:start]) is not None
    is_subject = is_subject or search(_DONE, plain[:start]) is not None
    if len(names) == _PAIR:
        after, before = reversed(names) if search(_CHANGES, plain) else names
        return _Told(after, before, start, both=True, acts=is_subject, caused=caused)
    if len(names) != 1 or names[0] not in usual:
        return None
    word, other = names[0], usual[names[0]]
    pair = (other, word) if search(WITHOUT, plain[:start]) else (word, other)
    return _Told(pair[0], pair[1], start, both=False, acts=is_subject, caused=caused)


def find_cost(plain: str) -> float | None:
    """What a change costs, as how many times as fast: `costs 30 %` is 1.3 of the time, `30 % of the speed` 0.7 of it.

    None: no cost is told.
    """
    for pattern in _COSTS:
        match = search(pattern, plain)
        if match is not None:
            share = share_of(match.groups()[-3:])
            return max(0.0, 1 - share) if search(_OF_SPEED, plain[match.end() :]) else 1 / (1 + share)
    return None
