"""Where only activation checkpointing makes a step fit, it is switched on and said; never against what is fixed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial

import msgspec
import pytest

from advisor.advice import advice_from_facts, rounds
from advisor.advice.facts import Facts, trace_precisions
from advisor.advice.lacking_memory import short_of_memory
from advisor.advice.lightened import lightened_where_needed
from advisor.advice.request import AdviceRequest
from advisor.advice.rounds import Rounds
from advisor.advice.switched import leans_on_host
from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import STRATEGY_FACTS, Strategy
from advisor.core.drive import drive
from advisor.core.sentences import say
from advisor.core.units import Estimate
from advisor.cost.parts import Part
from advisor.measure.traces import Traces
from advisor.optable.saved_tables import saved_tables
from advisor.predict.additions import ADDITIONS, Added, Addition, possible_additions, with_added
from advisor.predict.assembly import predict_candidates
from advisor.predict.prediction import Candidate
from advisor.present.one_screen import one_screen
from advisor.present.script.launch_script import render
from advisor.present.summary import summarise
from advisor.recommend.fixed import Fixed
from advisor.recommend.recommendation import Limits, Recommendation, prediction_of
from advisor.recommend.strategy import WORTH_ACCUMULATING_FRACTION, WORTH_SHARDING
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Workload, traced_as, with_training
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine

GPT2 = load_workload("gpt2_small")


TRACES = Traces()
"""Each lightened workload is traced once for all cards."""


@pytest.fixture(scope="module", autouse=True)
def _worker_ends() -> Iterator[None]:
    yield
    TRACES.close()


def exactly(value: float) -> Estimate:
    return Estimate(low=value, value=value, high=value, basis="specified")


def card(memory_bytes: float) -> GpuSpec:
    return msgspec.structs.replace(spec_table()["rtx4090"], key="small", name="Small", memory_bytes=memory_bytes)


def alone(workload: Workload, spec: GpuSpec) -> AdviceRecord:
    """What is advised on one such card with nothing added."""
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=(spec.key,), extra_specs=(spec,), counts=(1,))
    return advice_from_facts(request, Facts(machine=machine(), tables=saved_tables(workload)))


def answered(workload: Workload, spec: GpuSpec, **more: object) -> AdviceRecord:
    """What is advised on one such card, with the saved operator tables of the workload."""
    request = AdviceRequest(
        workload=workload,
        measure=False,
        gpu_keys=(spec.key,),
        extra_specs=(spec,),
        **{"counts": (1,), **more},  # type: ignore[arg-type]
    )
    facts = Facts(machine=machine(), tables=saved_tables(workload))
    return drive(lightened_where_needed(request, facts, partial(advice_from_facts, request), TRACES))[1]


def least_bytes(workload: Workload) -> float:
    """Memory of the smallest such card on which a step is held without the host's, to a part in a hundred."""
    few, enough = 1e9, 80e9
    while enough / few > 1.01:
        middle = (few * enough) ** 0.5
        held = not leans_on_host(alone(workload, card(middle)))
        few, enough = (few, middle) if held else (middle, enough)
    return enough


@pytest.fixture(scope="module")
def between() -> GpuSpec:
    """A card that holds one sample with recomputed activations, and none without."""
    without, with_it = (least_bytes(with_training(GPT2, activation_checkpointing=how)) for how in ("none", "full"))
    assert with_it < without / 1.02
    return card((without * with_it) ** 0.5)


def test_what_only_checkpointing_makes_fit_is_advised_with_it(between: GpuSpec) -> None:
    advice = answered(GPT2, between)
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.checkpointing_added
    assert not STRATEGY_FACTS[chosen.strategy].offloads
    assert advice.workload.training.activation_checkpointing == "full"
    assert chosen.why[0].code == "why-checkpointing-added"
    assert "with activation checkpointing" in summarise(advice, "en").headline
    assert "激活检查点" in summarise(advice, "zh").headline
    assert "torch.utils.checkpoint" in render(advice)


def test_a_card_that_holds_a_step_only_in_another_precision_than_was_asked_for_lacks_memory(between: GpuSpec) -> None:
    large = card(24e9)
    request = AdviceRequest(workload=GPT2, measure=False, gpu_keys=(large.key,), extra_specs=(large,), counts=(1,))
    found = alone(GPT2, large).predictions
    assert not short_of_memory(request, found, "checkpointing")
    own = GPT2.training.precision
    others = [msgspec.structs.replace(one, fits=one.precision != own) for one in found]
    assert any(one.fits for one in others)
    assert short_of_memory(request, others, "checkpointing") == {(large.key, 1)}
    assert short_of_memory(request, alone(GPT2, between).predictions, "checkpointing") == {(between.key, 1)}


def test_where_a_step_fits_without_it_is_left_off() -> None:
    advice = answered(GPT2, card(24e9))
    assert advice.recommendation is not None
    assert not advice.recommendation.checkpointing_added
    assert advice.workload == GPT2
    assert "checkpointing" not in summarise(advice, "en").headline


@pytest.mark.parametrize(
    "sizes",
    [
        (3.0, 3.8, 5.0, 7.0, 12.0),
        pytest.param(
            (3.0, 3.2, 3.4, 3.6, 3.8, 4.1, 4.4, 4.7, 5.0, 5.5, 6.0, 7.0, 9.0, 12.0), marks=pytest.mark.nightly
        ),
    ],
    ids=["coarse", "fine"],
)
def test_with_more_memory_nothing_is_advised_that_takes_both_more_time_and_more_of_the_cards(
    sizes: tuple[float, ...],
) -> None:
    """Shards of one sample at a time fit the smaller of these cards; recomputed activations make room for more.

    What asks for less of the code may take as much longer as that is worth, and fewer micro-batches a twentieth longer.
    """
    before: list[tuple[int, float, float]] = []
    found: list[bool] = []
    for gigabytes in sizes:
        main = answered(GPT2, card(gigabytes * 1e9), counts=(2, 4)).main
        assert main is not None
        assert main.job_s is not None
        job_s, card_s, effort = main.job_s.value, main.count * main.job_s.value, main.effort_rank
        limits = (
            ((WORTH_SHARDING if effort < rank else 1.0) / WORTH_ACCUMULATING_FRACTION, job, card)
            for rank, job, card in before
        )
        assert not [1 for most, job, card in limits if job_s > most * job and card_s > most * card], main.set_up
        before.append((effort, job_s, card_s))
        found.append(bool(main.added))
    assert found == sorted(found, reverse=True), "what was done without on a smaller card is done without"
    assert set(found) == {True, False}


def test_what_is_slow_for_lack_of_memory_lacks_it() -> None:
    spec = card(24e9)
    request = AdviceRequest(workload=GPT2, measure=False, gpu_keys=(spec.key,), extra_specs=(spec,), counts=(2,))
    own = GPT2.training.batch_size
    found = advice_from_facts(request, Facts(machine=machine(), tables=saved_tables(GPT2))).predictions
    ddp = next(one for one in found if one.strategy == "ddp" and one.precision == GPT2.training.precision)

    def of(
        rate: float, batch_size: int, strategy: Strategy = "ddp", *, fits: bool = True, waiting: float = 0.2
    ) -> object:
        return msgspec.structs.replace(
            ddp,
            strategy=strategy,
            batch_size_per_device=batch_size,
            fits=fits,
            parts=(Part(kind="communication", duration_s=waiting), Part(kind="backward", duration_s=1 - waiting)),
            step_s=exactly(1.0),
            samples_per_s=exactly(rate),
        )

    def lacks(*them: object, addition: Addition = "checkpointing") -> bool:
        return bool(short_of_memory(request, them, addition))  # type: ignore[arg-type] # predictions, each made above

    too_large = of(100, own, fits=False)
    assert lacks(too_large)
    assert not lacks(too_large, of(76, 1)), "a second forward pass costs as much"
    assert lacks(too_large, of(74, 1))
    assert lacks(too_large, of(89, 1), addition="chunked_loss"), "chunks cost little"
    assert not lacks(too_large, of(91, 1), addition="chunked_loss")
    assert not lacks(of(200, 2 * own, fits=False), of(74, 1)), "more samples than asked for are nothing that it lacks"
    assert lacks(too_large, of(200, 1, "fsdp_offload")), "its own memory, not the host's"
    assert not lacks(too_large, of(80, own, "fsdp", waiting=0.49))
    assert lacks(too_large, of(80, own, "fsdp", waiting=0.51))
    assert not lacks(of(80, own, waiting=0.9)), "whole replicas accumulate, which takes no memory"


def test_more_cards_than_hold_a_step_are_short_of_it_and_fewer_are_not() -> None:
    spec = card(24e9)
    request = AdviceRequest(workload=GPT2, measure=False, gpu_keys=(spec.key,), extra_specs=(spec,), counts=(1, 2, 4))
    found = advice_from_facts(request, Facts(machine=machine(), tables=saved_tables(GPT2))).predictions

    def short(*holding: int, everywhere: bool = False) -> set[int]:
        them = [msgspec.structs.replace(one, fits=one.count in holding) for one in found]
        return {count for _key, count in short_of_memory(request, them, "checkpointing", everywhere=everywhere)}

    assert short(1, 2, 4) == set()
    assert short(4) == set(), "fewer cards hold less"
    assert short(2) == {4}, "replicas of two cards fit, and with the buffers of four they do not"
    assert short() == {1, 2, 4}
    assert short(4, everywhere=True) == {1, 2}


def test_where_it_does_not_help_enough_the_answer_is_as_it_was() -> None:
    advice = answered(GPT2, card(0.6e9))
    assert advice.workload == GPT2
    assert advice.recommendation is None or not advice.recommendation.checkpointing_added


@pytest.mark.parametrize(
    ("changes", "fixed"),
    [
        ({}, Fixed(checkpointing=True)),
        ({"mode": "inference"}, Fixed()),
    ],
)
def test_what_the_user_asked_for_is_kept(between: GpuSpec, changes: dict[str, object], fixed: Fixed) -> None:
    workload = with_training(GPT2, **changes)
    advice = answered(workload, between, fixed=fixed)
    added = () if advice.recommendation is None else advice.recommendation.added
    assert "checkpointing" not in added
    assert advice.workload == with_added(workload, added)


def _added(chosen: Recommendation) -> Added:
    return tuple(one for one in ADDITIONS if getattr(chosen, f"{one}_added"))


def test_where_nothing_can_be_recommended_off_loading_that_was_asked_for_is_kept_beside_it() -> None:
    asked = with_training(GPT2, offload="optimizer")
    found = []
    for gigabytes in (1.5, 2, 2.5, 3, 3.5, 4, 5, 6):
        without = alone(asked, card(gigabytes * 1e9))
        plain = prediction_of(without.predictions, without.recommendation)
        advice = answered(asked, card(gigabytes * 1e9))
        chosen = advice.recommendation
        if plain is not None and plain.holds_plainly and not plain.likely_runs_out:
            assert advice.workload == asked, "what a card holds as it was asked for is left so"
        elif chosen is not None:
            assert _added(chosen)
            why = f"why-{_added(chosen)[0].replace('_', '-')}"
            assert chosen.why[0].code in {f"{why}-added", f"{why}-room"}
            assert advice.workload == with_added(asked, chosen.added)
            assert advice.workload.training.offload == "optimizer"
            found.append(gigabytes)
    assert found, "there are cards that hold a step only with both"


def test_where_what_holds_a_step_passes_a_limit_fewer_cards_are_advised_with_it(between: GpuSpec) -> None:
    watts = between.power_w
    assert watts is not None
    one_card = Limits(max_power_w=1.5 * watts)
    asked: dict[str, object] = {"counts": (1, 2, 4, 8), "host_memory_bytes": 1e8}
    without = Fixed(checkpointing=True)
    several = answered(GPT2, between, **asked, fixed=without).recommendation
    assert several is not None
    assert several.count > 1
    assert answered(GPT2, between, **asked, fixed=without, limits=one_card).recommendation is None
    chosen = answered(GPT2, between, **asked, limits=one_card).recommendation
    assert chosen is not None
    assert chosen.count == 1
    assert chosen.why[0].code == "why-checkpointing-added"


CONFIG = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 256, "num_hidden_layers": 8,
          "num_attention_heads": 4, "intermediate_size": 512, "vocab_size": 128_000}  # fmt: skip
OF_MANY_WORDS = load_workload(
    {
        "name": "many words",
        "model": {"source": "huggingface", "config": CONFIG, "task": "causal-lm"},
        "data": {"samples": 1000, "sequence_length": 4096},
        "training": {"batch_size": 1, "precision": "bf16", "activation_checkpointing": "full"},
    }
)


def compared(workload: Workload, *specs: GpuSpec, **more: object) -> AdviceRecord:
    """What is advised among these cards, one of each or as many as are asked for."""
    request = AdviceRequest(
        workload=workload,
        measure=False,
        gpu_keys=tuple(spec.key for spec in specs),
        extra_specs=specs,
        **{"counts": (1,), **more},  # type: ignore[arg-type]
    )
    own = TRACES.known(workload, ()) or drive(TRACES.make(workload, trace_precisions(request)))
    facts = Facts(machine=machine(), tables=own)
    return drive(lightened_where_needed(request, facts, partial(advice_from_facts, request), TRACES))[1]


def test_a_card_that_lacks_memory_is_compared_with_what_frees_some_not_with_its_hosts(between: GpuSpec) -> None:
    large = msgspec.structs.replace(card(48e9), key="large", name="Large")
    advice = compared(GPT2, between, large)
    assert advice.recommendation is not None
    assert advice.recommendation.device.key == "large"
    assert advice.workload == GPT2
    shown = {advice.predictions[place].device.key: advice.predictions[place] for place in advice.best_set_ups}
    assert shown["small"].added[0] == "checkpointing"
    assert not STRATEGY_FACTS[shown["small"].strategy].offloads
    assert shown["large"].added == ()
    told = [reason for reason in advice.reasons if reason.code == "added-elsewhere"]
    assert tuple(reason.numbers["added"] for reason in told) == shown["small"].added
    assert all("Small" in say(reason, "en") for reason in told)
    assert "¹ with activation checkpointing" in one_screen(advice, "en").tables[0].title


def test_where_the_logits_are_too_large_the_loss_is_computed_in_chunks() -> None:
    """Of 128,000 words the logits of one sample of 4,096 tokens are most of a small model's step."""
    enough = compared(OF_MANY_WORDS, card(48e9))
    assert enough.recommendation is not None
    assert enough.recommendation.added == ()
    needs = [one.peak_memory_bytes for one in enough.predictions if one.device.key == "small"]
    advice = compared(OF_MANY_WORDS, card(0.75 * min(need.value for need in needs if need is not None)))
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.added == ("chunked_loss",)
    assert not STRATEGY_FACTS[chosen.strategy].offloads
    assert chosen.why[0].code == "why-chunked-loss-added"
    assert advice.workload == with_training(OF_MANY_WORDS, chunked_loss=True)
    assert "with the loss in chunks" in summarise(advice, "en").headline
    assert "分块计算损失" in summarise(advice, "zh").headline


@pytest.mark.parametrize("workload", [with_training(GPT2, activation_checkpointing="full"), GPT2])
def test_what_can_be_added_is_what_the_workload_lacks_and_takes(workload: Workload) -> None:
    added = list(possible_additions(workload, keep_checkpointing=False))
    lacks = workload.training.activation_checkpointing == "none"
    plain: list[Added] = [("checkpointing",), ("checkpointing", "chunked_loss")] if lacks else [("chunked_loss",)]
    each: list[Added] = [one for without in plain for one in (without, ("fused_optimizer", *without))]
    assert added == [("fused_optimizer",), *each]
    kept = list(possible_additions(workload, keep_checkpointing=True))
    assert kept == [("fused_optimizer",), ("chunked_loss",), ("fused_optimizer", "chunked_loss")]
    for one in added:
        assert (traced_as(with_added(workload, one)) == traced_as(workload)) is (one == ("fused_optimizer",))


def test_no_loss_in_chunks_is_added_to_pictures_without_a_loss_over_words() -> None:
    added = list(possible_additions(load_workload("resnet50"), keep_checkpointing=False))
    assert added == [("fused_optimizer",), ("checkpointing",), ("fused_optimizer", "checkpointing")]
    assert not list(possible_additions(with_training(GPT2, mode="inference"), keep_checkpointing=False))


def test_what_was_predicted_is_not_predicted_again_with_what_frees_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three answers one after the other, of which each knows the rounds of the ones before."""
    asked: Counter[tuple[object, ...]] = Counter()

    def counted(candidates: tuple[Candidate, ...], *rest: object) -> object:
        asked.update(candidate.set_up for candidate in candidates)
        return predict_candidates(candidates, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(rounds, "predict_candidates", counted)
    workload = load_workload("gpt2_small")
    card = msgspec.structs.replace(spec_table()["rtx4090"], key="small", name="Small", memory_bytes=4e9)
    request = AdviceRequest(
        workload=workload, measure=False, gpu_keys=("small",), extra_specs=(card,), counts=(1, 2, 4)
    )
    facts = Facts(machine=machine(), tables=saved_tables(workload))
    kept: Rounds = {}
    answers: list[AdviceRecord] = []

    def answer(facts: Facts) -> AdviceRecord:
        answers.append(advice_from_facts(request, facts, kept))
        return answers[-1]

    facts, advice = drive(lightened_where_needed(request, facts, answer, TRACES))
    assert len(answers) == 1 + len(facts.lighter) > 3
    assert set(asked.values()) == {1}
    anew = advice_from_facts(request, facts)
    assert anew.predictions == advice.predictions
    assert (anew.recommendation, anew.best_set_ups) == (advice.recommendation, advice.best_set_ups)
