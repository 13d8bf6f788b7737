"""In Chinese sentences a space parts Chinese characters from Latin words and figures, and never two Chinese ones."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from typing import get_args

import pytest
from fluent.syntax import FluentParser
from fluent.syntax import ast as fluent

from advisor.catalogue.strategies import Strategy
from advisor.core.bundled import resource
from advisor.core.sentences import Reason, say, sentence

HAN, LATIN = "\u3400-\u9fff", "A-Za-z0-9"
MARKS = "，。；：、？！（）“”《》"
OPEN, CLOSE = "\ue000", "\ue001"
"""Around the name of an argument in an expanded sentence."""
PHRASES = frozenset({"kind", "other", "way", "least_way", "before", "after", "added"})
"""Arguments that are Chinese phrases in every sentence that lets them follow a Chinese character without a space."""
SAID_AS_PHRASES = ("claim-way-", "file-kind-", "file-range-", "wall-part-")
LATIN_PHRASES = frozenset({"file-kind-boolean"})
"""`true 或 false` is no kind that a range is told of."""
MOST_VARIANTS = 4000


def messages() -> Iterator[fluent.Message]:
    for path in sorted((resource("sentences") / "zh").glob("*.ftl")):
        body = FluentParser().parse(path.read_text(encoding="utf-8")).body
        yield from (entry for entry in body if isinstance(entry, fluent.Message))


def expanded(pattern: fluent.Pattern) -> list[str]:
    """The texts that a pattern may come to, arguments as their names; of very many one choice after the other."""
    parts = [choices(element) for element in pattern.elements]
    if math.prod(map(len, parts)) <= MOST_VARIANTS:
        return ["".join(chosen) for chosen in itertools.product(*parts)]
    plain = [part[0] for part in parts]
    return ["".join([*plain[:place], one, *plain[place + 1 :]]) for place, part in enumerate(parts) for one in part]


def choices(element: fluent.TextElement | fluent.Placeable) -> list[str]:
    if isinstance(element, fluent.TextElement):
        return [str(element.value)]
    match element.expression:
        case fluent.StringLiteral() as literal:
            return [str(literal.parse()["value"])]
        case fluent.VariableReference() as argument:
            return [f"{OPEN}{argument.id.name}{CLOSE}"]
        case fluent.SelectExpression() as selection:
            return [text for variant in selection.variants for text in expanded(variant.value)]
    raise AssertionError(element)


def faults(text: str) -> set[str]:
    """Where characters touch that a space should part, or are parted that should touch."""
    tight = rf"[{HAN}](?=[{LATIN}])|[{LATIN}](?=[{HAN}])"
    loose = rf"[{HAN}{MARKS}] +(?=[{HAN}{MARKS}])|  "
    found = {text[max(0, hit.start() - 8) : hit.end() + 8] for hit in re.finditer(f"{tight}|{loose}", text.strip())}
    beside = rf"[{HAN}]{OPEN}(\w+){CLOSE}|{OPEN}(\w+){CLOSE}[{HAN}]"
    names = {name for hit in re.finditer(rf"(?={beside})", text) for name in hit.groups() if name is not None}
    return found | (names - PHRASES)


def test_spaces_stand_between_chinese_and_latin_words_and_never_between_two_chinese_ones() -> None:
    wrong = {}
    for entry in messages():
        found = set().union(*map(faults, expanded(entry.value))) if entry.value is not None else set()
        if found:
            wrong[entry.id.name] = found
    assert wrong == {}


def test_what_follows_a_chinese_character_without_a_space_begins_with_one() -> None:
    phrases = {entry.id.name: entry.value for entry in messages() if entry.id.name.startswith(SAID_AS_PHRASES)}
    assert len(phrases) > 20
    begun = {
        name
        for name, value in phrases.items()
        for text in (expanded(value) if value is not None else [])
        if re.match(rf"[{LATIN}]", text)
    }
    assert begun == LATIN_PHRASES


@pytest.mark.parametrize("strategy", get_args(Strategy))
def test_the_name_of_a_strategy_stands_as_its_first_letter_asks(strategy: Strategy) -> None:
    name = sentence(f"strategy-{strategy.replace('_', '-')}", "zh")
    told = say(
        Reason.of(
            "summary-set-up-many", mode="training", devices=2, device="A100", machines=1, strategy=name, batch=1,
            precision="BF16 AMP", accumulation=1, added="nothing",
        ),
        "zh",
    )  # fmt: skip
    space = "" if re.match(f"[{HAN}]", name) else " "
    assert f"策略{space}{name}，" in told


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("改用ZeRO-2", True), ("改用 ZeRO-2", False), ("优化器 无", True), ("优化器无", False), ("12张", True),
        ("请用 --gpus 指定", False), (f"第{OPEN}count{CLOSE} 张", True), (f"第 {OPEN}count{CLOSE} 张", False),
        (f"参数{OPEN}way{CLOSE}需要", False),
    ],
)  # fmt: skip
def test_a_fault_is_found(text: str, *, wrong: bool) -> None:
    assert bool(faults(text)) is wrong


def test_no_english_sentence_has_quotes_that_the_windows_font_sets_as_wide_as_a_chinese_sign() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted((resource("sentences") / "en").glob("*.ftl"))]
    assert len(texts) > 5
    assert [line for text in texts for line in text.splitlines() if re.search("[“”‘’]", line)] == []
