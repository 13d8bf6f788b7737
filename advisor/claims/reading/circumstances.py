"""What a claim tells beside what it is judged by: quantities that are no speed, set-ups that no prediction looks at."""

from __future__ import annotations

import re

from advisor.claims.reading.number_words import NUMBER, search

_MONEY = rf"[$€£¥]\s*{NUMBER}|{NUMBER}\s*(?:dollars?|usd|euros?|eur|cents?|块钱|块(?=电费|一)|元|美元|刀)(?![a-z])"
_NEVER_SPEED = (
    r"\b(?:time to first token|ttft|latency|fps|frames per second|hash ?rate|[km]h/s)\b"
    r"|首 ?(?:个 ?)?(?:token|字)|延迟|帧率|每秒\s*\d+\s*帧|算力挖|出图|生图"
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
_SET_UPS = (
    r"\b(?:\d{1,4} ?g(?:b?e|bit/?s?|bps)|ethernet|infiniband|roce|nvlink|nvswitch|pcie(?: ?(?:gen ?)?[345](?:\.0)?)?"
    r"(?: ?x\d{1,2})?|wi-?fi|tensorrt(?!-llm)|int8|int4|liger\w*|unsloth|(?:sequence |sample )?packing|cuda graphs?"
    r"|spot instances?|(?:power|thermal)[ -]?(?:limit\w*|throttl\w*)|undervolt\w*|overclock\w*|ffcv|dali"
    r"|(?:pytorch|torch|cuda|cudnn|rocm) ?v?\d+(?:\.\d+){1,2})\b"
    r"|[百千万]兆(?:以太)?网?|以太网|打包|降压|超频|锁频"
)
"""What no claim's prediction looks at, though it may decide: links, quantised arithmetic, versions."""


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
    found = (match.group().strip() for match in re.finditer(_SET_UPS, plain, re.ASCII))
    return tuple(dict.fromkeys(found))
