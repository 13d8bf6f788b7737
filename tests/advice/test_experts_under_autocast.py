"""Autocast leaves the grouped products of experts in 32 bits: the advice tells of weights in 16 and of their gain."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from advisor.advice import advise_events
from advisor.advice.request import AdviceRequest
from advisor.catalogue.precisions import Precision
from advisor.core.drive import drive
from advisor.core.sentences import Reason
from advisor.optable.saved_tables import saved_tables
from advisor.present.one_screen import one_screen
from advisor.recommend.switches import reaching_changes
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import HuggingFaceModel, with_training
from advisor.workload.workload_file import load_workload
from tests.worker.trace.test_trace_experts import MIXTRAL

LARGE = {**MIXTRAL, "hidden_size": 512, "head_dim": 128, "intermediate_size": 2048, "vocab_size": 4096}


@pytest.fixture(scope="module")
def advice(tmp_path_factory: pytest.TempPathFactory) -> AdviceRecord:
    path: Path = tmp_path_factory.mktemp("experts") / "config.json"
    path.write_bytes(msgspec.json.encode(LARGE))
    asked = load_workload(path, overrides={"sequence_length": 512, "batch_size": 8, "precision": "bf16_amp"})
    assert isinstance(asked.model, HuggingFaceModel)
    return drive(advise_events(AdviceRequest(workload=asked, measure=False, gpu_keys=("a100-sxm4-80",), counts=(1,))))


def test_what_autocast_does_not_reach_is_said_with_its_remedy_and_gain(advice: AdviceRecord) -> None:
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.precision == "bf16_amp"
    assert "trace-own-single" in {caveat.code for caveat in advice.caveats}
    (told,) = [switch for switch in advice.switches if switch.kind == "pure_half"]
    assert told.precision == "bf16_true"
    assert told.gain is not None
    assert told.gain.value > 1.2
    words = " ".join(" ".join(one_screen(advice, "en").sections[1].sentences).split())
    assert f"--precision bf16_true; small updates may be rounded away) it would be {told.gain.value:.2f} times" in words


@pytest.mark.parametrize(("precision", "offered"), [("bf16_amp", True), ("bf16", False), ("fp16_amp", False)])
def test_it_is_offered_beside_autocast_in_bf16_alone(advice: AdviceRecord, precision: Precision, offered: bool) -> None:
    chosen = next(one for one in advice.predictions if one.precision == "bf16_amp")
    table = next(iter(saved_tables(load_workload("gpt2_small")).values()))
    keeping = msgspec.structs.replace(table, caveats=(Reason.of("trace-own-single", share_fraction=0.6),))
    asked = with_training(advice.workload, precision=precision)
    beside = msgspec.structs.replace(chosen, precision=precision)
    assert bool(list(reaching_changes(asked, beside, keeping, None))) is offered
    assert not list(reaching_changes(asked, beside, msgspec.structs.replace(table, caveats=()), None))
