"""`advise` as a program calls it: what it is given wrongly is refused by the names of its own arguments."""

from __future__ import annotations

import msgspec
import pytest

from advisor import advise, load_workload
from advisor.core.errors import InputError
from advisor.workload.workload import Workload, with_training


def test_a_card_that_is_not_in_the_table_is_refused_by_the_arguments_name() -> None:
    with pytest.raises(InputError) as refused:
        advise("iris_mlp", measure=False, gpus=["rtx4091", "a100-sxm4-80"])
    assert refused.value.text == "gpus: not in the spec table: `rtx4091`."
    assert "`rtx4090`" in refused.value.remedy
    assert "--gpu" not in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "field", "given"),
    [
        ({"optimizer": "adamw_8bit"}, "training.optimizer", "adamw_8bit"),
        ({"precision": "bf17"}, "training.precision", "bf17"),
        ({"batch_size": 0}, "training.batch_size", "0"),
    ],
)
def test_a_setting_that_does_not_exist_is_refused_by_its_field(
    changes: dict[str, object], field: str, given: str
) -> None:
    made = with_training(load_workload("iris_mlp"), **changes)
    with pytest.raises(InputError) as refused:
        advise(made, measure=False)
    assert f"`{field}` is `{given}`" in refused.value.text


def test_settings_that_contradict_each_other_are_refused_in_a_workload_that_a_program_made() -> None:
    made = with_training(load_workload("iris_mlp"), batch_size=500)
    with pytest.raises(InputError) as refused:
        advise(made, measure=False)
    assert "training.batch_size" in refused.value.text
    assert "data.samples" in refused.value.text


def test_a_workload_that_a_program_made_is_answered_as_it_is() -> None:
    made = load_workload("iris_mlp")
    advice = advise(made, measure=False, gpus=["a100-sxm4-80"])
    assert advice.workload == made
    assert msgspec.convert(msgspec.to_builtins(made), Workload) == made


@pytest.mark.parametrize(("batch_size", "fits"), [(8, "yes"), (4096, "no")])
def test_a_card_without_a_clock_is_told_what_a_step_needs_of_its_memory(batch_size: int, fits: str) -> None:
    made = with_training(load_workload("gpt2_small"), batch_size=batch_size)
    untimed = advise(made, measure=False, gpus=["h20"])
    (told,) = (caveat for caveat in untimed.caveats if caveat.code == "predict-untimed-memory")
    assert told.numbers["fits"] == fits
    assert (told.figure("need_bytes") <= told.figure("capacity_bytes")) == (fits == "yes")
    if fits == "yes":
        timed = advise(made, measure=False, gpus=["h100-sxm"])
        (alike,) = {
            one.peak_memory_bytes.value
            for one in timed.predictions
            if (one.count, one.batch_size_per_device, one.precision, one.gradient_accumulation_steps)
            == (1, batch_size, made.training.precision, made.training.gradient_accumulation_steps)
            and one.peak_memory_bytes is not None
        }
        assert told.figure("need_bytes") == pytest.approx(alike, rel=0.02)
