"""How often the host calls, and waits, in one pass of a batch."""

from __future__ import annotations

from advisor.optable.op_columns import Floats
from advisor.optable.op_table import OpTable, Phase


def dispatches(table: OpTable, phase: Phase, batch_size: Floats | float) -> Floats | float:
    """Calls that the host issues in forward or backward."""
    return table.dispatch_count.get(phase, 0) + table.sample_dispatch_count.get(phase, 0) * batch_size


def all_dispatches(table: OpTable, batch_size: Floats | float) -> Floats | float:
    """Those of forward and backward together."""
    return dispatches(table, "forward", batch_size) + dispatches(table, "backward", batch_size)


def synchronisations(table: OpTable, batch_size: Floats | float) -> Floats | float:
    """Points at which the host waits for the device."""
    return table.synchronisation_count + table.sample_synchronisation_count * batch_size
