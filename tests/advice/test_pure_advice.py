"""From facts to advice is a pure function, needs no torch, and the package's own function gives the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pypdf
import pytest

from advisor import Advice, advise, load_workload
from advisor.advice import AdviceRequest, Facts, advice_from_facts, advise_events
from advisor.core.errors import InputError, OutputError
from advisor.core.sentences import Reason, say
from advisor.measure.events import RunProgress
from advisor.optable.saved_tables import saved_tables
from advisor.present import markdown_file
from advisor.present.markdown_file import escape
from advisor.store import json_file
from advisor.store.advice_record import AdviceRecord
from tests.present.recorded import recorded

ROOT = Path(__file__).resolve().parents[2]


def from_facts(measured: bool) -> AdviceRecord:
    past = recorded()
    workload = load_workload("iris_mlp")
    facts = Facts(
        machine=past.machine,
        tables=saved_tables(workload),
        measurements=past.measurements if measured else (),
    )
    request = AdviceRequest(workload=workload, measure=measured, gpu_keys=("rtx3090",), counts=(1, 2))
    made = advice_from_facts(request, facts)
    return msgspec.structs.replace(made, created_utc=past.created_utc)


@pytest.mark.parametrize("measured", [False, True])
def test_equal_facts_give_equal_bytes(measured: bool) -> None:
    assert json_file.encode(from_facts(measured)) == json_file.encode(from_facts(measured))


def test_a_measured_device_is_predicted_as_measured_and_a_table_card_is_not() -> None:
    advice = from_facts(measured=True)
    basis = {prediction.device.key: prediction.step_s.basis for prediction in advice.predictions}
    assert basis["cpu"] in {"measured", "calibrated"}
    assert basis["rtx3090"] in {"calibrated", "specified"}
    assert "cpu" not in {prediction.device.key for prediction in from_facts(measured=False).predictions}


def test_what_went_wrong_while_measuring_is_told_with_the_advice() -> None:
    past = recorded()
    workload = load_workload("iris_mlp")
    hung = Reason.of("measure-worker-hung", device=past.measurements[0].device_name)
    measurement = msgspec.structs.replace(past.measurements[0], caveats=(hung,))
    facts = Facts(machine=past.machine, tables=saved_tables(workload), measurements=(measurement,))
    request = AdviceRequest(workload=workload, gpu_keys=("rtx3090",), counts=(1,))
    advice = advice_from_facts(request, facts)
    assert advice.caveats.count(hung) == 1
    assert escape(say(hung, "en")) in markdown_file.encode(advice, "en").decode()


@pytest.mark.parametrize("asked", [{"gpu_keys": ("rtx9999",)}, {"interconnect": "rtx9999"}])
def test_an_unknown_card_or_link_is_refused_before_anything_is_measured(asked: dict[str, object]) -> None:
    request = msgspec.structs.replace(AdviceRequest(workload=load_workload("iris_mlp")), **asked)
    with pytest.raises(InputError, match="rtx9999"):
        next(advise_events(request))


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = sys.modules["transformers"] = sys.modules["PySide6"] = None
from tests.advice.test_pure_advice import from_facts
advice = from_facts(True)
assert advice.recommendation is not None
print(advice.recommendation.batch_size_per_device)
"""


def test_advice_from_facts_needs_neither_torch_nor_qt() -> None:
    ended = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_the_package_gives_advice_that_writes_itself(tmp_path: Path) -> None:
    events: list[object] = []
    advice = advise("bert_base_sst2", measure=False, gpus=["rtx3090"], on_event=events.append)
    assert advice.recommendation is not None
    assert advice.recommendation.device.key == "rtx3090"
    assert any(isinstance(event, RunProgress) for event in events)
    assert json.loads(advice.to_json())["recommendation"]["device"]["key"] == "rtx3090"
    assert Advice.of(json_file.decode(advice.to_json().encode(), "itself")) == advice
    advice.to_pdf(tmp_path / "report.pdf")
    advice.to_pdf(str(tmp_path / "bericht.pdf"), language="zh")
    assert pypdf.PdfReader(tmp_path / "report.pdf").metadata is not None
    assert (tmp_path / "bericht.pdf").read_bytes() != (tmp_path / "report.pdf").read_bytes()
    with pytest.raises(OutputError):
        advice.to_pdf(tmp_path / "missing" / "report.pdf")


@pytest.mark.parametrize(("words", "keys"), [("b200", {"b200-sxm"}), ("V100 PCIe", {"v100-pcie-16", "v100-pcie-32"})])
def test_the_package_takes_the_names_of_cards_that_the_command_line_takes(words: str, keys: set[str]) -> None:
    advice = advise("iris_mlp", measure=False, gpus=[words, "rtx3090"])
    assert {one.device.key for one in advice.predictions} == keys | {"rtx3090"}


def test_the_package_refuses_what_it_does_not_know() -> None:
    with pytest.raises(InputError):
        advise("no_such_workload")
    with pytest.raises(InputError, match="rtx9999"):
        advise(load_workload("iris_mlp"), measure=False, gpus=["rtx9999"])
