"""Runs each kind of microbenchmark at a small size on the named device and prints its events, one a line."""

from __future__ import annotations

import io
import sys

from advisor.worker.event_box import EventBox
from advisor.worker.train import microbenchmark_cases as cases
from advisor.worker.train.device import TorchDevice
from advisor.worker.train.microbenchmarks import _run_case
from advisor.worker.train.stages import Stages


def main() -> None:
    """The device's name is the only argument."""
    device = TorchDevice(sys.argv[1])
    box = EventBox(sys.stdout.buffer, io.BytesIO())
    stages = Stages(box, device)
    todo = [
        cases.launch(),
        cases.synchronise(),
        cases.host_overhead(),
        cases.matmul("fp32", 64, 64, 64),
        cases.matmul("fp16", 32, 32, 32),
        cases.convolution("fp32", 1, 4, 8, 3, grouped=False),
        cases.convolution("fp32", 1, 4, 8, 3, grouped=True),
        cases.attention("fp32", 1, 16),
        cases.elementwise("fp32", 1 << 12),
        cases.reduction("fp32", 16, 64),
        cases.transfer("host_to_device", 1 << 12, pinned=True),
        cases.transfer("device_to_host", 1 << 12, pinned=True),
        cases.transfer("host_to_device", 1 << 12, pinned=False),
        cases.optimizer("adamw", 4, 1 << 8),
    ]
    for case in todo:
        _run_case(case, stages, device, 0.05, {}, None, box)


if __name__ == "__main__":
    main()
