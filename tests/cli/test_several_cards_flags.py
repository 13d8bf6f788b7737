"""The flags about several cards: counts over machines, a held global batch, a known critical batch."""

from __future__ import annotations

import pytest

from advisor.cli.advising import advice_request
from advisor.cli.arguments import build_parser
from advisor.cli.commands import chosen_language
from advisor.core.errors import InputError


def _request(*flags: str):  # type: ignore[no-untyped-def] # noqa: ANN202
    return advice_request(build_parser().parse_args(["--predict", "resnet50", "--no-history", *flags]))


def test_without_counts_one_to_eight_cards_a_machine_are_tried() -> None:
    assert _request().counts == (1, 2, 4, 8)
    assert _request("--nodes", "3").counts == (1, 3, 6, 12, 24)


def test_counts_that_do_not_spread_over_the_machines_are_refused_before_anything_runs() -> None:
    with pytest.raises(InputError, match="--nodes 3"):
        _request("--nodes", "3", "--counts", "4")


def test_a_global_batch_that_no_count_can_share_is_refused_with_ones_that_can() -> None:
    with pytest.raises(InputError, match="cannot be dealt out evenly") as refused:
        _request("--global-batch", "50", "--counts", "4,8")
    assert "48 or 52" in refused.value.remedy


def test_a_number_in_front_of_a_card_is_its_own() -> None:
    asked = _request("--gpus", "2x rtx 3090, 1x a100-sxm4-40, 4x a100-sxm4-40, l40s")
    assert asked.gpu_keys == ("rtx3090", "a100-sxm4-40", "l40s")
    assert asked.card_counts == {"rtx3090": (2,), "a100-sxm4-40": (1, 4), "l40s": (1,)}
    assert _request("--gpus", "2x rtx 3090, l40s", "--counts", "1,2").card_counts["l40s"] == (1, 2)
    assert _request("--gpus", "rtx3090").card_counts == {}


def test_all_variants_of_a_card_have_its_number() -> None:
    asked = _request("--gpus", "2x a100")
    assert len(asked.card_counts) > 1
    assert set(asked.card_counts.values()) == {(2,)}


@pytest.mark.parametrize(
    ("gpus", "text", "remedy"),
    [
        ("0x a100", "--gpus: `0x a100`", "2x a100"),
        ("a100, 2x", "--gpus: `2x`", "2x rtx3090"),
        ("2x rtx 3900", "not in the spec table: `rtx 3900`", "rtx3090"),
    ],
)
def test_a_number_that_names_nothing_is_refused_with_what_to_write(gpus: str, text: str, remedy: str) -> None:
    with pytest.raises(InputError) as refused:
        _request("--gpus", gpus)
    assert text in refused.value.text
    assert remedy in refused.value.remedy


def test_numbers_of_cards_must_spread_over_the_machines_and_share_the_batch_as_counts_must() -> None:
    with pytest.raises(InputError, match="--nodes 3"):
        _request("--gpus", "4x a100-sxm4-40", "--nodes", "3")
    with pytest.raises(InputError, match="cannot be dealt out evenly"):
        _request("--gpus", "4x a100-sxm4-40", "--global-batch", "50")


def test_a_critical_batch_is_a_number_or_a_range() -> None:
    assert _request().critical_batch is None
    one, two = (
        _request("--critical-batch", "2000").critical_batch,
        _request("--critical-batch", "500-8000").critical_batch,
    )
    assert (one.low, one.high, one.given) == (2000, 2000, True)
    assert (two.low, two.high, two.given) == (500, 8000, True)


@pytest.mark.parametrize("text", ["0", "8000-500", "-5", "a-b", "5-"])
def test_a_critical_batch_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="critical-batch"):
        _request(f"--critical-batch={text}")


def test_the_longest_wait_is_given_in_hours_and_kept_in_seconds() -> None:
    assert _request("--max-hours", "2").limits.max_job_s == 2 * 60 * 60
    assert _request().limits.max_job_s is None


def test_a_language_that_is_asked_for_is_taken_before_the_locales(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    assert chosen_language(build_parser().parse_args(["--predict", "resnet50"])) == "en"
    assert chosen_language(build_parser().parse_args(["--predict", "resnet50", "--language", "zh"])) == "zh"
