"""What is kept of a job whose window was closed before anything was predicted: its measurements, and no advice."""

from __future__ import annotations

from collections.abc import Sequence

from advisor import __version__
from advisor.core.moment import utc_text
from advisor.core.sentences import Reason
from advisor.hardware.machine import Machine
from advisor.measure.measurement import Measurement
from advisor.store.advice_record import AdviceRecord, ModelFacts
from advisor.workload.workload import Workload
from advisor.workload.workload_file import source_of


def measured_alone(workload: Workload, machine: Machine, measurements: Sequence[Measurement]) -> AdviceRecord:
    """A run that recommends nothing and says why."""
    closed = Reason.of("advice-window-closed")
    facts = ModelFacts(
        source=source_of(workload),
        parameter_count=None,
        trainable_parameter_count=None,
        flop_per_sample=None,
        traced=False,
        not_traced_reason=closed,
    )
    return AdviceRecord(
        created_utc=utc_text(),
        advisor_version=__version__,
        workload=workload,
        model=facts,
        machine=machine,
        measurements=tuple(measurements),
        recommendation=None,
        recommendation_local=None,
        caveats=(closed,),
    )
