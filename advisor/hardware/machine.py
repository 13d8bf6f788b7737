"""The machine as it was found, and one instant of it; a field that was refused is None with its reason."""

from __future__ import annotations

from typing import Literal

from advisor.core.records import Record
from advisor.core.sentences import Reason

GpuVendor = Literal["nvidia", "amd", "intel", "apple"]
Virtualisation = Literal["none", "passthrough", "vgpu", "host_vgpu", "host_vsga"]
"""In the order of NVML's codes."""
LinkKind = Literal["nvlink", "nvswitch", "pcie_p2p", "pcie_host", "unknown"]


class Refusal(Record, frozen=True, kw_only=True):
    """A field that the system would not tell: its name and why."""

    field: str
    reason: Reason


class Cpu(Record, frozen=True, kw_only=True):
    """The processor and what of it this process may use."""

    name: str | None
    architecture: str
    physical_core_count: int | None
    logical_core_count: int | None
    usable_core_count: int
    """min(affinity, ceil(cgroup cpu.max), logical cores)."""
    cgroup_core_limit_count: float | None
    max_clock_hz: float | None
    instruction_sets: tuple[str, ...]
    refusals: tuple[Refusal, ...] = ()


class HostMemory(Record, frozen=True, kw_only=True):
    """RAM: what there is and what may still be taken (the cgroup limit counted in)."""

    total_bytes: int
    available_bytes: int
    cgroup_limit_bytes: int | None


class GpuProcess(Record, frozen=True, kw_only=True):
    """A process that holds memory of a GPU; the name is unknown in another PID namespace."""

    pid: int
    memory_bytes: int | None
    name: str | None = None


class MigInstance(Record, frozen=True, kw_only=True):
    """One MIG slice: a device of its own; never joined by DDP with its siblings."""

    uuid: str
    name: str
    memory_total_bytes: int | None
    memory_free_bytes: int | None


class Gpu(Record, frozen=True, kw_only=True):
    """One GPU as its driver tells it; join with other tools by `uuid`, never by index."""

    uuid: str | None
    index: int
    """NVML order, which need not be CUDA's order."""
    vendor: GpuVendor
    name: str
    compute_capability: str | None = None
    memory_total_bytes: int | None = None
    memory_free_bytes: int | None = None
    memory_reserved_bytes: int | None = None
    sm_clock_hz: float | None = None
    sm_clock_max_hz: float | None = None
    sm_clock_default_hz: float | None = None
    memory_clock_hz: float | None = None
    power_w: float | None = None
    power_limit_w: float | None = None
    temperature_celsius: float | None = None
    pcie_generation: int | None = None
    pcie_width: int | None = None
    pcie_bus: str | None = None
    nvlink_count: int | None = None
    """Active NVLink links; 0 where the card has none active."""
    compute_mode: str | None = None
    driver_model: str | None = None
    virtualised: bool | None = None
    """Inside a virtual machine: passed through whole, or a share of a card (`virtualisation` says which)."""
    virtualisation: Virtualisation | None = None
    unified_memory: bool = False
    mig_enabled: bool | None = None
    mig_instances: tuple[MigInstance, ...] = ()
    processes: tuple[GpuProcess, ...] = ()
    spec_key: str | None = None
    """Row of the spec table with exactly this NVML name and memory size; None: an unknown card."""
    usable: bool = True
    unusable_reason: Reason | None = None
    hidden_from_cuda: bool = False
    refusals: tuple[Refusal, ...] = ()

    @property
    def key(self) -> str:
        """What names it in every record: its UUID, its place where the driver tells none."""
        return self.uuid or f"gpu{self.index}"


class GpuLink(Record, frozen=True, kw_only=True):
    """How two GPUs (NVML indices) reach each other, and one-way bandwidth where it was measured."""

    first_index: int
    second_index: int
    kind: LinkKind
    bandwidth_bytes_per_s: float | None = None


class Software(Record, frozen=True, kw_only=True):
    """Versions; torch's from its package metadata, the arch list once the worker has run."""

    os: str
    python: str
    driver: str | None = None
    cuda_driver: str | None = None
    torch: str | None = None
    torch_cuda: str | None = None
    torch_arch_list: tuple[str, ...] | None = None
    transformers: str | None = None
    wsl: bool = False
    container: bool = False


class Machine(Record, frozen=True, kw_only=True):
    """Everything `--detect` found; its JSON is also the format of recorded test machines."""

    schema_version: int = 1
    cpu: Cpu
    memory: HostMemory
    gpus: tuple[Gpu, ...] = ()
    links: tuple[GpuLink, ...] = ()
    software: Software
    notices: tuple[Reason, ...] = ()
    """What is missing or wrong on the whole machine (no driver, driver mismatch…), each with its remedy."""

    def gpu_of(self, device_key: str) -> Gpu | None:
        """The GPU with this key, or with an instance (MIG) of this key; None for the processor."""
        named = (gpu for gpu in self.gpus if device_key in {gpu.key, *(part.uuid for part in gpu.mig_instances)})
        return next(named, None)


class GpuReading(Record, frozen=True, kw_only=True):
    """One GPU at one instant; None where the driver would not say."""

    uuid: str | None
    index: int
    utilisation_fraction: float | None = None
    memory_used_bytes: int | None = None
    power_w: float | None = None
    sm_clock_hz: float | None = None
    temperature_celsius: float | None = None
    throttle_bits: int | None = None
    lost: bool = False

    @property
    def key(self) -> str:
        """As that of the `Gpu`."""
        return self.uuid or f"gpu{self.index}"


class Reading(Record, frozen=True, kw_only=True):
    """One instant of every device, on the monotonic clock that the worker's samples use."""

    monotonic_s: float
    cpu_utilisation_fraction: float | None = None
    memory_used_bytes: int | None = None
    cpu_pressure_fraction: float | None = None
    """Linux PSI `some avg10` as a fraction: share of time in which a task waited for a core."""
    steal_fraction: float | None = None
    cpu_power_w: float | None = None
    """Of all processor packages together (Linux powercap, Intel and AMD); None: not there or not readable."""
    gpus: tuple[GpuReading, ...] = ()
    driver_responding: bool = True
