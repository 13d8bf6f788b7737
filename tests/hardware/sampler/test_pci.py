"""Graphics devices from the kernel's own listing: sleeping NVIDIA cards, AMD and Intel ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.core.child_process import ChildProcess
from advisor.hardware.sampler import observation
from advisor.hardware.sampler.pci import NvidiaPresence, find_other_gpus, nvidia_presence
from advisor.hardware.sampler_messages import DriverState, Event, Observe

GIB = 2**30


def device(root: Path, address: str, files: dict[str, str]) -> Path:
    folder = root / "sys" / "bus" / "pci" / "devices" / address
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    return root


def test_sleeping_nvidia_cards_are_counted_without_waking_them(tmp_path: Path) -> None:
    device(tmp_path, "0000:01:00.0", {"vendor": "0x10de", "class": "0x030200", "power/runtime_status": "suspended"})
    device(tmp_path, "0000:02:00.0", {"vendor": "0x10de", "class": "0x030000", "power/runtime_status": "active"})
    device(tmp_path, "0000:02:00.1", {"vendor": "0x10de", "class": "0x040300", "power/runtime_status": "suspended"})
    assert nvidia_presence(tmp_path) == NvidiaPresence(device_count=2, asleep_count=1)


def test_a_sleeping_card_is_not_woken_for_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observation, "nvidia_presence", lambda: NvidiaPresence(device_count=1, asleep_count=1))

    def no_driver(**_: object) -> None:
        pytest.fail("the driver was asked")

    monkeypatch.setattr(observation, "Nvml", no_driver)
    events: list[Event] = []
    observed = observation.Observation(events.append)
    observed.change(Observe(interval_s=0.01))
    observed.take()
    assert [event.problem.code for event in events if isinstance(event, DriverState) and event.problem] == [
        "driver-gpu-asleep"
    ]


def test_an_amd_card_is_found_with_what_the_kernel_tells(tmp_path: Path) -> None:
    device(
        tmp_path,
        "0000:03:00.0",
        {
            "vendor": "0x1002",
            "class": "0x038000",
            "device": "0x74a1",
            "product_name": "AMD Instinct MI300X",
            "unique_id": "abc123",
            "mem_info_vram_total": str(192 * GIB),
            "mem_info_vram_used": str(GIB),
            "current_link_width": "16",
            "hwmon/hwmon3/power1_average": "140000000",
            "hwmon/hwmon3/power1_cap": "750000000",
            "hwmon/hwmon3/temp1_input": "41000",
        },
    )
    (gpu,) = find_other_gpus(tmp_path)
    assert (gpu.vendor, gpu.name, gpu.uuid) == ("amd", "AMD Instinct MI300X", "AMD-abc123")
    assert (gpu.memory_total_bytes, gpu.memory_free_bytes) == (192 * GIB, 191 * GIB)
    assert (gpu.power_w, gpu.power_limit_w, gpu.temperature_celsius, gpu.pcie_width) == (140.0, 750.0, 41.0, 16)
    assert gpu.refusals == ()


def test_what_an_amd_card_does_not_tell_is_unknown_with_a_reason(tmp_path: Path) -> None:
    files = {"vendor": "0x1002", "class": "0x030000", "device": "0x744c", "mem_info_vram_total": str(24 * GIB)}
    (gpu,) = find_other_gpus(device(tmp_path, "0000:03:00.0", files))
    assert gpu.name == "AMD GPU 0x744c"
    assert {refusal.field for refusal in gpu.refusals} == {
        "memory_free_bytes",
        "power_w",
        "power_limit_w",
        "temperature_celsius",
    }


def test_an_intel_card_counts_only_with_memory_of_its_own(tmp_path: Path) -> None:
    device(tmp_path, "0000:00:02.0", {"vendor": "0x8086", "class": "0x030000", "device": "0x9a49"})
    card = {"vendor": "0x8086", "class": "0x030000", "device": "0x56a0", "drm/card1/lmem_total_bytes": str(16 * GIB)}
    device(tmp_path, "0000:04:00.0", card)
    (gpu,) = find_other_gpus(tmp_path)
    assert (gpu.vendor, gpu.memory_total_bytes, gpu.power_w) == ("intel", 16 * GIB, None)


def test_a_system_without_a_listing_has_no_cards(tmp_path: Path) -> None:
    assert nvidia_presence(tmp_path) == NvidiaPresence(0, 0)
    assert find_other_gpus(tmp_path) == ()


def test_the_sampler_ends_by_itself_when_its_input_ends() -> None:
    child = ChildProcess("advisor.hardware.sampler")
    assert child.process.stdin is not None
    child.process.stdin.close()
    assert child.next_line(20.0) is None
    assert child.process.wait(20.0) == 0
    child.close()
