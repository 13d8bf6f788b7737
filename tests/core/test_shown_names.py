"""A card is called alike wherever its name is shown, and records keep the whole name."""

from __future__ import annotations

from collections import Counter

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import Names, Reason, say
from advisor.core.shown_names import shown_card
from advisor.present.card_names import short_name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("GeForce RTX 3090", "RTX 3090"),
        ("2 × GeForce GTX 1080 Ti", "2 × GTX 1080 Ti"),
        ("Tesla V100 SXM2 32 GB", "V100 SXM2 32 GB"),
        ("Tesla T4", "T4"),
        ("Quadro RTX 6000", "Quadro RTX 6000"),
        ("RTX 6000 Ada Generation", "RTX 6000 Ada Generation"),
        ("/home/tesla/GeForce notes.txt", "/home/tesla/GeForce notes.txt"),
        ("Tesla", "Tesla"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("2 × NVIDIA A100-SXM4-40GB", "2 × A100 SXM4 40 GB"),
        ("NVIDIA H100 80GB HBM3 (2)", "H100 SXM5 80 GB (2)"),
        ("NVIDIA H200 of another kind", "H200 of another kind"),
        ("NVIDIA GeForce RTX 4060 Ti", "RTX 4060 Ti"),
        ("NVIDIA driver 550", "NVIDIA driver 550"),
        ("A10", "A10"),
    ],
)
def test_the_family_is_left_out_before_a_cards_name_alone(name: str, shown: str) -> None:
    assert shown_card(name) == shown


def test_a_card_of_this_machine_is_called_as_the_row_of_the_table_that_is_its_own() -> None:
    drivers = Counter(name for spec in spec_table().values() for name in spec.nvml_names)
    seen = 0
    for spec in spec_table().values():
        for name in spec.nvml_names:
            if drivers[name] == 1 and " " in name:
                seen += 1
                assert shown_card(name) == shown_card(spec.name), "one memory alone has this name"
                told = Reason.of("why-tied", device=f"{name} / {spec.name}", others=Names(names=(name,)))
                assert f"{shown_card(spec.name)} / {shown_card(spec.name)} and" in say(told, "en")
    assert seen > 50


def test_no_two_cards_of_the_table_are_shown_alike_and_sentences_call_them_as_tables_do() -> None:
    names = [spec.name for spec in spec_table().values()]
    assert len({shown_card(name) for name in names}) == len(names)
    for name in names:
        assert short_name(name) == shown_card(name)
        told = Reason.of("why-tied", device=name, others=Names(names=(f"2 × {name}",)))
        assert shown_card(name) in say(told, "en")
        assert "GeForce" not in say(told, "zh")
        assert "Tesla" not in say(told, "zh")
    assert told.numbers["device"] == names[-1]
