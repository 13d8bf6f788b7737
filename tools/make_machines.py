"""Writes the recorded machines of tests/recorded/machines: what `advisor --detect --json` gives, real or synthetic.

`python tools/make_machines.py` writes the synthetic ones: cards of the spec table in invented hosts, hosts of
particular kinds, and the NVML stub's scenarios (these need a C compiler and make). `--record NAME` records the
machine it runs on as real_NAME.json. Synthetic files say so in their name; nothing measured comes from them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import Reason
from advisor.hardware.detect import detect_machine
from advisor.hardware.machine import Cpu, Gpu, GpuLink, HostMemory, LinkKind, Machine, Refusal, Software
from advisor.hardware.notices import machine_notices

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "tests" / "recorded" / "machines"
STUB = ROOT / "tests" / "fake_nvml"
GIB = 2**30

LIKE_A_DRIVER_SHOWS = 0.99
"""Share of the nominal memory that the synthetic cards show, and of that the desktop takes 1 %."""

CPU = Cpu(
    name="Synthetic 16-core CPU",
    architecture="x86_64",
    physical_core_count=16,
    logical_core_count=32,
    usable_core_count=32,
    cgroup_core_limit_count=None,
    max_clock_hz=4.5e9,
    instruction_sets=("sse4_2", "avx", "avx2", "fma", "f16c"),
)
MEMORY = HostMemory(total_bytes=128 * GIB, available_bytes=120 * GIB, cgroup_limit_bytes=None)
SOFTWARE = Software(os="Synthetic Linux", python="3.12.4", torch="2.9.0", torch_cuda="12.8", transformers="4.57.0")
DRIVEN = msgspec.structs.replace(SOFTWARE, driver="570.133.07", cuda_driver="12.8")
PLAIN = Machine(cpu=CPU, memory=MEMORY, software=SOFTWARE)

CARDS = {
    "rtx3090": (1, 2, 4),
    "rtx4090": (1, 2, 8),
    "a100-sxm4-80": (4, 8),
    "a100-sxm4-40": (8,),
    "a100-pcie-40": (2,),
    "a100-pcie-80": (1,),
    "v100-sxm2-16": (4,),
    "v100-sxm2-32": (8,),
    "v100-pcie-16": (1, 2),
    "l40s": (1, 4),
    "l4": (1,),
    "t4": (1, 4),
    "p100-pcie-16": (1,),
    "h100-sxm": (8,),
    "h200-sxm": (8,),
    "rtx2080ti": (2,),
    "rtx3060-12": (1,),
    "rtx5090": (1,),
    "a6000": (2,),
}


def link_kind(spec: GpuSpec, first: int, second: int) -> LinkKind:
    """How two cards of this kind usually reach each other; bridges join neighbours in pairs."""
    if spec.nvswitch:
        return "nvswitch"
    if spec.nvlink_bytes_per_s is not None and (not spec.nvlink_pairs_only or first // 2 == second // 2):
        return "nvlink"
    return "pcie_p2p" if spec.peer_to_peer else "pcie_host"


def card(spec: GpuSpec, index: int) -> Gpu:
    """A sound, idle card of the spec table."""
    memory = int((spec.memory_bytes or 0) * LIKE_A_DRIVER_SHOWS)
    return Gpu(
        uuid=f"GPU-00000000-0000-4000-8000-{index:012d}",
        index=index,
        vendor="nvidia",
        name=spec.nvml_names[0],
        compute_capability=spec.compute_capability,
        memory_total_bytes=memory,
        memory_free_bytes=int(memory * LIKE_A_DRIVER_SHOWS),
        memory_reserved_bytes=0,
        sm_clock_hz=spec.boost_clock_hz,
        sm_clock_max_hz=spec.boost_clock_hz,
        sm_clock_default_hz=spec.boost_clock_hz,
        power_w=30.0,
        power_limit_w=spec.power_w,
        temperature_celsius=35.0,
        pcie_generation=spec.pcie_generation,
        pcie_width=spec.pcie_lane_count,
        pcie_bus=f"00000000:{index + 1:02X}:00.0",
        nvlink_count=4 if spec.nvlink_bytes_per_s is not None and not spec.nvlink_pairs_only else 0,
        compute_mode="default",
        virtualised=False,
        virtualisation="none",
        mig_enabled=False,
        spec_key=spec.key,
        refusals=(Refusal(field="memory_clock_hz", reason=Reason.of("refused-not-supported")),),
    )


def with_cards(key: str, count: int) -> Machine:
    """A host with `count` cards of one kind."""
    spec = spec_table()[key]
    pairs = [(first, second) for first in range(count) for second in range(first + 1, count)]
    links = tuple(
        GpuLink(first_index=first, second_index=second, kind=link_kind(spec, first, second)) for first, second in pairs
    )
    gpus = tuple(card(spec, index) for index in range(count))
    return msgspec.structs.replace(PLAIN, gpus=gpus, links=links, software=DRIVEN)


def particular_hosts() -> dict[str, Machine]:
    """Hosts that are special in one way each."""
    change = msgspec.structs.replace
    one = with_cards("rtx4090", 1)
    busy = change(one.gpus[0], memory_free_bytes=6 * GIB)
    small = change(CPU, name="Synthetic 2-core CPU", physical_core_count=2, logical_core_count=2, usable_core_count=2)
    apple = Gpu(
        uuid=None,
        index=0,
        vendor="apple",
        name="Synthetic Apple GPU",
        memory_total_bytes=32 * GIB,
        memory_free_bytes=20 * GIB,
        unified_memory=True,
    )
    radeon = Gpu(uuid="AMD-synthetic", index=0, vendor="amd", name="Synthetic AMD GPU", memory_total_bytes=24 * GIB)
    limits = change(CPU, usable_core_count=2, cgroup_core_limit_count=1.5)
    limited = HostMemory(total_bytes=128 * GIB, available_bytes=3 * GIB, cgroup_limit_bytes=4 * GIB)
    return {
        "cpu_only": PLAIN,
        "cpu_small": change(
            PLAIN, cpu=small, memory=HostMemory(total_bytes=4 * GIB, available_bytes=2 * GIB, cgroup_limit_bytes=None)
        ),
        "cpu_cores_unknown": change(
            PLAIN,
            cpu=change(
                CPU,
                physical_core_count=None,
                refusals=(Refusal(field="physical_core_count", reason=Reason.of("refused-nonsense")),),
            ),
        ),
        "container_limited": change(PLAIN, cpu=limits, memory=limited, software=change(SOFTWARE, container=True)),
        "no_torch": change(PLAIN, software=change(SOFTWARE, torch=None, torch_cuda=None, transformers=None)),
        "torch_without_cuda": change(one, software=change(DRIVEN, torch="2.9.0+cpu", torch_cuda=None)),
        "driver_too_old": change(one, software=change(DRIVEN, driver="470.223.02", cuda_driver="11.4")),
        "wsl": change(one, software=change(DRIVEN, wsl=True)),
        "gpu_hidden": change(one, gpus=(change(one.gpus[0], hidden_from_cuda=True),)),
        "gpu_busy": change(one, gpus=(busy,)),
        "apple": change(PLAIN, cpu=change(CPU, architecture="arm64"), gpus=(apple,)),
        "amd": change(PLAIN, gpus=(radeon,)),
    }


def with_host(machine: Machine) -> Machine:
    """A machine detected through the stub, its real host replaced by the invented one."""
    gpus = tuple(
        msgspec.structs.replace(gpu, memory_total_bytes=MEMORY.total_bytes, memory_free_bytes=MEMORY.available_bytes)
        if gpu.unified_memory
        else gpu
        for gpu in machine.gpus
    )
    software = msgspec.structs.replace(
        SOFTWARE, driver=machine.software.driver, cuda_driver=machine.software.cuda_driver
    )
    return msgspec.structs.replace(machine, cpu=CPU, memory=MEMORY, software=software, gpus=gpus)


def concluded(machine: Machine) -> Machine:
    """The machine with the notices that follow from it; what the driver itself said is kept."""
    said = tuple(notice for notice in machine.notices if notice.code.startswith("driver-"))
    return msgspec.structs.replace(machine, notices=said + machine_notices(machine))


def described_machines() -> dict[str, Machine]:
    """The synthetic machines that need no stub, by file name."""
    cards = {f"synthetic_{key}_x{count}": with_cards(key, count) for key, counts in CARDS.items() for count in counts}
    hosts = {f"synthetic_host_{name}": machine for name, machine in particular_hosts().items()}
    return {name: concluded(machine) for name, machine in (cards | hosts).items()}


def stub_machines(libraries: Path) -> dict[str, Machine]:
    """The stub's scenarios through the real pynvml, by file name. `libraries`: folder of the built stub."""
    found = {}
    os.environ["LD_LIBRARY_PATH"] = str(libraries / "lib")
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    for path in sorted((STUB / "scenarios").glob("*.txt")):
        os.environ["FAKE_NVML"] = str(path)
        timeout_s = 1.0 if path.stem == "init_hang" else 10.0
        found[f"synthetic_stub_{path.stem}"] = concluded(with_host(detect_machine(timeout_s=timeout_s)))
    return found


def text_of(machine: Machine) -> str:
    """The file's text."""
    return msgspec.json.format(msgspec.json.encode(machine), indent=2).decode() + "\n"


def main() -> int:
    """Write the machines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", metavar="NAME", help="record this machine as real_NAME.json")
    record = parser.parse_args().record
    TARGET.mkdir(parents=True, exist_ok=True)
    if record is not None:
        machines = {f"real_{record}": detect_machine()}
    else:
        machines = described_machines()
        make = shutil.which("make")
        if make is not None:
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([make, "-s", "-C", str(STUB), f"OUT={folder}"], check=True)
                machines |= stub_machines(Path(folder))
    for name, machine in machines.items():
        (TARGET / f"{name}.json").write_text(text_of(machine), encoding="utf-8")
    print(f"{len(machines)} machines written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
