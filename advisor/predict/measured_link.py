"""The link that was measured here: all-reduces by size, so that a prediction rests on times instead of a spec sheet."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from advisor.cost.scaling.links import Link, SizedTime
from advisor.measure.measurement import CommunicationMeasurement

_HOST_BYTES_PER_S = 10e9
"""Stands in for a slot that ranks on processors don't have; no part of their step crosses it."""


def measured_link(communication: Sequence[CommunicationMeasurement], wires: Link | None = None) -> Link | None:
    """The link of the largest group that was measured; None where no all-reduce was, or values came out wrong.

    `wires` is what the spec row or detection says of GPUs; None: ranks on processors, which share memory and lose
    the time of communication whole.
    """
    timed = [
        measurement
        for measurement in communication
        if measurement.kind == "all_reduce" and measurement.message_bytes and measurement.median_s > 0
    ]
    if not timed or any(measurement.values_correct is False for measurement in communication):
        return None
    count = max(measurement.rank_count for measurement in timed)
    sized = sorted(
        (measurement for measurement in timed if measurement.rank_count == count),
        key=lambda measurement: measurement.message_bytes or 0,
    )
    points = tuple(
        SizedTime(message_bytes=float(measurement.message_bytes or 0), duration_s=measurement.median_s)
        for measurement in sized
    )
    bus = sized[-1].bus_bytes_per_s or points[-1].message_bytes / points[-1].duration_s
    link = wires or Link(
        type="shared_memory", wire_bytes_per_s=bus, pcie_bytes_per_s=_HOST_BYTES_PER_S, peer_to_peer=False
    )
    if wires is not None:
        direct = wires.peer_to_peer or wires.type.startswith("nv")
        link = msgspec.structs.replace(link, type="given", wire_bytes_per_s=bus, peer_to_peer=direct)
    return msgspec.structs.replace(link, measured=points, measured_rank_count=count, certain=True, basis="measured")
