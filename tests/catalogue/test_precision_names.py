"""A precision has one name for people in each language, wherever it is read."""

from __future__ import annotations

import pytest

from advisor.catalogue.precisions import PRECISION_LABELS, PRECISIONS, precision_name
from advisor.core.sentences import Names, sentence


def test_what_records_keep_is_the_english_name() -> None:
    assert all(precision_name(name, "en") == PRECISION_LABELS[name] for name in PRECISIONS)


def test_three_names_are_words_and_are_said_in_chinese() -> None:
    own = {
        name: precision_name(name, "zh") for name in PRECISIONS if precision_name(name, "zh") != PRECISION_LABELS[name]
    }
    assert own == {"default": "torch 默认", "fp16_true": "纯 FP16", "bf16_true": "纯 BF16"}


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("pure BF16", "精度纯 BF16"),
        ("FP16 / pure FP16", "精度 FP16 / 纯 FP16"),
        (Names(names=("torch's default", "pure BF16"), alternatives=True), "精度 torch 默认或纯 BF16"),
        ("a pure BF16 run", "精度 a pure BF16 run"),
    ],
)
def test_a_sentence_says_what_a_record_keeps_in_its_language(kept: str | Names, said: str) -> None:
    assert sentence("assumed-precision", "zh", value=kept) == said


def test_a_sentence_in_english_keeps_the_english_name() -> None:
    assert sentence("assumed-precision", "en", value="pure BF16") == "precision pure BF16"
