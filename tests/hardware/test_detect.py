"""Detection through the real pynvml and a real child process, against a driver of every kind of trouble."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from advisor.core.child_process import ChildProcess
from advisor.core.sentences import say
from advisor.hardware.detect import detect_machine
from advisor.hardware.machine import Gpu, Machine
from tests.fake_nvml.stub import GIVEN_SCENARIOS, NvmlStub
from tests.leftovers import leftovers, needs_proc

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.needs_compiler

NAMED = {
    "container_lost": {"driver-error", "driver-container-lost-gpu"},
    "crash": {"driver-call-crashed"},
    "driver_not_loaded": {"driver-not-loaded"},
    "jetson": {"gpu-unified-memory"},
    "lost": {"gpu-lost"},
    "lost_at_handle": {"gpu-lost"},
    "mig": {"gpu-mig"},
    "mismatch": {"driver-mismatch"},
    "no_permission": {"driver-no-permission"},
    "vgpu": {"gpu-shared-by-others"},
    "zero_gpus": {"driver-no-gpus"},
}
"""The notice that names what is wrong in a scenario; one of those given is enough."""

OPTIONAL_FIELDS = (
    "compute_capability",
    "memory_total_bytes",
    "memory_free_bytes",
    "memory_reserved_bytes",
    "sm_clock_hz",
    "sm_clock_max_hz",
    "sm_clock_default_hz",
    "memory_clock_hz",
    "power_w",
    "power_limit_w",
    "temperature_celsius",
    "pcie_generation",
    "pcie_width",
    "pcie_bus",
    "nvlink_count",
    "compute_mode",
    "virtualisation",
    "mig_enabled",
)


def unexplained(gpu: Gpu) -> list[str]:
    """Fields that are None without a reason; a GPU without a handle refuses as a whole."""
    if gpu.unusable_reason is not None and gpu.uuid is None:
        return []
    refused = {refusal.field for refusal in gpu.refusals}
    return [field for field in OPTIONAL_FIELDS if getattr(gpu, field) is None and field not in refused]


def detect(stub: NvmlStub, scenario: str | Path, *, old: bool = False) -> Machine:
    stub.use(scenario, old=old)
    return detect_machine()


@pytest.mark.parametrize("scenario", GIVEN_SCENARIOS)
def test_every_scenario_gives_a_machine_that_names_what_is_wrong(nvml_stub: NvmlStub, scenario: str) -> None:
    machine = detect(nvml_stub, scenario)
    codes = {notice.code for notice in machine.notices}
    assert scenario not in NAMED or codes & NAMED[scenario]
    assert all(say(notice, language) for notice in machine.notices for language in ("en", "zh"))
    assert machine.cpu.usable_core_count >= 1
    assert machine.memory.total_bytes > 0


@pytest.mark.parametrize("scenario", GIVEN_SCENARIOS)
@pytest.mark.parametrize("old", [False, True], ids=["current", "old"])
def test_every_unknown_field_has_its_reason(nvml_stub: NvmlStub, scenario: str, *, old: bool) -> None:
    machine = detect(nvml_stub, scenario, old=old)
    assert {gpu.index: unexplained(gpu) for gpu in machine.gpus} == {gpu.index: [] for gpu in machine.gpus}
    for gpu in machine.gpus:
        assert all(say(refusal.reason, "en") for refusal in gpu.refusals)


def test_eight_a100_are_found_with_their_figures(nvml_stub: NvmlStub) -> None:
    machine = detect(nvml_stub, "a100_8")
    assert [gpu.spec_key for gpu in machine.gpus] == ["a100-sxm4-80"] * 8
    first = machine.gpus[0]
    assert first.uuid == "GPU-aaaaaaaa-0000-4000-8000-000000000000"
    assert (first.memory_total_bytes, first.memory_free_bytes) == (80 * 2**30, (81920 - 450) * 2**20)
    assert (first.sm_clock_max_hz, first.sm_clock_default_hz, first.power_limit_w) == (1.41e9, 1.275e9, 400.0)
    assert (first.compute_capability, first.pcie_generation, first.pcie_width) == ("8.0", 4, 16)
    assert (machine.software.driver, machine.software.cuda_driver) == ("550.54.15", "12.4")
    assert len(machine.links) == 28
    assert {link.kind for link in machine.links} == {"nvswitch"}


def test_a_lost_gpu_is_unusable_and_the_others_go_on(nvml_stub: NvmlStub) -> None:
    first, second = detect(nvml_stub, "lost").gpus
    assert (first.usable, first.power_w) == (True, 50.0)
    assert not second.usable
    assert second.unusable_reason is not None
    assert second.unusable_reason.code == "refused-gpu-lost"
    handle_lost, other = detect(nvml_stub, "lost_at_handle").gpus
    assert not handle_lost.usable
    assert other.usable


def test_a_null_handle_is_never_passed_on(nvml_stub: NvmlStub) -> None:
    broken, sound = detect(nvml_stub, "null_handle").gpus
    assert not broken.usable
    assert sound.spec_key == "l40s"


def test_a_mig_card_lists_its_instances(nvml_stub: NvmlStub) -> None:
    (gpu,) = detect(nvml_stub, "mig").gpus
    assert gpu.mig_enabled
    assert [instance.memory_total_bytes for instance in gpu.mig_instances] == [4864 * 2**20, 9856 * 2**20]


def test_a_jetson_shares_the_memory_of_the_host(nvml_stub: NvmlStub) -> None:
    machine = detect(nvml_stub, "jetson")
    (gpu,) = machine.gpus
    assert gpu.unified_memory
    assert (gpu.memory_total_bytes, gpu.power_w) == (machine.memory.total_bytes, None)


def test_a_function_that_crashes_costs_only_its_own_field(nvml_stub: NvmlStub) -> None:
    (gpu,) = detect(nvml_stub, "crash").gpus
    assert (gpu.spec_key, gpu.power_limit_w, gpu.power_w) == ("a6000", 250.0, None)
    (refusal,) = (refusal for refusal in gpu.refusals if refusal.field == "power_w")
    assert refusal.reason.code == "refused-driver-crashed"


def test_a_function_that_hangs_costs_only_its_own_field(nvml_stub: NvmlStub, tmp_path: Path) -> None:
    scenario = tmp_path / "hang.txt"
    scenario.write_text("dev\nname NVIDIA L4\ncc 8.9\nmem 23034 1\nhang nvmlDeviceGetTemperature 60000\n")
    machine = detect(nvml_stub, scenario)
    (gpu,) = machine.gpus
    assert (gpu.spec_key, gpu.temperature_celsius) == ("l4", None)
    assert machine.notices[0].code == "driver-call-hung"


def test_a_driver_that_hangs_at_its_start_is_given_up_at_the_deadline(nvml_stub: NvmlStub) -> None:
    nvml_stub.use("init_hang")
    machine = detect_machine(timeout_s=1.0)
    assert machine.gpus == ()
    assert machine.notices[0].code == "driver-not-responding"
    assert machine.cpu.logical_core_count


def test_the_drivers_time_begins_when_it_is_asked(nvml_stub: NvmlStub, monkeypatch: pytest.MonkeyPatch) -> None:
    real, waits = ChildProcess.next_line, list[float]()

    def noted(child: ChildProcess, timeout_s: float) -> bytes | None:
        waits.append(timeout_s)
        return real(child, timeout_s)

    monkeypatch.setattr(ChildProcess, "next_line", noted)
    nvml_stub.use("init_hang")
    assert detect_machine(timeout_s=1.0).notices[0].code == "driver-not-responding"
    assert waits[0] > 29.0  # a busy machine may take long to start the sampler
    assert waits[-1] <= 1.0


def test_names_that_are_no_text_or_hold_control_characters_are_harmless(nvml_stub: NvmlStub) -> None:
    first, second = detect(nvml_stub, "undecodable").gpus
    assert first.name == "unknown NVIDIA GPU"
    assert any(refusal.reason.code == "refused-undecodable" for refusal in first.refusals)
    assert second.name == "[31m<h1>RTX</h1>"


def test_nonsensical_figures_are_unknown_and_never_zero(nvml_stub: NvmlStub) -> None:
    first, second = detect(nvml_stub, "nonsense").gpus
    assert (first.memory_total_bytes, first.power_w, first.power_limit_w, first.sm_clock_max_hz) == (None,) * 4
    assert second.memory_free_bytes is None


def test_a_busy_card_in_exclusive_mode_names_the_process(nvml_stub: NvmlStub) -> None:
    machine = detect(nvml_stub, "exclusive_busy")
    exclusive, prohibited = machine.gpus
    assert exclusive.processes[0].pid == 4242
    assert not prohibited.usable
    notice = next(notice for notice in machine.notices if notice.code == "gpu-in-use-exclusive")
    assert "4242" in say(notice, "en")


def test_a_laptop_card_never_takes_the_row_of_the_desktop_one(nvml_stub: NvmlStub) -> None:
    machine = detect(nvml_stub, "throttle")
    assert machine.gpus[0].spec_key == "rtx4090-laptop"
    assert "gpu-unknown-card" not in {notice.code for notice in machine.notices}


def test_a_hidden_gpu_is_marked_and_the_variable_stays(nvml_stub: NvmlStub, monkeypatch: pytest.MonkeyPatch) -> None:
    nvml_stub.use("a100_8")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,3")
    machine = detect_machine()
    assert [gpu.index for gpu in machine.gpus if not gpu.hidden_from_cuda] == [0, 3]
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "0,3"


def test_an_old_driver_costs_what_it_does_not_know_and_nothing_else(nvml_stub: NvmlStub) -> None:
    gpu = detect(nvml_stub, "sm120", old=True).gpus[0]
    assert (gpu.memory_total_bytes, gpu.memory_reserved_bytes) == (32607 * 2**20, None)
    assert (gpu.nvlink_count, gpu.mig_enabled) == (None, None)
    assert gpu.power_w == 50.0


def test_what_only_an_older_function_tells_is_asked_of_it(nvml_stub: NvmlStub) -> None:
    gpu = detect(nvml_stub, "exclusive_busy", old=True).gpus[0]  # it lacks the third version of process lists
    assert [process.pid for process in gpu.processes] == [4242]


@needs_proc
def test_no_child_thread_or_descriptor_is_left_after_detection(nvml_stub: NvmlStub) -> None:
    nvml_stub.use("crash")
    before = leftovers()
    detect_machine()
    assert leftovers() == before
