"""Turns of phrase in the words that the reader knows: what is said in many ways is read in one."""

from __future__ import annotations

import re

from advisor.claims.reading.numbers.card_counts import CARD

_COPULA = r"(?:is |are |was |were |be |runs |performs |feels |looks )?"
_SOFTLY = r"(?:right |about |roughly |basically |nearly |almost |pretty much |more or less )*"
_REACHES = r"(?:is|gets?|got|hits?|reach(?:es|ed)|does|manages|delivers?|gives?|offers?|has)"
_ABOUT = r"(?:(?:about|around|roughly|only|almost|nearly|up to|~) ?)?"
_SIZE = r"\d{2,3} ?gi?b?"
_SIZES = re.compile(
    rf"({CARD}) (?P<first>{_SIZE})(?P<joined> ?(?:vs\.?|versus|against|compared (?:to|with)|and|or|和|与|跟|比|对比) ?"
    rf"(?:the )?)(?P<other>{_SIZE})(?![\w/])",
    re.ASCII,
)
"""One card of two sizes of memory: `A100 40GB vs 80GB`."""
_FORM = r"(?:pcie|sxm\d?|nvl)"
_FORMS = re.compile(rf"({CARD})[ -](?P<form>{_FORM})\b", re.ASCII)
_OTHER_FORM = rf"\b(the|than|vs\.?|versus|against|and|和|与|比) ({_FORM})\b(?! ?(?:\d|bus|link|slot|lanes?|switch))"
"""A card's other form beside the one that is named with it: `H100 PCIe at 80 % of the SXM`."""
_WITHIN = re.compile(
    r"\b(?:is |are |comes |gets |runs )?(?:with)?in (?:about )?(\d{1,2}(?:\.\d+)?) ?% of (?:an? |the |my )?"
    rf"(?={CARD})",
    re.ASCII,
)
"""So near to another card on either side: `within 10 % of an A100`."""
_PARTS = {"half": 50.0, "third": 100 / 3, "quarter": 25.0, "fifth": 20.0}
_TURNS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.ASCII), usual)
    for pattern, usual in (
        (r"(?<=\d) ?fps\b", " frames/s"),
        # A comma right before a figure joins nothing where no figure stands before it: `5万条,512长度`.
        (r"(?<=[^\d\s]),(?=\d)|(?<=\d),(?=[2-5]0[5-9]0(?!\d))", ", "),
        (
            rf"\b{_COPULA}{_SOFTLY}(?:on (?:a )?par|neck and neck|comparable) (?:with|to)(?! (?:\d|half|twice))",
            "is as fast as",
        ),
        (
            (
                rf"(?<=[:,]) ?{_COPULA}{_SOFTLY}(?:equal|on par|identical|the same|a tie|tied|neck and neck)\b"
                r"(?! (?:time|speed|throughput|as|to|batch|memory|model))"
            ),
            " same speed",
        ),
        (
            (
                r"(?<=[\dx×] )the (?:tokens|tok|images|imgs?|samples|sequences|steps|its?)"
                r"(?: ?/ ?s(?:ec(?:ond)?)?\b| (?:per|a|each) second)"
            ),
            "the speed",
        ),
        (
            r"(吞吐量?|速度|时间|用时|耗时)(?:上)?(?:几乎|基本上?|差不多|完全|都|也){0,2}(?:没有?(?:什么|怎么|任何)?(?:变化?|改变)|不变|持平)",
            "速度没变",
        ),
        (rf"({CARD}) {_REACHES} {_ABOUT}(\d+(?:\.\d+)?) ?[x×](?= (?:of )?(?:an? |the |my |one )?{CARD})", r"\1 is \2x"),
        (rf"({CARD}) (\d+\.\d+) ?[x×](?= (?:an? )?{CARD})", r"\1 is \2x"),
        (rf"(?<=[a-z0-9]) ?(?:≈|~=|==?) ?(?=(?:an? |one )?{CARD})", " is as fast as "),
        (
            r"\b(?:made|makes|change[sd]?) (?:absolutely |basically |literally )?nothing\b|\bno change\b",
            "no difference",
        ),
        (r"每秒(?:钟)?每(?:张|块)?卡", "每卡每秒"),
        (r"(?<=\d)%性能|(?<=成)性能", "的速度"),
        (r"\b(throughput|speed) (?:barely|hardly) (?:changed|moved|improved)\b", r"no difference in \1"),
        (r"\b(?:lets?|allows?|enables?|allowed|enabled) (?:us|me|you|one)(?: to)? (?=train|fine-?tune|run)", "can "),
    )
)
_PART_OF_CARD = re.compile(
    rf"\b(?:(?:an?|one)[ -])?(half|third|quarter|fifth) (?:of )?(?=(?:an?|the|my|one|that of an?) {CARD})",
    re.ASCII,
)


def in_usual_words(plain: str) -> str:
    """The text, in lower case, with `on par with`, `a quarter of an A100`, `3x the tokens/s` as they are read."""
    for pattern, usual in _TURNS:
        plain = pattern.sub(usual, plain)
    plain = _WITHIN.sub(lambda near: f"is {1 - float(near[1]) / 100:g}-{1 + float(near[1]) / 100:g}x an ", plain)
    return _PART_OF_CARD.sub(lambda match: f"{_PARTS[match[1]]:.4g}% of ", _with_names(plain))


def _with_names(plain: str) -> str:
    """The text with a card's name before each size of memory or form that stands for one of its variants."""
    form = _FORMS.search(plain)
    if form is not None:
        plain = re.sub(_OTHER_FORM, lambda other: _with_card(other, form), plain, flags=re.ASCII)
    match = _SIZES.search(plain)
    if match is None:
        return plain
    card = match[1]
    either = "|".join(re.escape(match[size]) for size in ("first", "other"))
    told_of = r"(?=(?: one| card)? (?:is|was|does|gets|trains|runs|has)\b)"
    sizes = rf"(?<!{re.escape(card)} )(?<![\w.])({either}){told_of}"
    behind = re.sub(sizes, rf"{card} \1", plain[match.end() :], flags=re.ASCII)
    return f"{plain[: match.start()]}{card} {match['first']}{match['joined']}{card} {match['other']}{behind}"


def _with_card(other: re.Match[str], form: re.Match[str]) -> str:
    """A form that stands alone with the card's name before it, where it is another one."""
    alone = other[2][:3] != form["form"][:3] and other.start(2) != form.start("form")
    return f"{other[1]} {form[1]} {other[2]}" if alone else other[0]
