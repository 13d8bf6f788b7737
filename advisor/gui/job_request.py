"""Turns workload and settings into a call of the main job; runs in the job's thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading
    from collections.abc import Generator

    from advisor.advice import AdviceRequest
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings
    from advisor.gui.threads import Job
    from advisor.store.advice_record import AdviceRecord
    from advisor.workload.workload import Workload


_S_PER_HOUR = 3600.0


def job_for(session: Session, settings: Settings, *, measure: bool) -> Job:
    """The main job for what the window shows now; later edits do not reach it."""
    from advisor.workload.python_source import pinned

    assert session.workload is not None
    # Bound to the bytes that were consented to: a file that changes before the worker reads it is refused.
    workload = pinned(session.workload)
    allow_code = session.may_run(workload)

    def job(cancelled: threading.Event) -> Generator[object, None, object]:
        from advisor.advice import advise_events

        request = request_for(workload, settings, measure=measure, allow_code=allow_code)
        return advise_events(request, cancelled=cancelled)

    return job


def request_for(workload: Workload, settings: Settings, *, measure: bool, allow_code: bool) -> AdviceRequest:
    """What the settings say of goal, limits, prices and budget. Raises InputError for a bad price file."""
    from advisor.advice import AdviceRequest
    from advisor.catalogue.spec_table import spec_table
    from advisor.gui.history_access import folder_of
    from advisor.recommend.prices import read_prices
    from advisor.recommend.recommendation import Limits

    path = settings.price_file
    return AdviceRequest(
        workload=workload,
        measure=measure,
        budget_s=settings.budget_s,
        gpu_keys=settings.gpu_keys,
        goal=settings.goal,
        prices=read_prices(path, spec_table()) if path is not None else None,
        limits=Limits(
            max_cost=settings.max_cost,
            max_power_w=settings.max_power_w,
            max_job_s=None if settings.max_hours is None else settings.max_hours * _S_PER_HOUR,
        ),
        allow_code=allow_code,
        calibration_folder=str(folder_of(settings.data_folder)),
    )


def verify_job(advice: AdviceRecord, *, allow_code: bool) -> Job:
    """Runs the set-up that is advised for this machine for a minute and compares."""

    def job(cancelled: threading.Event) -> Generator[object, None, object]:
        from advisor.advice.verification import verify

        return verify(advice, allow_code=allow_code, cancelled=cancelled)

    return job
