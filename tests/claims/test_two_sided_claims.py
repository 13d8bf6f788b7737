"""Two sides of a claim, whichever is named first: two cards, two sizes of one, two links, two machines, two batches."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import say
from tests.claims.judged import assert_readable, assert_refused
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize(
    ("text", "card", "other", "ratio"),
    [
        ("A100 vs H100: H100 is 2x faster for ResNet-50", "h100-sxm", "a100-sxm4-80", 2.0),
        ("A100 vs H100: A100 is half as fast", "a100-sxm4-80", "h100-sxm", 0.5),
        ("A100 vs H100: 2x faster on the H100 for ResNet-50", "h100-sxm", "a100-sxm4-80", 2.0),
        ("3090 or 4090? The 4090 is 1.8x faster for ViT-B", "rtx4090", "rtx3090", 1.8),
        ("3090 vs 4090 for ViT-B: 4090 is 80% faster", "rtx4090", "rtx3090", 1.8),
        ("V100 and A100: the A100 trains bert-large 2.5x as fast in fp16", "a100-sxm4-80", "v100-sxm2-32", 2.5),
        ("comparing 3090 to 4090, the latter is 1.8x faster", "rtx4090", "rtx3090", 1.8),
        ("3090和4090相比，后者快80%", "rtx4090", "rtx3090", 1.8),
        ("H100 is 2x faster than A100, at least on my A100", "h100-sxm", "a100-sxm4-80", 2.0),
        ("B200 2.2x H100 for llama 3 8B pretraining in bf16", "b200-sxm", "h100-sxm", 2.2),
        ("MI300X gets 1.3x H100 for Llama 8B", "mi300x", "h100-sxm", 1.3),
        ("8x4090 reaches only 55% of 8xA100 for a 7B FSDP training", "rtx4090", "a100-sxm4-80", 0.55),
        ("RTX 6000 Ada ≈ L40S for training", "rtx6000ada", "l40s", 1.0),
        (
            "V100 16GB → A100 40GB took our BERT-large epoch from 52 to 21 minutes",
            "a100-sxm4-40",
            "v100-sxm2-16",
            52 / 21,
        ),
        ("A100的速度只有H100的七分之三", "a100-sxm4-80", "h100-sxm", 3 / 7),
        (
            "A100 vs 4090 for LLM fine-tuning: 4090 gets about 70% of the A100 performance",
            "rtx4090",
            "a100-sxm4-80",
            0.7,
        ),
        ("RTX 4090 笔记本版只有台式机4090的六成性能", "rtx4090-laptop", "rtx4090", 0.6),
    ],
)
def test_a_ratio_is_of_the_card_that_it_is_told_of(text: str, card: str, other: str, ratio: float) -> None:
    claim = parse_claim(text, spec_table())
    assert claim.speed_up_ratio == pytest.approx(ratio, rel=1e-3)
    assert card in claim.gpus
    assert other in claim.reference_gpus


@pytest.mark.parametrize(
    ("text", "card", "other"),
    [
        ("A100 vs H100: the H100 is faster", "h100-sxm", "a100-sxm4-80"),
        ("V100 and A100: the V100 is slower", "a100-sxm4-80", "v100-sxm2-32"),
        ("3090 or 4090: the 4090 is clearly faster for ViT", "rtx4090", "rtx3090"),
        ("switched from a 4090 to a 3090 and training got slower than before", "rtx4090", "rtx3090"),
    ],
)
def test_an_order_is_of_the_card_that_it_is_told_of(text: str, card: str, other: str) -> None:
    claim = parse_claim(text, spec_table())
    assert claim.is_faster is True
    assert card in claim.gpus
    assert other in claim.reference_gpus
    assert check_claim(text, real_predictor()).verdict == "plausible"


def test_one_card_of_two_memories_is_two_cards() -> None:
    claim = parse_claim("A100 40GB vs 80GB: 80GB is 10% faster on bert-large at the same batch", spec_table())
    assert set(claim.gpus) == {"a100-pcie-80", "a100-sxm4-80"}
    assert set(claim.reference_gpus) == {"a100-pcie-40", "a100-sxm4-40"}
    assert claim.speed_up_ratio == pytest.approx(1.1)


@pytest.mark.parametrize("text", ["A100 vs H100 for ResNet-50: 2x faster", "3090 vs 4090, ViT-B bf16: 1.7x"])
def test_of_two_cards_that_are_only_set_side_by_side_the_likelier_is_taken_and_said(text: str) -> None:
    answer = check_claim(text, real_predictor())
    assert answer.verdict == "plausible"
    assert set(answer.claim.gpus) & {"h100-sxm", "rtx4090"}
    assert "claim-read-other-order" in {reason.code for reason in answer.reasons}
    assert_readable(answer)


def test_several_cards_against_one_have_the_range_of_their_links() -> None:
    answer = check_claim("two 4090s are 1.4x as fast as one A100 80GB for ViT-B in bf16", real_predictor())
    expected = answer.expected_ratio
    assert answer.verdict == "plausible"
    assert expected is not None
    alone = check_claim("a 4090 is 0.7x as fast as an A100 80GB for ViT-B in bf16", real_predictor()).expected_ratio
    assert alone is not None
    assert expected.high / expected.low > 1.5 * alone.high / alone.low


@pytest.mark.parametrize(
    ("text", "links", "ratio"),
    [
        ("NVLink bridge on 2x3090 improved DDP throughput by 8% for resnet50", ("NVLink", "without NVLink"), 1.08),
        ("2x 3090 with NVLink are 30% faster than without for bert-large", ("NVLink", "without NVLink"), 1.3),
        ("两张3090加了NVLink桥之后，DDP训练bert-large快了20%", ("NVLink", "without NVLink"), 1.2),
        ("without NVLink, 2x 3090 are 20% slower than with it on ViT-B", ("without NVLink", "NVLink"), 0.8),
        ("2x 3090 with NVLink give 1.9x on resnet50", ("NVLink", None), 1.9),
    ],
)
def test_what_a_bridge_brings_is_held_against_the_same_cards_without_it(
    text: str, links: tuple[str, str | None], ratio: float
) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.interconnect, claim.reference_interconnect) == links
    assert claim.speed_up_ratio == pytest.approx(ratio)
    assert claim.reference_count == (2 if links[1] else 1)
    answer = check_claim(text, real_predictor())
    assert answer.verdict == "plausible"
    assert_readable(answer)


def test_a_bridge_never_slows_two_cards_and_brings_more_to_a_larger_gradient() -> None:
    gains = [
        check_claim(f"NVLink makes 2x 3090 1.1x as fast for {model}", real_predictor()).expected_ratio
        for model in ("resnet50", "bert-large")
    ]
    small, large = gains
    assert small is not None
    assert large is not None
    assert 1 <= small.value < large.value


def test_a_card_without_nvlink_is_said_to_have_none() -> None:
    reason = assert_refused("NVLink on 4x 4090 gives 40%", "claim-card-without-nvlink")
    assert "RTX 4090" in say(reason, "en")


def test_steps_a_second_of_each_card_are_those_of_all_together() -> None:
    claim = parse_claim("Single A100: 2.1 it/s, 2 A100 DDP: 1.9 it/s per GPU, ViT-B bs 128", spec_table())
    assert (claim.count, claim.reference_count) == (2, 1)
    assert claim.speed_up_ratio == pytest.approx(2 * 1.9 / 2.1)


def test_a_machine_that_is_added_has_as_many_cards_as_the_first() -> None:
    claim = parse_claim("Adding a second node to my 8xA100 made BERT-large training slower", spec_table())
    assert (claim.count, claim.reference_count, claim.speed_up_ratio, claim.told_as) == (16, 8, 1.0, "most")


def test_more_cards_that_are_slower_need_no_model() -> None:
    claim = parse_claim("两张3090用DataParallel比单卡还慢", spec_table())
    assert (claim.count, claim.strategy, claim.speed_up_ratio, claim.told_as) == (2, "dp", 1.0, "most")


def test_steps_of_two_batches_are_compared_by_their_samples() -> None:
    claim = parse_claim("bs=1 vs bs=8 on 4090: 35 ms vs 90 ms per step, ViT-B inference", spec_table())
    assert (claim.batch_size, claim.reference_batch_size) == (1, 8)
    assert claim.speed_up_ratio == pytest.approx(90 / 35 / 8)
    of_rates = parse_claim("On a 3090 resnet50 batch 64 gives 800 img/s, batch 256 gives 900 img/s", spec_table())
    assert of_rates.speed_up_ratio == pytest.approx(800 / 900)


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("Batch 128 needs twice as long per step as batch 64 on a 3090 for ResNet-50", 1.0),
        ("doubling the batch size makes each step only 1.5x longer on a 4090 for bert-base", 2 / 1.5),
        ("batch 128 is 1.1x as fast as batch 64 on a 3090 for ResNet-50", 1.1),
    ],
)
def test_a_longer_step_of_a_larger_batch_is_told_of_its_samples(text: str, ratio: float) -> None:
    assert parse_claim(text, spec_table()).speed_up_ratio == pytest.approx(ratio)


@pytest.mark.parametrize(
    "text", ["GPU is 20x faster than my CPU for ResNet-50", "a T4 is slower than the CPU for an MLP"]
)
def test_a_cpu_is_said_to_be_predicted_by_no_name(text: str) -> None:
    assert_refused(text, "claim-against-cpu")


def test_a_precision_is_what_brought_a_gain_where_its_card_stands_between() -> None:
    claim = parse_claim("bf16 on an A100 doubled throughput of bert-large", spec_table())
    assert (claim.precision, claim.reference_precision, claim.speed_up_ratio) == ("bf16_amp", "fp32", 2.0)
