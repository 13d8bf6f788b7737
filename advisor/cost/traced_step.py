"""One optimizer step of a traced model: everything that its time depends on beside the card and the batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from advisor.catalogue.gpu_spec import GpuSpec, is_consumer
from advisor.catalogue.precisions import ComputedPrecision
from advisor.cost.efficiencies import Assumed, Efficiencies
from advisor.cost.host_time import HostSpeed, host_seconds, synchronisation_seconds, usual_dispatch_s
from advisor.cost.operators.dequantisation import OperatorChain, operator_chain
from advisor.cost.operators.device_rates import DeviceRates, device_rates
from advisor.cost.operators.device_time import runs_transformer_engine
from advisor.cost.optimizer_cost import OptimizerCost, optimizer_cost
from advisor.optable.compiled_table import CompiledTable
from advisor.optable.op_columns import Floats
from advisor.workload.workload import Training


@dataclass(frozen=True, kw_only=True)
class TracedStep:
    """A model's columns, how it is trained, and what it runs under."""

    compiled: CompiledTable
    training: Training
    precision: ComputedPrecision
    host: HostSpeed = field(default_factory=HostSpeed)
    """The processor that issues the work."""
    software_year: int | None = None
    """Of PyTorch and its libraries; None: today's."""
    flash_generation: int | None = None
    """Of the kernels of flash attention; None: the year's."""
    whole_layers: bool = True
    """Whether Transformer Engine's layers, where they are asked for, run whole and not in the place of linear ones."""

    @cached_property
    def optimizer(self) -> OptimizerCost:
        """What its update moves and launches."""
        table, tensors = self.compiled.table, self.compiled.parameter_tensor_count
        parameters, stored = table.trainable_parameter_count, sum(table.trainable_tensor_bytes)
        return optimizer_cost(self.training, self.precision, parameters, tensors, self.software_year, stored)

    @cached_property
    def chain(self) -> OperatorChain:
        """What unpacking weights by operators adds to a micro-batch."""
        return operator_chain(self.compiled, self.training, self.software_year)

    @property
    def on_whole_engine(self) -> bool:
        """Whether its layers are Transformer Engine's whole ones."""
        return self.whole_layers and runs_transformer_engine(self.training)

    def rates(self, specs: Sequence[GpuSpec], figures: Efficiencies) -> DeviceRates:
        """What cards sustain that can be predicted, arrays of shape (cards,)."""
        return device_rates(
            specs,
            self.precision,
            figures,
            self.software_year,
            compiled=self.training.compile,
            transformer_engine=self.on_whole_engine,
            flash_generation=self.flash_generation,
        )

    def issue_s(self, specs: Sequence[GpuSpec | None], batch_sizes: Floats, assumed: Assumed) -> Floats:
        """Seconds in which the host of each card issues it, whatever the card does, shape (cards, batch sizes).

        A card of which no row of the table tells (None) has the usual server.
        """
        desktops = [_in_desktop(spec) for spec in specs]
        by_host = {
            desktop: host_seconds(
                self.compiled,
                self.training,
                self.optimizer,
                self.host,
                assumed,
                self.software_year,
                batch_size=batch_sizes,
                desktop=desktop,
            )
            for desktop in set(desktops)
        }
        return np.array([np.broadcast_to(by_host[desktop], batch_sizes.shape) for desktop in desktops])

    def assumed_dispatch_s(self, spec: GpuSpec | None, assumed: Assumed) -> float | None:
        """What the host of a card is taken to need for an operator; None where it was measured."""
        if self.host.forward_s_per_dispatch is not None:
            return None
        return usual_dispatch_s(assumed, self.software_year, desktop=_in_desktop(spec))

    def wait_s(self, batch_sizes: Floats, assumed: Assumed) -> Floats:
        """Seconds in which the card idles because the host waited for it, shape (batch sizes,)."""
        table, training, host = self.compiled.table, self.training, self.host
        waits = synchronisation_seconds(table, training, self.precision, host, assumed, batch_sizes)
        return np.broadcast_to(waits, batch_sizes.shape)


def _in_desktop(spec: GpuSpec | None) -> bool:
    """Whether a card is taken to stand in a desktop or laptop; one of which no row of the table tells is not."""
    return spec is not None and is_consumer(spec)
