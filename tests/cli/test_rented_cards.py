"""Whoever names the price of a card may rent it: it is a candidate where no cards are asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.cli.commands import run
from advisor.recommend.candidates import DEFAULT_GPU_KEYS

PRICES = 'currency = "USD"\ndate = "2026-01-31"\n[devices]\nrtx4090 = 0.35\nh100-sxm = 2.5\n'


@pytest.mark.parametrize(
    ("asked", "keys"),
    [((), {*DEFAULT_GPU_KEYS, "h100-sxm"}), (("--gpus", "a100-sxm4-80"), {"a100-sxm4-80"})],
)
def test_cards_of_the_price_file_are_candidates_beside_the_usual_ones(
    asked: tuple[str, ...], keys: set[str], tmp_path: Path
) -> None:
    prices, answer = tmp_path / "prices.toml", tmp_path / "advice.json"
    prices.write_text(PRICES, encoding="utf-8")
    options = ("--prices", str(prices), "--counts", "1", "--json", str(answer), "--no-history", "--quiet")
    assert run(["--predict", "resnet50", *asked, *options]) == 0
    advice = json.loads(answer.read_text(encoding="utf-8"))
    assert {one["device"]["key"] for one in advice["predictions"]} == keys
