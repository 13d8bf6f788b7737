"""What a claim tells beside what it is judged by: quantities that are no speed, set-ups that no prediction looks at."""

from __future__ import annotations

import re

from advisor.claims.reading.numbers.number_words import NUMBER, search

_MONEY = (
    rf"[$€£¥]\s*{NUMBER}|{NUMBER}\s*(?:dollars?|bucks|usd|euros?|eur|cents?|块钱|块(?=电费|一)|元|美元|刀)(?![a-z])"
)
_NEVER_SPEED = (
    r"\b(?:time to first token|ttft|latency|hash ?rate|[km]h/s)\b"
    r"|首 ?(?:个 ?)?(?:token|字)|延迟|算力挖|出图|生图"
    r"|\bconverg\w*|收敛|\bloss\b[^,.;，。；]{0,12}(?:下降|降低|降|收敛)[^,.;，。；]{0,4}快"
)
"""What is told in times and rates, too, and is never one of training."""
_OTHER = (
    r"\b(?:accurac(?:y|ies)|perplexity|bleu|rouge|f1|wer|map|top-?[15]"
    r"|(?:training |validation |eval(?:uation)? |test )?loss(?:es)?|quality"
    r"|scores?|pric\w+|expensive|cheap\w*|kwh|watts?|joules?"
    r"|power (?:draw|consum\w+)|energy|electricity|temperatures?|noise|co2|carbon)\b"
    rf"|准确率|精度(?=提高|提升|下降|降低|损失|掉|变)|损失|\bloss\b|困惑度|价格|价钱|便宜|[更很太]贵|花费|电费|耗电|功耗|度电"
    rf"|千瓦时|温度|噪音|{_MONEY}"
)
_SPEED = (
    r"\b(?:fast\w*|quick\w*|slow\w*|speed\w*|throughput|time|longer|shorter)\b|/ ?s|per second"
    r"|快|慢|速|吞吐|时间|耗时|用时|memory|vram|显存|内存"
)
_LINKS = (
    r"nvlink|nvswitch|pcie(?: ?(?:gen ?)?[345](?:\.0)?)?(?: ?x\d{1,2})?|infiniband|roce|ethernet|wi-?fi"
    r"|\d{1,4} ?g(?:b?e|bit/?s?|bps)"
)
_KERNELS = (
    r"liger\w*|unsloth|apex|cuda graphs?|cudnn[\s._]?benchmark|chunked (?:loss|cross[\s-]?entropy)|zero_grad"
    r"|tensorrt(?!-llm)|(?:pytorch|torch|cuda|cudnn|rocm) ?v?\d+(?:\.\d+){1,2}"
)
_LOADING = r"(?:num|data)?[\s_-]*workers|pin(?:ned)?[\s_-]?memory|prefetch\w*|(?:sequence |sample )?packing|ffcv|dali"
_FRAMEWORKS = (
    r"megatron(?:-lm)?|nemo|jax|tensorflow|mxnet|axolotl|torchtune|colossal-?ai|mindspore|paddle(?:paddle)?"
    r"|(?:pytorch )?lightning|transformer engine"
)
_POWER = r"overclock\w*|undervolt\w*|(?:power|thermal)[ -]?(?:limit\w*|throttl\w*)|ecc|spot instances?"
_QUANTISED = r"(?:int8|int4)(?: quanti[sz]ation)?"
_EITHER = (
    rf"\b(?:{_LINKS}|{_KERNELS}|{_FRAMEWORKS}|{_LOADING}|{_POWER}|{_QUANTISED})\b"
    r"|[百千万]兆(?:以太)?网?|以太网|锁页内存|预取|加载进程|打包|超频|降压|锁频|功耗(?:墙|限制)"
)
"""What no claim's prediction looks at, told beside what is judged or as what was changed."""
_BESIDE = r"(?:\b(?:without|with|w/o?|no|over|via|using|through|on|in|by)|没有|通过|用|走)\s*(?:the |an? )?$"
"""Before a set-up that only stands beside."""
_BRINGS = (
    r"^(?: training| itself| alone)?\s*(?:is|was|are|made|makes?|gives?|gave|brings?|brought|speeds?|sped|trains?|runs?"
    r"|使|让|带来|比)\b(?! (?:used|on|off|enabled|disabled|available|not|missing)\b)"
)
_CHANGED = (
    r"\b(?:(?:gradient )?accumulat\w+(?: gradients?)?|(?:cpu |nvme |host )?off-?load\w*|muon|lion|sophia"
    r"|(?:int8|int4|quanti[sz]ed) inference|quanti[sz]ation|pruning|distillation|speculative decoding)\b"
    r"|(?:cpu ?|显存)?卸载|梯度(?:累积|累加)"
)
"""What is judged, or says nothing, where it only stands beside a claim, and of which no speed-up is predicted."""


def other_quantity(plain: str, *, of_ratio: bool, of_figure: bool) -> str | None:
    """The words for what a claim is about instead of a speed or memory; None: nothing else is named.

    A ratio is of what else is named unless a word of speed or memory stands in the text; a figure with a unit of its
    own is none of it.
    """
    if (never := search(_NEVER_SPEED, plain)) is not None:
        return never.group().strip()
    other = search(_OTHER, plain)
    if other is None or (of_figure and not of_ratio) or (of_ratio and search(_SPEED, plain) is not None):
        return None
    return other.group().strip()


def set_ups_left_out(plain: str) -> tuple[str, ...]:
    """The words of set-ups that are told and not looked at, each once, in their order."""
    found = (match.group().strip() for match in re.finditer(_EITHER, plain, re.ASCII))
    return tuple(dict.fromkeys(found))


def acting_set_up(plain: str, *, brings: bool) -> str | None:
    """The words for what was itself changed, whatever else is named: `unsloth is 2x faster`, no `without NVLink`.

    `brings`: only where a verb of bringing stands right behind it.
    """
    for match in re.finditer(_EITHER, plain, re.ASCII):
        beside = search(_BESIDE, plain[: match.start()]) is not None
        if not beside and (not brings or search(_BRINGS, plain[match.end() :]) is not None):
            return match.group().strip()
    return None


def unjudged_change(plain: str) -> str | None:
    """The words for a change of which no speed-up is predicted; it is never taken for another one."""
    match = search(rf"{_CHANGED}|{_EITHER}", plain)
    return match.group().strip() if match is not None else None
