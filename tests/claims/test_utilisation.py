"""Claims of a share of the peak (MFU): read, bounded by the peak, held against what published runs printed."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from pathlib import Path

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Claim, Verdict
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import SaidError
from tests.claims.judged import assert_judged
from tests.recommend.real_predictor import real_predictor

PUBLISHED = Path(__file__).resolve().parents[1] / "accuracy" / "published_llm.csv"


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("we reach 55% MFU with 7B on H100s", 0.55),
        ("we reach 55 percent mfu with 7B on H100s", 0.55),
        ("MFU of 0.42 with 7B on 8 A100", 0.42),
        ("MFU: 42 with 7B on 8 A100", 0.42),
        ("MFU went from 40% to 55% with 7B on 8 A100", 0.55),
        ("7B on 8 A100 at a model flops utilization of 48.5%", 0.485),
        ("7B on 8 A100 at a model FLOPs utilistion of 48.5%", 0.485),
        ("7B trains at 50 % of the theoretical peak on 8 A100", 0.5),
        ("7B 在 64 张 A100 上 MFU 达到 52%", 0.52),
        ("7B 在 8 张 A100 上的模型算力利用率为 45%", 0.45),
        ("7B 在 8 张 A100 上达到峰值算力的 40%", 0.4),
        ("140% MFU with 7B on H100", 1.4),
    ],
)
def test_a_share_of_the_peak_is_read_as_a_fraction(text: str, share: float) -> None:
    claim = parse_claim(text, spec_table())
    assert claim.mfu_fraction == pytest.approx(share)
    assert claim.parameters == 7e9
    assert claim.speed_up_ratio is None


@pytest.mark.parametrize(
    "text",
    [
        "7B at 3000 tokens/s on an A100",
        "7B full fine-tune needs 90% of the peak memory of an A100",
        "7B fits 8 H100 80",
    ],
)
def test_what_speaks_of_no_compute_is_no_share_of_the_peak(text: str) -> None:
    try:
        claim = parse_claim(text, spec_table())
    except SaidError:
        return
    assert claim.mfu_fraction is None


JUDGED: list[tuple[str, Verdict, str]] = [
    ("35 % MFU with 7B on 8 H100 SXM", "plausible", "claim-mfu-expected"),
    ("90 % MFU with 7B on 8 H100 SXM", "plausible_only_with", "claim-mfu-above"),
    ("2 % MFU with 7B on 8 H100 SXM", "below_expected", "claim-mfu-below"),
    ("140 % MFU with 7B on 8 H100 SXM", "impossible", "claim-mfu-impossible"),
    ("1000000% MFU", "impossible", "claim-mfu-impossible"),
    ("50 % MFU with 7B on one A100 SXM 80GB", "plausible_only_with", "claim-mfu-expected"),
    ("BERT-large at 40 % MFU on an A100", "plausible", "claim-mfu-expected"),
    ("ResNet-50 at 60 % MFU on an A100", "plausible_only_with", "claim-mfu-above"),
    ("7B 在 8 张 H100 SXM 上 MFU 达到 35%", "plausible", "claim-mfu-expected"),
]


@pytest.mark.parametrize(("text", "verdict", "code"), JUDGED, ids=[text for text, _, _ in JUDGED])
def test_a_share_of_the_peak_is_judged_in_both_languages(text: str, verdict: Verdict, code: str) -> None:
    assert_judged(text, verdict, code)


def test_a_share_of_the_peak_in_tokens_is_arithmetic() -> None:
    answer = check_claim("40 % MFU with 7B on 8 A100 SXM 80GB", real_predictor())
    told = next(reason for reason in answer.reasons if reason.code == "claim-mfu-tokens")
    assert told.numbers["claimed_rate"] == round(0.4 * 312e12 / (6 * 7e9))  # 2,971 tokens a second and card


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("-5% MFU with 7B on H100", "claim-number-negative"),
        ("0% MFU with 7B on H100", "claim-number-negative"),
        ("GPU utilization is 98% with 7B on an H100", "claim-utilisation-time"),
        ("显卡利用率 98%，7B，H100", "claim-utilisation-time"),
        ("HFU 60% with 7B on 8 H100", "claim-utilisation-hardware"),
        ("55% MFU with 7B", "claim-without-card"),
        ("55% MFU on 8 H100", "claim-without-model"),
        ("55% MFU with Mixtral 8x7B on 8 H100", "claim-mixture"),
    ],
)
def test_what_cannot_be_judged_says_why(text: str, code: str) -> None:
    with pytest.raises(SaidError) as refused:
        check_claim(text, real_predictor())
    assert refused.value.reasons[0].code == code


def _printed() -> dict[tuple[str, int, float], list[float]]:
    """MFU as published runs printed it, by card, number of cards and parameters."""
    found: dict[tuple[str, int, float], list[float]] = defaultdict(list)
    for row in csv.DictReader(PUBLISHED.open(encoding="utf-8")):
        printed = re.search(r"\bMFU ([\d.]+)", row["metric_printed"])
        if (
            printed is not None
            and row["params"].isdigit()
            and int(row["params"]) > 1e9
            and "fp8" not in row["precision"]
        ):
            key = (row["gpu"], int(row["n_gpus"]), float(row["params"]))
            found[key].append(float(printed.group(1)) / 100)
    return found


def test_what_published_runs_printed_is_mostly_expected_of_their_size() -> None:
    inside: list[bool] = []
    for (gpu, count, size), shares in _printed().items():
        claim = Claim(gpus=(gpu,), count=count, parameters=size, mfu_fraction=1e-3)
        expected = check_claim(claim, real_predictor()).expected_mfu_fraction
        assert expected is not None
        inside += [expected.holds(min(shares)), expected.holds(max(shares))]
    assert len(inside) >= 20
    assert sum(inside) / len(inside) >= 0.8
