"""Flags are checked one by one, and a wrong one is a sentence with a remedy."""

from __future__ import annotations

import pytest

from advisor.cli.arguments import DEFAULT_WORKLOAD, build_parser
from advisor.core.errors import InputError


def test_measure_without_a_workload_takes_the_bundled_bert() -> None:
    assert build_parser().parse_args(["--measure"]).measure == DEFAULT_WORKLOAD


def test_counts_are_sorted_and_single() -> None:
    assert build_parser().parse_args(["--counts", "8, 2,2"]).counts == (2, 8)


def test_gpu_keys_are_split_at_commas() -> None:
    assert build_parser().parse_args(["--gpus", "rtx3090,rtx4090"]).gpus == ("rtx3090", "rtx4090")


@pytest.mark.parametrize(
    "flags",
    [
        ["--batch", "0"],
        ["--batch", "-3"],
        ["--batch", "many"],
        ["--batch", "1" * 4000],
        ["--budget", "nan"],
        ["--budget", "inf"],
        ["--counts", "1,zero"],
        ["--counts", "100000"],
        ["--precision", "fp12"],
        ["--goal", "glory"],
        ["--measure", "--predict"],
        ["--unknown"],
        ["--lang", "zh"],
    ],
)
def test_a_wrong_flag_is_refused_in_a_sentence_with_a_remedy(flags: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        build_parser().parse_args(flags)
    assert caught.value.exit_code == 2
    assert caught.value.text.startswith("Command line:")
    assert "--help" in caught.value.remedy
