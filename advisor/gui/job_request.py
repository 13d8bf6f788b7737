"""Turns workload and settings into an ask of the process that computes; made in the job's thread."""

from __future__ import annotations

import msgspec

from advisor.core.units import S_PER_HOUR
from advisor.gui.jobs.apart import apart
from advisor.gui.jobs.asks import AdviseAsk, VerifyAsk
from advisor.gui.models.typed_prices import TypedPrices
from advisor.gui.session import Session
from advisor.gui.settings import Settings
from advisor.gui.threads import Job
from advisor.recommend.asked import Asked
from advisor.recommend.fixed import FREE, Fixed
from advisor.recommend.recommendation import Limits
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Workload


def job_for(session: Session, settings: Settings, *, measure: bool, asked: Asked | None = None) -> Job:
    """The main job for what the window shows now; later edits do not reach it.

    `asked`: as an earlier advice was asked for, in the place of what the settings say of it.
    """
    from advisor.workload.python_source import pinned

    assert session.described.workload is not None
    # Bound to the bytes that were consented to: a file that changes before the worker reads it is refused.
    workload = pinned(session.described.workload)
    allow_code = session.described.may_run(workload)
    prices, fixed = session.prices, session.fixed

    def ask() -> AdviseAsk:
        now = ask_for(workload, settings, measure=measure, allow_code=allow_code, prices=prices, fixed=fixed)
        return msgspec.structs.replace(now, asked=asked)

    return apart(ask)


def ask_for(  # noqa: PLR0913 - what the window shows
    workload: Workload,
    settings: Settings,
    *,
    measure: bool,
    allow_code: bool,
    prices: TypedPrices | None = None,
    fixed: Fixed = FREE,
) -> AdviseAsk:
    """What the settings say of goal, limits, prices, cards, their numbers, hosts, links, budget; `prices` as typed."""
    hours = settings.limit("max_hours")
    return AdviseAsk(
        workload=workload,
        measure=measure,
        budget_s=settings.budget_s,
        gpu_keys=settings.gpu_keys,
        counts=settings.counts,
        card_counts=_card_counts(settings),
        goal=settings.goal,
        price_file=None if settings.price_file is None else str(settings.price_file),
        prices=prices,
        gpu_file=None if settings.gpu_file is None else str(settings.gpu_file),
        limits=Limits(
            max_cost=settings.limit("max_cost"),
            max_power_w=settings.limit("max_power_w"),
            max_job_s=None if hours is None else hours * S_PER_HOUR,
        ),
        fixed=fixed,
        host_memory_bytes=settings.host_memory_bytes,
        interconnect=settings.interconnect,
        allow_code=allow_code,
        data_folder=str(settings.history_folder),
    )


def _card_counts(settings: Settings) -> dict[str, tuple[int, ...]]:
    """How many of each card that is compared, where numbers are chosen: one of those that have none."""
    from advisor.recommend.candidates import DEFAULT_GPU_KEYS

    chosen = settings.card_counts
    return {key: chosen.get(key, (1,)) for key in settings.gpu_keys or DEFAULT_GPU_KEYS} if chosen else {}


def verify_job(advice: AdviceRecord, *, allow_code: bool) -> Job:
    """Runs the set-up that is advised for this machine for a minute and compares."""
    return apart(lambda: VerifyAsk(advice=advice, allow_code=allow_code))
