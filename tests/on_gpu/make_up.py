"""Writes a recording that no machine made: `python -m tests.on_gpu.make_up FILE`. It says so, and is only a test's."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from advisor.catalogue.spec_table import spec_table
from advisor.hardware.machine import GpuReading, Machine, Reading
from advisor.protocol.messages import Environment
from tests.on_gpu.recording import Happening, LeftOut, RateSeen, Recording, SmiCard, StepSeen, write_recording

ROOT = Path(__file__).resolve().parents[2]
MACHINE = ROOT / "tests" / "recorded" / "machines" / "synthetic_rtx3090_x1.json"
_OF_PEAK = 0.7
"""Share of the data sheet's peak that the pretended card reaches, and every figure here follows from."""
_STEPS_S = {"iris_mlp": 0.0004, "resnet50": 0.110, "bert_base_sst2": 0.052, "gpt2_small": 0.170}
"""Pretended, rounded by hand: nobody measured these."""


def made_up() -> Recording:
    """A recording of the shape that a real one has."""
    machine = msgspec.json.decode(MACHINE.read_bytes(), type=Machine)
    (gpu,) = machine.gpus
    return Recording(
        made_up=True,
        created_utc="2026-01-01T00:00:00+00:00",
        advisor_version="0.1.0",
        machine=machine,
        environment=Environment(
            torch="2.11.0+cu130",
            torch_cuda="13.0",
            arch_list=("sm_86",),
            device_name=gpu.name,
            device_uuid=gpu.uuid,
            thread_count=1,
        ),
        smi=(
            SmiCard(
                uuid=gpu.uuid or "",
                name=gpu.name,
                driver=machine.software.driver or "",
                memory_total_bytes=gpu.memory_total_bytes,
                power_limit_w=gpu.power_limit_w,
                sm_clock_max_hz=gpu.sm_clock_max_hz,
                temperature_celsius=None,
                pcie_generation=gpu.pcie_generation,
                pcie_width=gpu.pcie_width,
            ),
        ),
        readings=tuple(
            Reading(
                monotonic_s=0.1 * number,
                gpus=(GpuReading(uuid=gpu.uuid, index=0, utilisation_fraction=0.97, memory_used_bytes=9_000_000_000),),
            )
            for number in range(10)
        ),
        rates=_rates(gpu.spec_key or ""),
        steps=tuple(_step(name, seconds) for name, seconds in _STEPS_S.items()),
        happenings=(Happening(name="out_of_memory", facts={"ok_small_kept": True, "ok_next_trains": True}),),
        left_out=(LeftOut(name="ranks-2", why="needs 2 cards"),),
        duration_s=400.0,
    )


def _rates(key: str) -> tuple[RateSeen, ...]:
    spec, side, count = spec_table()[key], 4096, 1 << 26
    flop, moved = 2.0 * side**3, 12.0 * count
    assert spec.fp32_flop_per_s is not None
    assert spec.memory_bandwidth_bytes_per_s is not None
    return (
        RateSeen(
            kind="matmul",
            precision="fp32",
            median_s=flop / (_OF_PEAK * spec.fp32_flop_per_s),
            figures={"m": side, "k": side, "n": side, "flop": flop},
        ),
        RateSeen(
            kind="elementwise",
            precision="fp32",
            median_s=moved / (_OF_PEAK * spec.memory_bandwidth_bytes_per_s),
            figures={"count": count, "bytes": moved},
        ),
    )


def _step(name: str, seconds: float) -> StepSeen:
    return StepSeen(
        workload=name,
        precision="fp32",
        batch_size=16,
        mode="training",
        wall_s=(seconds,) * 9,
        device_s=(0.99 * seconds,) * 9,
        step_counts=(8,) * 9,
        median_s=seconds,
        peak_allocated_bytes=3_000_000_000,
        peak_reserved_bytes=3_500_000_000,
        verdict="stable",
    )


if __name__ == "__main__":
    write_recording(Path(sys.argv[1]), made_up())
