"""Claims of longer or shorter texts on the same cards: both lengths, and whether of tokens, of steps or of memory."""

from __future__ import annotations

import msgspec
import pytest

from advisor.catalogue.precisions import TracePrecision
from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Verdict
from advisor.claims.judge import check_claim
from advisor.claims.predictor import Predictor
from advisor.claims.reading.reader import parse_claim
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Workload
from tests.accuracy.tables import load_table
from tests.claims.judged import assert_readable
from tests.recommend.fakes import machine

READ: list[tuple[str, int, int, float | None, bool | None]] = [
    ("seq 4096 instead of 2048 halves tokens/s", 4096, 2048, 0.5, True),
    ("going from sequence length 512 to 1024 doubles the step time for GPT-2 on an A100", 1024, 512, 0.5, False),
    ("gpt2 on a 3090: seq 512 takes 90 ms per step, seq 1024 takes 190 ms per step", 1024, 512, 90 / 190, False),
    ("Llama 8B LoRA on a 4090: context 2k -> 4k is 20% slower", 4096, 2048, 0.8, None),
    ("with 1024 tokens rather than 512 gpt2 trains 2.1x slower on a 3090", 1024, 512, 1 / 2.1, None),
    ("gpt2 at seq len 256 is 3.5x faster than at seq len 1024", 256, 1024, 3.5, None),
    ("from 8k context to 2k context my tokens per second went up by 40% with llama 8b", 2048, 8192, 1.4, True),
    ("gpt2 序列长度从512提高到1024，每步时间翻倍，3090", 1024, 512, 0.5, False),
    ("3090上GPT-2序列长度2048比1024慢了60%", 2048, 1024, 0.4, None),
    ("gpt2 seq 512: 30k tokens/s, seq 1024: 26k tokens/s on a 3090", 1024, 512, 26 / 30, True),
]


@pytest.mark.parametrize(("text", "after", "before", "ratio", "of_tokens"), READ)
def test_both_lengths_are_read_and_what_the_ratio_is_of(
    text: str, after: int, before: int, ratio: float, of_tokens: bool | None
) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.sequence_length, claim.reference_sequence_length) == (after, before)
    assert claim.speed_up_ratio == pytest.approx(ratio)
    assert claim.ratio_of_tokens is of_tokens


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("going from 512 to 1024 tokens triples memory for gpt2 on a 3090", 3.0),
        ("gpt2: seq 1024 instead of 512 needs 40% more memory", 1.4),
        ("gpt2 序列长度从512改成1024，显存翻倍", 2.0),
    ],
)
def test_memory_of_longer_texts_is_no_speed(text: str, ratio: float) -> None:
    claim = parse_claim(text, spec_table())
    assert claim.memory_ratio == pytest.approx(ratio)
    assert claim.speed_up_ratio is None
    assert (claim.sequence_length, claim.reference_sequence_length) == (1024, 512)


@pytest.mark.parametrize(
    "text",
    [
        "doubling the context length makes gpt2 steps 2.2x slower on a 4090",
        "twice the sequence length, gpt2 on a 4090: 2.2x slower",
        "4090上GPT-2序列长度翻倍之后慢了2.2倍",
    ],
)
def test_texts_that_grew_by_so_many_times_need_no_sizes(text: str) -> None:
    claim = parse_claim(text, spec_table())
    assert claim.length_ratio == 2
    assert claim.speed_up_ratio == pytest.approx(1 / 2.2)


@pytest.mark.parametrize(
    "text",
    [
        "bf16 is 2x as fast as fp32 for gpt2 at seq 1024 on a 3090",
        "gpt2 with 512 tokens: torch.compile gives 1.3x on a 4090",
        "from 2 GPUs to 4 GPUs llama 8b at 2048 context is 1.9x faster",
    ],
)
def test_a_length_that_only_stands_beside_is_no_change(text: str) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.reference_sequence_length, claim.length_ratio) == (None, None)
    assert claim.sequence_length in {512, 1024, 2048}


def _decoder_at_its_length(workload: Workload) -> dict[TracePrecision, OpTable]:
    """A decoder of 410 million parameters, recorded at several lengths, in GPT-2's place."""
    length = workload.data.sequence_length or 0
    return {"half": load_table("pythia_410m", length, "half", "training", fused=True)}


PREDICTOR = Predictor(spec_table(), _decoder_at_its_length, machine(), solves_memory=False)
CLAIM = "gpt2 on an A100 in pure bf16 at batch 16: seq 1024 instead of 512 "


@pytest.mark.parametrize(
    ("told", "verdict", "code"),
    [
        ("halves the steps per second", "plausible", "claim-change-plausible"),
        ("doubles the steps per second", "impossible", "claim-change-impossible"),
        ("makes a step 4x slower", "below_expected", "claim-change-below"),
        ("changed tokens/s by nothing, same throughput", "plausible", "claim-change-plausible"),
        ("halves tokens/s", "below_expected", "claim-change-below"),
    ],
)
def test_a_longer_step_takes_more_time_and_about_as_many_tokens_pass(told: str, verdict: Verdict, code: str) -> None:
    answer = check_claim(CLAIM + told, PREDICTOR)
    assert (answer.verdict, answer.reasons[0].code) == (verdict, code)
    assert_readable(answer)


def test_steps_and_tokens_are_of_one_prediction() -> None:
    of_steps = check_claim(CLAIM + "halves the steps per second", PREDICTOR).expected_ratio
    of_tokens = check_claim(CLAIM + "halves tokens/s", PREDICTOR).expected_ratio
    assert of_steps is not None
    assert of_tokens is not None
    assert of_tokens.value == pytest.approx(2 * of_steps.value)


def test_a_ratio_of_nothing_that_is_named_is_judged_by_what_holds_and_it_is_said() -> None:
    of_steps = check_claim(CLAIM + "is 2x slower", PREDICTOR)
    of_tokens = check_claim(CLAIM + "is no slower, 1.0x", PREDICTOR)
    assert [answer.verdict for answer in (of_steps, of_tokens)] == ["plausible", "plausible"]
    assert [answer.claim.ratio_of_tokens for answer in (of_steps, of_tokens)] == [False, True]
    for answer in (of_steps, of_tokens):
        assert "claim-length-ratio-of" in {reason.code for reason in answer.reasons}
        assert_readable(answer)


def test_a_length_and_a_precision_that_changed_together_are_judged_together() -> None:
    parsed = parse_claim(CLAIM + "halves the steps per second", spec_table())
    both = msgspec.structs.replace(parsed, reference_batch_size=32, batch_size=16)
    answer = check_claim(both, PREDICTOR)
    assert answer.reasons[0].numbers["change"] == "several"
    assert answer.expected_ratio is not None
    assert answer.expected_ratio.value < 1
    assert_readable(answer)
