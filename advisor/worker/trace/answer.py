"""The worker's answer to a request for tables: one trace for each precision, which share what they find out."""

from __future__ import annotations

import gc
from collections import deque

import torch
from msgspec.structs import replace

from advisor.protocol.messages import Progress, Traced, TraceRequest
from advisor.worker.event_box import EventBox
from advisor.worker.trace.failed import TraceFailed
from advisor.worker.trace.ops.known_results import Met
from advisor.worker.trace.subject import Learnt, subject_of
from advisor.worker.trace.trace import Waits, Way, trace

_MET = Met()
"""Of all that this worker was asked for."""


def answer(request: TraceRequest, box: EventBox) -> None:
    """One `Traced` event for each precision asked for; raises TraceFailed or InputError.

    On one thread: a trace computes next to nothing, further threads would only wait for work, and use a processor up.
    """
    _MET.leave_room()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    gc.collect(1)  # the model of the last request, before it would be taken for what stays
    gc.freeze()  # what was imported is there to stay: to go through all of torch for garbage takes as long as a pass
    try:
        _answer(request, box)
    finally:
        gc.unfreeze()
        torch.set_num_threads(threads)


def _answer(request: TraceRequest, box: EventBox) -> None:
    failures: list[Exception] = []
    way, waiting = Way(learnt=Learnt(samples_apart=request.known_apart, met=_MET)), deque(request.precisions)
    while waiting:
        precision = waiting.popleft()
        way.waits = "fp32" in waiting
        fraction = 1 - (len(waiting) + 1) / len(request.precisions)
        box.send(Progress(phase="trace-phase", fraction=fraction, detail=precision))
        try:
            subject = subject_of(
                request.workload,
                precision,
                allow_code=request.allow_code,
                half_fallback=request.half_fallback,
                packed_inputs_kept=request.packed_inputs_kept,
                known_affine=request.known_affine,
            )
            table = trace(subject, precision, checked=request.checked, way=way)
        except Waits:
            waiting.append(precision)
            continue
        except Exception as error:  # noqa: BLE001 - told below; what one precision cannot do says nothing of the next
            failures.append(error)
            if precision == "fp32" and isinstance(error, TraceFailed):
                break  # what decides by values, or by the batch, does so at every precision
            continue
        noted = replace(table, caveats=(*table.caveats, *(subject.notes or ())))
        box.send(Traced(table=noted, samples_apart=way.learnt.samples_apart))
    if failures:
        raise failures[0]
