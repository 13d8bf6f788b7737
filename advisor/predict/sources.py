"""Everything that predictions rest on: the workload with its traces, cards, measurements, calibrations and links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.links import USUAL_MACHINES, Machines, in_slot, slot_bytes_per_s
from advisor.catalogue.precisions import TracePrecision
from advisor.cost.efficiencies import Efficiencies, efficiencies
from advisor.cost.host_time import HostSpeed
from advisor.cost.scaling.links import Link, card_in_slot
from advisor.hardware.machine import Machine
from advisor.measure.measurement import Measurement
from advisor.optable.compiled_table import CompiledTable
from advisor.optable.op_table import OpTable
from advisor.predict.prediction import Calibration, Device
from advisor.protocol.messages import LoaderPass
from advisor.workload.workload import Workload


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Everything that predictions rest on."""

    workload: Workload
    tables: Mapping[TracePrecision, OpTable | CompiledTable]
    """Compiled by whoever asks about them more than once."""
    specs: Mapping[str, GpuSpec]
    machine: Machine | None = None
    """None: no device is here."""
    measurements: Mapping[str, Measurement] = field(default_factory=dict)
    """By device key."""
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)
    interconnect: str | None = None
    link: Link | None = None
    """What joins the cards where words are not enough; None: `interconnect` and the machine tell."""
    machines: Machines = USUAL_MACHINES
    loader: tuple[LoaderPass, ...] = ()
    """Passes of the job's data loader that were timed on this machine; none: loading is left out."""
    host: HostSpeed = field(default_factory=HostSpeed)
    software_year: int | None = None
    """Of PyTorch and its libraries; None: today's."""
    flash_generation: int | None = None
    """Of the kernels of flash attention; None: the year's."""
    whole_layers: bool | None = None
    """Whether Transformer Engine's layers, where they are asked for, run whole; None: where no shards are gathered."""
    figures: Efficiencies = field(default_factory=efficiencies)

    def spec_of(self, device: Device) -> GpuSpec | None:
        """The row of the table that describes a device, in the slot that was told or found; None: it has no row."""
        spec = self.specs.get(device.spec_key or "")
        if spec is None or self.interconnect:
            return spec and card_in_slot(spec, self.interconnect or "")
        alike = self.machine.gpus if self.machine is not None and device.local else ()
        slots = [in_slot(spec, one.pcie_generation, one.pcie_width) for one in alike if one.spec_key == spec.key]
        return min(slots, key=slot_bytes_per_s, default=spec)  # all wait for the slowest
