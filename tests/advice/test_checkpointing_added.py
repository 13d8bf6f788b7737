"""Where only activation checkpointing makes a step fit, it is switched on and said; never against what is fixed."""

from __future__ import annotations

import threading

import msgspec
import pytest

from advisor.advice import advice_from_facts, advise_events
from advisor.advice.checkpointed import Answered, checkpointed_where_needed, leans_on_host
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.drive import drive
from advisor.measure.runner import trace_workload
from advisor.optable.saved_tables import saved_tables
from advisor.present.script.launch_script import render
from advisor.present.summary import summarise
from advisor.recommend.fixed import Fixed
from advisor.recommend.recommendation import Limits
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Workload, traced_as, with_training
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine

GPT2 = load_workload("gpt2_small")


def card(memory_bytes: float) -> GpuSpec:
    return msgspec.structs.replace(spec_table()["rtx4090"], key="small", name="Small", memory_bytes=memory_bytes)


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
    asked = Answered(request, facts, advice_from_facts(request, facts))
    return drive(checkpointed_where_needed(asked, advice_from_facts, threading.Event())).advice


def least_bytes(workload: Workload) -> float:
    """Memory of the smallest such card on which a step is held without the host's, to a part in a hundred."""
    few, enough = 1e9, 80e9
    while enough / few > 1.01:
        middle = (few * enough) ** 0.5
        held = not leans_on_host(answered(workload, card(middle), fixed=Fixed(checkpointing=True)))
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


def test_where_a_step_fits_without_it_is_left_off() -> None:
    advice = answered(GPT2, card(24e9))
    assert advice.recommendation is not None
    assert not advice.recommendation.checkpointing_added
    assert advice.workload == GPT2
    assert "checkpointing" not in summarise(advice, "en").headline


def test_where_it_does_not_help_enough_the_answer_is_as_it_was() -> None:
    advice = answered(GPT2, card(1.5e9))
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
    assert advice.workload == workload
    assert advice.recommendation is None or not advice.recommendation.checkpointing_added


def test_where_nothing_can_be_recommended_off_loading_that_was_asked_for_is_kept_beside_it() -> None:
    asked = with_training(GPT2, offload="optimizer")
    found = []
    for gigabytes in (1.5, 2, 2.5, 3, 3.5, 4, 5, 6):
        plain = answered(asked, card(gigabytes * 1e9), fixed=Fixed(checkpointing=True))
        advice = answered(asked, card(gigabytes * 1e9))
        chosen = advice.recommendation
        if plain.recommendation is not None:
            assert advice.workload == asked, "what can be recommended is left as it was asked for"
        elif chosen is not None:
            assert chosen.checkpointing_added
            assert chosen.why[0].code == "why-checkpointing-added-else-nothing"
            assert advice.workload == with_training(asked, activation_checkpointing="full")
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
    assert chosen.why[0].code == "why-checkpointing-added-else-nothing"


def test_what_was_traced_in_vain_is_not_traced_again(monkeypatch: pytest.MonkeyPatch) -> None:
    config = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
              "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 256}  # fmt: skip
    model = {"source": "huggingface", "config": config, "task": "causal-lm"}
    training = {"batch_size": 2, "precision": "fp32"}
    workload = load_workload(
        {"name": "small", "model": model, "data": {"samples": 100, "sequence_length": 32}, "training": training}
    )
    traced: list[bytes] = []

    def counting(described: Workload, *args: object, **kwargs: object) -> object:
        traced.append(traced_as(described))
        return trace_workload(described, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr("advisor.measure.runner.trace_workload", counting)
    tiny = card(1e8)
    request = AdviceRequest(
        workload=workload, measure=False, gpu_keys=(tiny.key,), extra_specs=(tiny,), counts=(1,), precisions=("fp32",)
    )
    advice = drive(advise_events(request))
    assert leans_on_host(advice)
    assert traced_as(with_training(workload, activation_checkpointing="full")) in traced
    assert len(traced) == len(set(traced))
