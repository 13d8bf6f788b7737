"""What a person set for one model is kept for the next as far as that has a use for it, and the rest is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from advisor.workload.kept_settings import edited_fields, reread, with_kept_settings
from advisor.workload.workload import Workload
from advisor.workload.workload_file import bundled_names, load_workload


def edited(name: str, **fields: Any) -> tuple[Workload, Workload]:
    """A bundled workload with settings of data and training changed, and as it came."""
    base = load_workload(name)
    data = {key: fields[key] for key in fields if key in base.data.__struct_fields__}
    training = {key: fields[key] for key in fields if key not in data}
    workload = msgspec.structs.replace(
        base,
        data=msgspec.structs.replace(base.data, **data),
        training=msgspec.structs.replace(base.training, **training),
    )
    return workload, base


def test_adapters_and_data_go_along_to_another_model_of_text() -> None:
    before, base = edited("bert_base_sst2", trainable="lora", lora_rank=8, samples=5000, sequence_length=256)
    kept = with_kept_settings(load_workload("gpt2_small"), before, base)
    training, data = kept.workload.training, kept.workload.data
    assert (training.trainable, training.lora_rank, data.samples, data.sequence_length) == ("lora", 8, 5000, 256)
    assert kept.dropped == ()
    assert kept.workload.model == load_workload("gpt2_small").model
    assert training.precision == load_workload("gpt2_small").training.precision


def test_a_model_of_pictures_has_no_use_for_a_length_nor_convolutions_for_adapters() -> None:
    before, base = edited(
        "bert_base_sst2", trainable="lora", lora_rank=8, samples=5000, sequence_length=256, batch_size=64
    )
    kept = with_kept_settings(load_workload("resnet50"), before, base)
    assert set(kept.fields) == {"data.samples", "training.batch_size"}
    assert set(kept.dropped) == {"data.sequence_length", "training.trainable", "training.lora_rank"}
    assert with_kept_settings(load_workload("vit_base"), before, base).workload.training.trainable == "lora"


def test_a_length_beyond_the_positions_of_a_model_is_dropped_and_all_else_kept() -> None:
    before, base = edited("gpt2_small", sequence_length=1000, trainable="lora", epochs=2.0)
    kept = with_kept_settings(load_workload("bert_base_sst2"), before, base)
    assert kept.dropped == ("data.sequence_length",)
    assert (kept.workload.training.trainable, kept.workload.training.epochs) == ("lora", 2.0)


def test_nothing_set_by_hand_leaves_every_model_as_it_comes() -> None:
    base = load_workload("bert_base_sst2")
    for name in bundled_names():
        chosen = load_workload(name)
        assert with_kept_settings(chosen, base, base) == (chosen, (), ())


@pytest.mark.parametrize("name", sorted(bundled_names()))
def test_whatever_is_kept_is_what_the_loader_takes(name: str) -> None:
    before, base = edited(
        "bert_base_sst2",
        trainable="lora",
        lora_rank=4,
        samples=300,
        batch_size=8,
        optimizer="sgd",
        loader_workers=2,
        sequence_length=64,
        gradient_accumulation_steps=2,
    )
    chosen = load_workload(name)
    kept = with_kept_settings(chosen, before, base)
    assert sorted((*kept.fields, *kept.dropped)) == sorted(edited_fields(before, base))
    assert load_workload(msgspec.to_builtins(kept.workload)) == kept.workload
    assert {"data.samples", "training.batch_size", "training.optimizer"} <= set(kept.fields)
    for field in kept.dropped:
        section, _, own = field.partition(".")
        assert getattr(getattr(kept.workload, section), own) == getattr(getattr(chosen, section), own)


def test_what_was_set_is_no_longer_assumed(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def build_model(): ...\ndef make_batch(batch_size, length): ...\n", encoding="utf-8")
    before, base = edited("bert_base_sst2", samples=5000)
    chosen = load_workload(path)
    kept = with_kept_settings(chosen, before, base)
    assert "data.samples" in chosen.assumed
    assert set(kept.workload.assumed) == set(chosen.assumed) - {"data.samples"}
    assert kept.workload.source_folder == str(tmp_path)
    assert reread(msgspec.to_builtins(kept.workload), "") == kept.workload
