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
    """The field of the record beside it that is None, or lacks entries, for this."""
    reason: Reason
    """Why the system would not tell it."""


class Cpu(Record, frozen=True, kw_only=True):
    """The processor and what of it this process may use."""

    name: str | None
    """The model as the operating system names it; None: it names none."""
    architecture: str
    """Instruction set family as the system names it (`x86_64`, `AMD64`, `arm64`…); `unknown`: it names none."""
    physical_core_count: int | None
    """Cores without hyper-threads; None: not told, or more than the logical ones."""
    logical_core_count: int | None
    """Hardware threads of the whole machine; None: not known."""
    usable_core_count: int
    """min(affinity, ceil(cgroup cpu.max), logical cores)."""
    cgroup_core_limit_count: float | None
    """Cores' worth of time that the control group (a container's limit) grants, fractions too; None: no limit known."""
    max_clock_hz: float | None
    """Highest clock in hertz; None: not told, as in many virtual machines."""
    instruction_sets: tuple[str, ...]
    """Vector and matrix extensions that bear on training, by their Linux names (`avx512f`, `amx_bf16`…); empty: not
    told, or none of them."""
    refusals: tuple[Refusal, ...] = ()
    """The fields that the system did not tell, each with its reason."""


class HostMemory(Record, frozen=True, kw_only=True):
    """RAM: what there is and what may still be taken (the cgroup limit counted in)."""

    total_bytes: int
    """RAM of the machine."""
    available_bytes: int
    """What may still be taken without swapping, at most what the control group leaves."""
    cgroup_limit_bytes: int | None
    """The control group's (a container's) limit; None: none that is below the machine's RAM."""


class GpuProcess(Record, frozen=True, kw_only=True):
    """A process that holds memory of a GPU; the name is unknown in another PID namespace."""

    pid: int
    """Process id, as the driver sees it."""
    memory_bytes: int | None
    """GPU memory that it holds; None: the driver does not tell."""
    name: str | None = None
    """Its program without path or arguments; None: it may not be seen, or lives outside of this container."""


class MigInstance(Record, frozen=True, kw_only=True):
    """One MIG slice: a device of its own; never joined by DDP with its siblings."""

    uuid: str
    """As the driver tells it (`MIG-…`); it names the instance in CUDA_VISIBLE_DEVICES and as a device key."""
    name: str
    """As the driver names it."""
    memory_total_bytes: int | None
    """Memory of the instance; None: not told."""
    memory_free_bytes: int | None
    """Free of it when it was looked at; None: not told."""


class GpuNamed(Record, frozen=True, kw_only=True):
    """What names a GPU in every record."""

    uuid: str | None
    """As the driver tells it (`GPU-…`); None: it tells none, then the key is `gpu` and the index."""
    index: int
    """NVML order, which need not be CUDA's order."""

    @property
    def key(self) -> str:
        """What names it in every record: its UUID, its place where the driver tells none."""
        return self.uuid or f"gpu{self.index}"


class Gpu(GpuNamed, frozen=True, kw_only=True):
    """One GPU as its driver tells it; join with other tools by `uuid`, never by index."""

    vendor: GpuVendor
    """The maker; only NVIDIA's cards are asked through NVML, the others tell less."""
    name: str
    """As driver or system names it."""
    compute_capability: str | None = None
    """CUDA's, as `major.minor`; None: not told, as of other makers' cards."""
    memory_total_bytes: int | None = None
    """Memory of the card, the host's RAM where it is unified; None: not told."""
    memory_free_bytes: int | None = None
    """Free of it when it was looked at; None: not told."""
    memory_reserved_bytes: int | None = None
    """What the driver keeps for itself; None: not told, or an older driver."""
    sm_clock_hz: float | None = None
    """Clock of the multiprocessors when it was looked at, in hertz; None: not told."""
    sm_clock_max_hz: float | None = None
    """Highest clock of the multiprocessors, in hertz; None: not told."""
    sm_clock_default_hz: float | None = None
    """Their default clock for applications, in hertz; None: not told, as on many consumer cards."""
    memory_clock_hz: float | None = None
    """Clock of the memory when it was looked at, in hertz; None: not told."""
    power_w: float | None = None
    """Watts drawn when it was looked at; None: not told."""
    power_limit_w: float | None = None
    """Watts that it may draw as it is set now; None: not told."""
    temperature_celsius: float | None = None
    """Of the chip when it was looked at; None: not told."""
    pcie_generation: int | None = None
    """PCIe generation that card and slot can do together; None: not told."""
    pcie_width: int | None = None
    """PCIe lanes as connected; None: not told."""
    pcie_bus: str | None = None
    """PCI address (`domain:bus:device.function`); None: not told, or not on PCI."""
    nvlink_count: int | None = None
    """Active NVLink links; 0 where the card has none active."""
    compute_mode: str | None = None
    """Who may use it: `default` (any number of processes), `exclusive_process`, `exclusive_thread`, `prohibited`
    (none); None: not told."""
    driver_model: str | None = None
    """On Windows `wddm`, `tcc` or `mcdm`; None: another system, or not told."""
    virtualised: bool | None = None
    """Inside a virtual machine: passed through whole, or a share of a card (`virtualisation` says which)."""
    virtualisation: Virtualisation | None = None
    """`none`: bare metal; `passthrough`: whole in a virtual machine; `vgpu`: a share of a card in one; `host_vgpu`,
    `host_vsga`: this machine shares it out; None: not told."""
    unified_memory: bool = False
    """Whether its memory is the host's RAM (Apple, Jetson, GB10)."""
    mig_enabled: bool | None = None
    """Whether it is split into MIG instances, which alone can then be trained on; None: not told."""
    mig_instances: tuple[MigInstance, ...] = ()
    """Its MIG instances; empty where it is not split."""
    processes: tuple[GpuProcess, ...] = ()
    """Processes that computed on it when it was looked at; empty also where the driver does not list them."""
    spec_key: str | None = None
    """Row of the spec table with exactly this NVML name and memory size; None: an unknown card."""
    usable: bool = True
    """Whether it answers and may compute."""
    unusable_reason: Reason | None = None
    """Why it is not usable; None: it is."""
    hidden_from_cuda: bool = False
    """Whether CUDA_VISIBLE_DEVICES hides it from training in this environment."""
    refusals: tuple[Refusal, ...] = ()
    """The fields that the driver did not tell, each with its reason."""


class GpuLink(Record, frozen=True, kw_only=True):
    """How two GPUs (NVML indices) reach each other, and one-way bandwidth where it was measured."""

    first_index: int
    """`index` of the one GPU, the lower of the two."""
    second_index: int
    """`index` of the other GPU."""
    kind: LinkKind
    """The fastest way between them: `nvlink` (direct), `nvswitch`, `pcie_p2p` (PCIe from card to card), `pcie_host`
    (through the host's memory), `unknown` (not told)."""
    bandwidth_bytes_per_s: float | None = None
    """One way; None: not measured."""


class Software(Record, frozen=True, kw_only=True):
    """Versions; torch's from its package metadata, the arch list once the worker has run."""

    os: str
    """Operating system with its version."""
    python: str
    """Version of the Python that the program runs in."""
    driver: str | None = None
    """Version of the NVIDIA driver; None: no driver answered."""
    cuda_driver: str | None = None
    """Newest CUDA that the driver runs, as `major.minor`; None: not told."""
    torch: str | None = None
    """Version of PyTorch by its package's metadata; None: not installed."""
    torch_cuda: str | None = None
    """CUDA that PyTorch was built for, as `major.minor`; None: built without CUDA, or not known."""
    torch_arch_list: tuple[str, ...] | None = None
    """GPU architectures that PyTorch was built for (`sm_90`…); None: not asked."""
    transformers: str | None = None
    """Version of Hugging Face transformers; None: not installed."""
    wsl: bool = False
    """Whether this is Linux under Windows (WSL 2), where the driver refuses many fields."""
    container: bool = False
    """Whether the program runs in a container, where other processes are hidden."""


class Machine(Record, frozen=True, kw_only=True):
    """Everything `--detect` found; its JSON is also the format of recorded test machines."""

    schema_version: int = 1
    """Version of this record's format."""
    cpu: Cpu
    """The processor."""
    memory: HostMemory
    """The host's RAM."""
    gpus: tuple[Gpu, ...] = ()
    """Every GPU that was found, usable or not."""
    links: tuple[GpuLink, ...] = ()
    """One for each pair of usable NVIDIA GPUs."""
    software: Software
    """Versions and surroundings."""
    notices: tuple[Reason, ...] = ()
    """What is missing or wrong on the whole machine (no driver, driver mismatch…), each with its remedy."""

    def gpu_of(self, device_key: str) -> Gpu | None:
        """The GPU with this key, or with an instance (MIG) of this key; None for the processor."""
        named = (gpu for gpu in self.gpus if device_key in {gpu.key, *(part.uuid for part in gpu.mig_instances)})
        return next(named, None)


class GpuReading(GpuNamed, frozen=True, kw_only=True):
    """One GPU at one instant; None where the driver would not say."""

    utilisation_fraction: float | None = None
    """Share of the driver's last sampling period in which a kernel ran, 0 to 1; None: not told."""
    memory_used_bytes: int | None = None
    """Used by all processes together; the host's RAM in use where memory is unified; None: not told."""
    power_w: float | None = None
    """Watts drawn; None: not told."""
    sm_clock_hz: float | None = None
    """Clock of the multiprocessors, in hertz; None: not told."""
    temperature_celsius: float | None = None
    """Of the chip; None: not told."""
    throttle_bits: int | None = None
    """NVML's clock event reasons, or-ed: 0x8 hardware slowdown, 0x20 software thermal, 0x40 hardware thermal and 0x80
    power brake count as throttling, 0x4 is the power cap; None: not told."""
    lost: bool = False
    """Whether the GPU no longer answers (it fell off the bus, or was reset)."""


class Reading(Record, frozen=True, kw_only=True):
    """One instant of every device, on the monotonic clock that the worker's samples use."""

    monotonic_s: float
    """Seconds of the system's monotonic clock; only differences mean something."""
    cpu_utilisation_fraction: float | None = None
    """Share of all logical cores' time since the last reading that was busy, 0 to 1; None: not told."""
    memory_used_bytes: int | None = None
    """The host's RAM that is not available to new programs; None: not told."""
    cpu_pressure_fraction: float | None = None
    """Linux PSI `some avg10` as a fraction: share of time in which a task waited for a core."""
    steal_fraction: float | None = None
    """Share of the processor's time since the last reading that the hypervisor gave to others, 0 to 1; None: not
    told, as on systems other than Linux."""
    cpu_power_w: float | None = None
    """Of all processor packages together (Linux powercap, Intel and AMD); None: not there or not readable."""
    gpus: tuple[GpuReading, ...] = ()
    """One for each GPU that is watched; empty where there is none or no driver answers."""
    driver_responding: bool = True
    """Whether the GPU's driver answered; False: it hung, and the host alone was read."""
