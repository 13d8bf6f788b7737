"""`advise` as a program calls it: what it is given wrongly is refused by the names of its own arguments."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

import advisor
from advisor import advise, load_workload
from advisor.cli import run
from advisor.core.errors import InputError
from advisor.store import json_file
from advisor.workload.python_source import pinned
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


OWN = """import torch
def build_model(): return torch.nn.Linear(4, 2)
def make_batch(n, length): return torch.randn(n, 4), torch.zeros(n).long()
"""


def test_a_file_of_ones_own_runs_only_where_the_call_allows_it(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        advise(tmp_path / "own.py", measure=False, gpus="4090", counts=(1,))
    assert "allow_code=True" in refused.value.remedy
    assert "--allow-code" not in str(refused.value)
    allowed = advise(tmp_path / "own.py", measure=False, gpus="4090", counts=(1,), allow_code=True)
    assert allowed.recommendation is not None
    assert {one.count for one in allowed.predictions} == {1}
    assert allowed.workload == pinned(load_workload(tmp_path / "own.py")), "bound to the file's bytes, as a command's"


def test_cards_in_one_text_are_those_of_a_list() -> None:
    joined, listed = (advise("iris_mlp", measure=False, gpus=gpus) for gpus in ("4090, T4", ["4090", "T4"]))
    assert {one.device.key for one in joined.predictions} == {"rtx4090", "t4"}
    assert joined.predictions == listed.predictions


def test_a_language_that_there_is_not_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    advice = advise("iris_mlp", measure=False, gpus="T4")
    for ask in (lambda: advice.explain("fr"), lambda: advice.to_pdf(tmp_path / "a.pdf", "fr")):  # type: ignore[arg-type]
        with pytest.raises(InputError, match="`en`"):
            ask()


def test_a_trainers_word_for_an_optimizer_is_told_by_its_fields_in_a_workload_that_a_program_made() -> None:
    with pytest.raises(InputError, match="optimizer_bits = 8"):
        advise(with_training(load_workload("iris_mlp"), optimizer="adamw_8bit"), measure=False)


def test_a_card_of_ones_own_as_the_page_of_formats_shows_it_is_compared(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    example = next(block for block in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if "[[gpu]]" in block)
    (tmp_path / "cards.toml").write_text(example, encoding="utf-8")
    advice = advise("iris_mlp", measure=False, gpus="T4", gpu_file=tmp_path / "cards.toml", counts=(1,))
    assert {prediction.device.name for prediction in advice.predictions} == {"My Card 48 GB", "Tesla T4"}
    assert "My Card 48 GB" in advice.explain("en")


@pytest.mark.parametrize("counts", [(0,), (), (1, 5000), ("4",), (2.0,)])
def test_a_number_of_cards_that_no_job_has_is_refused(counts: tuple[Any, ...]) -> None:
    with pytest.raises(InputError, match=r"counts: .* from 1 to 4,096"):
        advise("resnet50", measure=False, gpus="4090", counts=counts)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"goal": "cheap"}, "goal: `cheap` is none of time, cost, energy."),
        ({"max_hours": 0.0}, "max_hours: `0.0` is no number above zero."),
        ({"max_power_w": float("nan")}, "max_power_w: `nan` is no number above zero."),
        ({"host_memory_gib": "64"}, "host_memory_gib: `64` is no number above zero."),
        ({"max_cost": 20.0}, "max_cost: no prices were given."),
        ({"nodes": 0}, "nodes: `0` is no whole number from 1 up."),
        ({"global_batch": 1.5}, "global_batch: `1.5` is no whole number from 1 up."),
        ({"interconnect": "a string"}, "interconnect: `a string` names no known link."),
        ({"nodes": 3, "counts": (4,)}, "nodes 3: 4 devices cannot be spread evenly over 3 machines."),
        ({"global_batch": 7, "counts": (2,)}, "global_batch: 7 samples cannot be dealt out evenly to 2 devices."),
    ],
)
def test_what_a_call_asks_wrongly_is_refused_by_its_argument(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as refused:
        advise("resnet50", measure=False, gpus="4090", **arguments)
    assert refused.value.text == told
    assert "--" not in refused.value.remedy


def test_a_call_answers_goal_limits_and_prices_as_the_command_line_does(tmp_path: Path) -> None:
    prices, saved = tmp_path / "prices.toml", tmp_path / "advice.json"
    rates = 'currency = "USD"\ndate = "2026-11-30"\n[devices]\nt4 = 0.2\na100-sxm4-40 = 1.4\nh100-sxm = 9.9\n'
    prices.write_text(rates, encoding="utf-8")
    flags = f"--goal cost --max-hours 30 --max-power 900 --max-cost 50 --host-memory 64 --prices {prices}"
    asked = f"--predict bert_base_sst2 --gpus t4,a100-sxm4-40,h100-sxm --json {saved} --no-history --quiet {flags}"
    assert run([*asked.split(), "--counts", "1,2"]) == 0
    called = advise(
        "bert_base_sst2", measure=False, gpus="t4,a100-sxm4-40,h100-sxm", counts=(1, 2), goal="cost", max_hours=30,
        max_power_w=900, max_cost=50, host_memory_gib=64, prices=prices,
    )  # fmt: skip
    recommended = json_file.read(saved).recommendation
    assert recommended is not None
    assert called.recommendation == recommended
    assert called.recommendation.device.key != "h100-sxm"


def test_the_public_names_are_listed_before_they_are_used() -> None:
    assert set(dir(advisor)) == {"Advice", "__version__", "advise", "load_workload"}
