"""How many times as fast, in words: faster, slower, in less time, by per cent, from before to after, no faster."""

from __future__ import annotations

import re

from advisor.claims.reading.numbers.before_after import before_to_after
from advisor.claims.reading.numbers.number_words import NUMBER, OF_RATE, PERCENT, number, search, search_each

_MORE = (
    r"(?:faster|quicker|sooner|earlier|speed-?\s?ups?|(?:more|extra) (?:speed|throughput)|better|acceleration"
    r"|higher throughput|more (?:images|samples|tokens)|increase)"
)
"""Behind a share it is added: `60 % faster` is 1.6, where `60 % as fast` is 0.6."""
_FASTER = rf"(?:{_MORE}|as fast|as quick|the speed|the throughput|as much)"
_LESS = r"(?:slower|slow-?down|longer|more time|less throughput|worse|slower speed)"
_SLOWER = rf"(?:{_LESS}|as slow|as long|the time)"
_GAIN = r"(?:快|提升|加速|提速|提高)\s*(?:了|到|至)?\s*(?:近|大?约|大概|将近|差不多|不到|接近)?"
_LOSS = r"(?:慢|下降|降低|降速|变慢)\s*(?:了|到|至)?\s*(?:近|大?约|大概|将近|差不多|不到|接近)?"
_MORE_RATE = r"(?:每秒|吞吐|速度|样本数|词元数)[^,，。;；%\d]{0,12}(?:多|增加|增长|涨|高|上升)\s*(?:了|到|出)?\s*"
ABOUT = (
    r"(?:only |just |merely |about |almost |nearly |roughly |around |over |more than |some |up to |~ ?"
    r"|近|仅|大?约|大概|差不多|将近|左右)?"
)
_OF_RATE = r"\b(?:throughput|speed|performance|(?:images|samples|tokens|steps) ?(?:/|per) ?s\w*)[^,.;%\d]{0,16}?"
_RATE_UP = (
    rf"{_OF_RATE}\b(?:up|rises?|rose|grows?|grew|jump(?:s|ed)?|climb(?:s|ed)?|gain(?:s|ed)?)\s*(?:by )?{ABOUT}{PERCENT}"
)
_RATE_DOWN = (
    rf"{_OF_RATE}\b(?:down|falls?|fell|drop(?:s|ped)?|sinks?|sank|los(?:es?|t)|decreas(?:es?|ed))"
    rf"\s*(?:by )?{ABOUT}{PERCENT}"
)
_RATE_LOST = (
    rf"\blos(?:t|es?|ing)\s*{ABOUT}{PERCENT}\s*(?:of )?(?:the |my |our |its )?(?:throughput|speed|performance)\b"
    rf"|(?:损失|掉|少)了\s*{ABOUT}{PERCENT}\s*的?(?:吞吐|速度|性能)"
)
_RATE_FELL = rf"(?:吞吐量?|速度)[^,.;，。；%\d]{{0,6}}[掉跌]了?\s*{ABOUT}{PERCENT}"
_AHEAD = (
    r"(?:faster|quicker|increased?|improved?|beats?|ahead|out(?:run|perform|pace)s?"
    r"|sp(?:ed|eeds?) up|sp(?:ed|eeds?) [a-z -]{1,24} up)"
)
FOLD = r"(?:x|×|-?\s?fold|times)"
_TIME = r"(?:time|duration|hours|时间|用时|耗时|时长|epoch)"
_CUT = (
    r"(?:cut|reduc\w+|decreas\w+|shorten\w*|sav\w+|drop\w*|fell|shrank|shrunk|lower\w*|shav\w+|trim\w*"
    r"|减少|缩短|降低|节省|省|少|下降)"
)
_EACH = r"(?:the |each |every |our |my )?"
_HALF_TIME = (
    r"\bhal(?:f the time|ve[sd]? the (?:\w+ )?time)|\btime (?:was |is |got )?(?:cut in half|halved)"
    r"|cut (?:\w+ ){0,3}in half"
    r"|(?:时间|用时|耗时|时长)[^，。,.;；]{0,10}(?:的?一半|减半)|(?:一半|减半)的?时间|\bhalved\b|\bhalves\b|减半"
)
_HALF_SPEED = (
    r"\b(?:speed|throughput)[^.;,\d]{0,16}?\b(?:by half|in half|halved)"
    r"|\bhalv(?:es?|ed|ing)\b (?:the |my |our |your )?(?:(?:training|overall) )?"
    rf"(?:speed|throughput|performance|{OF_RATE})"
    r"|\bhalf (?:as fast|the speed|the throughput)|\btwice as (?:slow|long)|\btwice the time|\btwo times slower"
    r"|速度[^，。,.;；时]{0,14}一半|慢了?\s*(?:近|约|将近)?\s*(?:一倍|1倍|一半)|一半的?速度"
    r"|时间[^,。;；]{0,6}翻倍"
)
_TIME_NOUN = r"(?:(?:step|epoch|iteration|training|run|wall[ -]?clock) ?)?(?:times?|durations?|runtimes?)"
_FOLDED = r"(?P<fold>doubl|tripl|quadrupl)(?:e[sd]?|ing)"
_TIME_GREW = (
    rf"\b{_FOLDED} (?:the |my |our |your )?(?:[a-z]+ ){{0,2}}?{_TIME_NOUN}\b",
    rf"\b{_TIME_NOUN} (?:[a-z]+ ){{0,3}}?{_FOLDED}\b",
    (
        rf"\b{_TIME_NOUN}\b[^.;,\d]{{0,24}}?"
        r"\b(?:increas\w+|(?:goes|went|go|is|was) up|grows?|grew|ris\w+|rose|jump\w+|becomes?|became)"
        rf"(?: (?:by|to|about|around))* ?{NUMBER}\s*{FOLD}"
    ),
    rf"(?:时间|耗时|用时|时长)[^,，。;；\d]{{0,8}}?(?:变为|变成|变|增加到?|涨到?|是|为)了?(?:原来的?|之前的?)?\s*{NUMBER}\s*倍",
)
"""A time that became so many times as long."""
_FOLDS = {"doubl": 2.0, "tripl": 3.0, "quadrupl": 4.0}
_TWOFOLD = (
    r"\btwice (?:as|the)|\btwo times|\bdoubl(?:e|ed|es|ing)\b|\btwofold"
    r"|(?:快|提升|加速|提速|提高)了?(?:近|约|将近|差不多|不到)?(?:一|1)倍|两倍|翻倍|翻了?一番"
)
_THREEFOLD = r"三倍|\bthree times|\btripl(?:e|ed|es|ing)\b"
_FOURFOLD = r"四倍|\bfour times|\bquadrupl(?:e|ed|es|ing)\b"
_NOT_REACHED = (
    r"(?:\bnot|n't|n’t) (?:even |quite )?(?:\d[\d.]* ?(?:x|times)|twice) (?:as )?fast(?:er)?"
    r"|没有?快\s*\d[\d.]*\s*倍"
)
"""What was hoped for and did not come: `why is it not 2x faster`."""
_SAME = (
    r"(?:n't|\bnot) (?:really |actually )?help(?:ed)?\b(?! [^.;,]{0,24}\b(?:memory|vram|fit))"
    r"|没(?:有)?(?:什么|任何|啥)?(?:效果|帮助)"
    r"|\bno (?:[a-z]+ ){0,2}(?:speed-?\s?up|faster|gain|improvement|difference|acceleration|benefit)"
    r"|\bnot (?:any |at all )?faster|\b(?:same|equal|identical) (?:\w+ )?(?:speed|time|throughput)\b"
    r"|\bjust as fast|\b(?<!times )(?<!x )(?<!half )(?<!twice )as fast as"
    r"|\b(?:isn't|wasn't|aren't|weren't) (?:any )?faster"
    r"|(?:n't|\bnot) (?:get|become|make|run|train|go|bring|give)\b(?:(?!\d[\d.]* ?[x×%])[^.;,]){0,40}?"
    r"\b(?:faster|quicker|speed-?\s?ups?)\b"
    r"|(?:n't|\bnot) speed (?:\w+ ){0,3}?up\b"
    r"|没有?(?:任何|什么)?(?:加速|提速|变快|提升|区别|差别|差异)|(?:速度|性能)(?:没变|不变|一样|相同)|一样快|(?:速度|吞吐)[^,.;，。；]{0,24}(?:差不多|相当|持平|一样|相同)|差不多快|没快|不(?:比\S{1,8})?快"
)
_LINEAR = (
    r"(?<!non-)(?<!non )(?<!sub-)(?<!super-)(?<!near-)(?<!near )(?<!nearly )(?<!almost )(?<!from )\b"
    r"(?:(?:perfect(?:ly)?|linear(?:ly)?|ideal(?:ly)?)(?: linear(?:ly)?)? (?:scal\w+|speed-?\s?ups?)"
    r"|scal\w+ (?:is |was )?(?:perfectly |completely )?linear(?:ly)?)\b"
    r"|(?<!接近)(?<!近)(?:完全|完美)?线性(?:加速|扩展|提升)(?!比|效率)"
)
"""As many times as fast as there are cards."""
_OF_ITS_SPEED = (
    rf"{PERCENT}\s*(?:左右|上下)?\s*(?:(?:of )?(?:the )?|的)(?:左右的?)?(?:speed|throughput|速度|吞吐)(?!-?\s?up)"
    rf"|{PERCENT} as (?:fast|quick)\b|(?:单卡|单张卡?|一张卡?)的\s*{PERCENT}(?!\s*的?(?:显存|时间))"
)
_LOST = r"(?:\bcosts?|\blos\w+|\bdrop\w*|\bsacrific\w+|损失|牺牲|降低?|下降)[^,.;，。；%\d]{0,12}$"


def find_ratio(plain: str, *, alike: bool = True) -> float | None:
    """How many times as fast; `77 % faster` is 1.77, `3.5 times faster` 3.5, `2x slower` 0.5, `45 % less time` 1.82.

    `30 % slower` is 0.7 of the speed; `takes 30 % longer` is 1.3 of the time. From before to after, of times or of
    rates, is their ratio. `alike`: whether what is no faster is as fast, as a change of the same cards is.
    """
    plain = re.sub(_NOT_REACHED, " ", plain)
    for read in (before_to_after, _less_time, _slower, _faster, _share_of_speed):
        ratio = read(plain)
        if ratio is not None:
            return ratio
    return _same(plain) if alike else None


def says_slower(plain: str) -> bool:
    """Whether the text speaks of slower or faster at all, if without a figure."""
    return search(r"\b(?:slower|faster|quicker)\b|慢|快", plain) is not None


def find_efficiency(plain: str) -> float | None:
    """A scaling efficiency as a fraction of linear: `92 % scaling efficiency`, `扩展效率 90%`."""
    match = (
        search(rf"{PERCENT}\s*(?:of )?(?:linear|scaling|parallel|efficien|的?(?:扩展|并行|线性|加速)?效率)", plain)
        or search(rf"(?:efficiency|scaling)\s*(?:of|is|was|:|=|at|about)?\s*{ABOUT}{PERCENT}", plain)
        or search(rf"(?:效率|线性度|线性加速比?)\s*(?:为|是|达到?|约|:|=|只?有|仅)?\s*{ABOUT}{PERCENT}", plain)
    )
    if match is not None:
        return number(match.group(1), match.group(2)) / 100
    # A figure is what was reached, whatever was expected: `DDP scales linearly, but 8 cards gave only 6.1x`.
    return 1.0 if search(_LINEAR, plain) is not None and find_ratio(plain, alike=False) is None else None


def _less_time(plain: str) -> float | None:
    """From `45 % less time` and `to 60 % of the time`."""
    left = search(
        rf"(?:{_CUT})[a-z]*\s*(?:了)?(?:to|到|至|为)\s*(?:原来的?|之前的?|以前的?)?\s*{ABOUT}{PERCENT}", plain
    )
    left = left or search(
        rf"\b(?:takes?|took|needs?|needed|in)\s*{ABOUT}{PERCENT}\s*(?:of )?the (?:\w+ )?time\b", plain
    )
    left = left or search(rf"{PERCENT}\s*(?:(?:of )?the (?:\w+ )?time\b|as long\b)", plain)
    if left is not None and search(rf"{_TIME}|as long", plain):
        share = number(left.group(1), left.group(2)) / 100
        return 1 / share if share > 0 else None
    less = (
        search(rf"{PERCENT}\s*(?:less|shorter|reduction|saving)", plain)
        or search(rf"{_TIME}[^.;。；%]{{0,30}}?{_CUT}[a-z]*\s*(?:了|by)?\s*{ABOUT}{PERCENT}", plain)
        or search(rf"{_CUT}[a-z]*\s*(?:了|by)?[^.;。；%]{{0,30}}?{_TIME}\s*(?:by|了)?\s*{ABOUT}{PERCENT}", plain)
        or search(rf"{_CUT}了?\s*{ABOUT}{PERCENT}的?{_TIME}", plain)
        or search(
            rf"{_CUT}[a-z]*\s*{ABOUT}{PERCENT} (?:off|of|from) (?:the |each |every |our |my )?(?:step|epoch|iter)",
            plain,
        )
    )
    if less is not None:
        share = 1 - number(less.group(1), less.group(2)) / 100
        return 1 / share if share > 0 else None
    return None


def _slower(plain: str) -> float | None:
    longer = search(rf"{PERCENT}\s*(?:longer|more time|的?更?(?:多|长)的?时间)", plain) or search(
        rf"(?:时间|耗时|用时)\s*(?:增加|多|长|变长)了?\s*{PERCENT}|多(?:花|用)了?\s*{PERCENT}", plain
    )
    longer = longer or search(rf"\bslow(?:s|ed|ing)? [^.;%]{{1,40}}? (?:down (?:by )?|by ){ABOUT}{PERCENT}", plain)
    if longer is not None:
        groups = [group for group in longer.groups() if group is not None]
        return 1 / (1 + float(groups[0]) / 100)
    percent = search(rf"{PERCENT}\s*(?:{_LESS}|更慢)", plain) or search(
        rf"(?:{_LOSS}|slower\b[^%.;]{{0,40}}\bby|slow-?down of)\s*{ABOUT}{PERCENT}", plain
    )
    percent = percent or search(_RATE_DOWN, plain) or search(_RATE_FELL, plain) or search(_RATE_LOST, plain)
    if percent is not None:
        share = float(next(group for group in percent.groups() if group is not None)) / 100
        return 1 - share if share < 1 else 1 / (1 + share)
    times = search(rf"{NUMBER}\s*{FOLD}\s*(?:as? )?{_SLOWER}", plain) or search(rf"{_LOSS}\s*{NUMBER}\s*[倍x×]", plain)
    if times is not None:
        factor = number(times.group(1), times.group(2))
        return 1 / factor if factor > 0 else None
    return _slower_in_words(plain)


def _longer_by_times(plain: str) -> float | None:
    match = search_each(_TIME_GREW, plain)
    if match is None:
        return None
    word = match.groupdict().get("fold")
    factor = _FOLDS[word] if word is not None else number(match[1], match[2])
    return 1 / factor if factor > 0 else None


def _slower_in_words(plain: str) -> float | None:
    if (grown := _longer_by_times(plain)) is not None:
        return grown
    if search(_HALF_SPEED, plain):
        return 0.5
    if search(_HALF_TIME, plain):
        return 2.0
    for words, ratio in ((r"three times|三倍", 3.0), (r"four times|四倍", 4.0), (r"两倍|二倍", 2.0)):
        if search(rf"(?:{words})\s*(?:as )?{_SLOWER}|慢了?(?:{words})", plain):
            return 1 / ratio
    return None


def _faster(plain: str) -> float | None:
    percent = search(rf"{PERCENT}\s*(?:{_MORE}|更快|加速|提速|提升)", plain) or search(
        rf"(?:{_GAIN}|{_AHEAD}\b[^%.;]{{0,48}}\bby|speed-?up of)\s*{ABOUT}{PERCENT}",
        plain,
    )
    percent = percent or search(rf"{_MORE_RATE}{ABOUT}{PERCENT}", plain) or search(_RATE_UP, plain)
    percent = percent or search(rf"\+ ?{PERCENT} ?(?:samples|images|imgs|tokens|tok|throughput|speed|it)\b", plain)
    if percent is not None:
        return 1 + float(percent.group(1)) / 100
    for pattern in (
        rf"{NUMBER}\s*{FOLD}\s*(?:as? )?(?:{_FASTER}|(?:throughput|speed|performance)\b)",
        rf"(?:speed-?\s?up|faster|acceleration)\s*(?:of|by|:|=|is|was)?\s*{ABOUT}{NUMBER}\s*{FOLD}",
        (
            rf"speed-?\s?up[^.;%\d]{{0,12}}(?:from \d+ to \d+ (?:gpus?|cards?) )?"
            rf"(?:of|:|=|is|was)\s*{ABOUT}{NUMBER}(?!\s*(?:%|ms|s\b|gpu))"
        ),
        rf"\bscal(?:es?|ed|ing)\s+(?:to |by |at )?{ABOUT}{NUMBER}\s*{FOLD}(?!\s*[a-z]*\d)",
        rf"加速比\s*(?:也|就|才|只有|仅有?|大?约|大概|为|是|达到?|到|:|=|有|在){{0,3}}\s*{ABOUT}{NUMBER}(?!\s*%)",
        rf"{NUMBER}\s*倍",
        rf"{_GAIN}\s*{NUMBER}\s*[x×]",
        rf"(?:only|just|gives?|gave|gets?|got|see|saw|仅|只有)\s*(?:me\s*)?{ABOUT}{NUMBER}\s*x\b(?!\s*[a-z]*\d)",
        r"(?<![\d.])(\d\.\d+)(\s)?(?:x\b|×)(?!\s*[a-z]*\d)",
        rf"(?<![a-z\d.]){NUMBER}\s*(?:x\b|×)(?=\s*(?:on|with|using|from)\s+\d{{1,4}}\s*[a-z])",
    ):
        times = search(pattern, plain)
        if times is not None:
            scale = times.group(2)
            return number(times.group(1), scale if scale in {"k", "千", "万"} else None) or None
    for words, ratio in ((_TWOFOLD, 2.0), (_THREEFOLD, 3.0), (_FOURFOLD, 4.0)):
        if search(words, plain):
            return ratio
    return None


def _share_of_speed(plain: str) -> float | None:
    """`has 60 % of the speed`; what is lost of it is told otherwise."""
    match = search(_OF_ITS_SPEED, plain)
    if match is None or search(_LOST, plain[: match.start()]) is not None:
        return None
    groups = match.groups()
    place = next(place for place in range(0, len(groups), 2) if groups[place] is not None)
    return number(groups[place], groups[place + 1]) / 100 or None


def _same(plain: str) -> float | None:
    return 1.0 if search(_SAME, plain) else None
