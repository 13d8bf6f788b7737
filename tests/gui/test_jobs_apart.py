"""Work in a process of its own: its result is whole, its refusals are said, its death is told, its end is quick."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from advisor.core.errors import UserFacingError
from advisor.core.sentences import SaidError, error_text
from advisor.gui.jobs import apart as rooms_apart
from advisor.gui.jobs.apart import BrokenChildError, apart
from advisor.gui.jobs.asks import AdviseAsk, ClaimAsk, DetectAsk, TraceAsk
from advisor.gui.jobs.lines import Pieces, read_line, result_lines
from advisor.gui.threads import Crew, Outcome, Stop
from advisor.hardware.machine import Machine
from advisor.optable.op_table import OpTable
from advisor.workload.workload import PythonModel
from advisor.workload.workload_file import load_workload
from tests.gui import fakes

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.core.child_process import ChildProcess


def value_of(job: Generator[object, None, object]) -> object:
    while True:
        try:
            next(job)
        except StopIteration as end:
            return end.value


def test_an_advice_comes_whole_out_of_its_pieces() -> None:
    advice, pieces, whole = fakes.advice(), Pieces(), None
    lines = list(result_lines(advice))
    assert len(lines) > 10
    for line in lines:
        name, value = read_line(line)
        if not pieces.take(name, value):
            whole = pieces.whole(value)
    assert whole == advice


def test_the_machine_is_looked_at_and_a_bundled_model_traced_in_a_child() -> None:
    assert isinstance(value_of(apart(DetectAsk)(threading.Event())), Machine)
    workload = load_workload("bert_base_sst2")
    table = value_of(apart(lambda: TraceAsk(workload=workload))(threading.Event()))
    assert isinstance(table, OpTable)
    assert table.parameter_count == pytest.approx(109.5e6, rel=0.01)


def test_what_the_child_refuses_is_said_as_if_it_were_here() -> None:
    with pytest.raises(UserFacingError) as refused:
        value_of(apart(lambda: ClaimAsk(text="nothing of the kind"))(threading.Event()))
    assert refused.value.text
    workload = load_workload("iris_mlp")
    ask = AdviseAsk(workload=workload, measure=False, budget_s=5, gpu_keys=("no_such_card",))
    with pytest.raises(UserFacingError, match="no_such_card"):
        value_of(apart(lambda: ask)(threading.Event()))


def test_a_refusal_without_a_remedy_keeps_its_sentences(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text("build_model = 1\n")
    ask = TraceAsk(workload=msgspec.structs.replace(load_workload("iris_mlp"), model=PythonModel(file=str(file))))
    with pytest.raises(SaidError) as refused:
        value_of(apart(lambda: ask)(threading.Event()))
    assert refused.value.remedy_reason is None
    assert error_text(refused.value, "zh")[0] != refused.value.text


def test_a_killed_child_is_told_as_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    relay = rooms_apart._relay

    def killed(child: ChildProcess, cancelled: threading.Event) -> Generator[object, None, object]:
        child.process.kill()
        return (yield from relay(child, cancelled))

    monkeypatch.setattr(rooms_apart, "_relay", killed)
    with pytest.raises(SaidError, match="was killed"):
        value_of(apart(DetectAsk)(threading.Event()))


def test_a_fault_of_the_child_comes_with_its_traceback() -> None:
    def ask() -> TraceAsk:
        return TraceAsk(workload=fakes.workload())

    broken = BrokenChildError("ValueError: x", "Traceback …")
    assert (str(broken), broken.detail) == ("ValueError: x", "Traceback …")
    assert isinstance(value_of(apart(ask)(threading.Event())), OpTable)


def test_nobody_waits_for_the_answer_of_a_closed_window(qtbot: QtBot) -> None:
    del qtbot
    workload = load_workload("bert_base_sst2")
    crew, ended = Crew(), list[Outcome]()
    crew.start(apart(lambda: AdviseAsk(workload=workload, measure=True, budget_s=60)), ended.append)
    time.sleep(0.5)
    assert crew.close(20.0)
    assert ended == []


def test_a_stop_is_an_event_that_knows_whether_anyone_waits() -> None:
    stop = Stop()
    assert (stop.is_set(), stop.at_once) == (False, False)
