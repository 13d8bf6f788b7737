"""A claim's reading is told in one line, from which nothing that was read is left out."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Claim, ClaimFields
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import Language
from advisor.present.claim_reading import read_as

BASE: dict[str, Any] = {"speed_up_ratio": 2.0, "gpus": ("rtx4090",)}
OTHER: dict[str, Any] = {
    "reference_count": {"count": 8, "reference_count": 2},
    "reference_precision": {"precision": "bf16_amp", "reference_precision": "fp32"},
    "reference_batch_size": {"batch_size": 64, "reference_batch_size": 16},
    "reference_sequence_length": {"sequence_length": 1024, "reference_sequence_length": 512},
    "reference_strategy": {"strategy": "ddp", "reference_strategy": "dp"},
    "reference_tuning": {"tuning": "qlora", "reference_tuning": "lora"},
    "reference_attention": {"attention": "flash", "reference_attention": "eager"},
    "reference_activation_checkpointing": {
        "activation_checkpointing": "full",
        "reference_activation_checkpointing": "none",
    },
    "per_card": {"per_card": True, "samples_per_s": 10.0},
    "mode": {"mode": "inference"},
    "workload": {"workload": "resnet50"},
    "count": {"count": 8},
    "interconnect": {"interconnect": "without NVLink", "count": 8},
    "reference_interconnect": {"interconnect": "NVLink", "reference_interconnect": "without NVLink", "count": 8},
    "fits": {"fits": False},
}
"""Values of fields that say nothing alone, or of which not every one may be taken."""
LANGUAGES: tuple[Language, ...] = get_args(Language)


def value_of(field: msgspec.inspect.Field) -> Any:
    kinds = getattr(field.type, "types", (field.type,))
    for kind in kinds:
        match kind:
            case msgspec.inspect.LiteralType():
                return kind.values[0]
            case msgspec.inspect.BoolType():
                return True
            case msgspec.inspect.IntType():
                return 8
            case msgspec.inspect.FloatType():
                return 5e9
    raise AssertionError(field)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ClaimFields.__struct_fields__)
def test_every_field_that_was_read_shows(name: str, language: Language) -> None:
    kinds = {field.name: field for field in msgspec.inspect.type_info(ClaimFields).fields}  # type: ignore[attr-defined]
    told = OTHER.get(name) or {name: value_of(kinds[name])}
    without = {key: value for key, value in told.items() if key != name}
    assert read_as(Claim(**BASE | told), language) != read_as(Claim(**BASE | without), language)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (
            "4 V100 train ResNet-50 at 1400 images/s",
            "1,400 samples a second · 4 × V100 · ResNet-50 on ImageNet",
        ),
        (
            "flash attention made my BERT-base training 2.4x faster on 4090",
            "2.40 times as fast · RTX 4090 · BERT-base on SST-2 · flash attention against eager attention",
        ),
        ("8 A100 gave 7.2x with DDP", "7.20 times as fast · 8 × A100 against 1 × A100 · DistributedDataParallel"),
    ],
)
def test_a_sentence_is_read_as_one_line(text: str, read: str) -> None:
    assert read_as(parse_claim(text, spec_table()), "en") == read
