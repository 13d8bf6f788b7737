"""What each ask is answered by; only the child imports what does the work."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from advisor.core.records import shared_fields
from advisor.gui.jobs.asks import (
    AdviseAsk,
    Ask,
    CasesAsk,
    DetectAsk,
    KeptAdviceAsk,
    LogAsk,
    NewestAdviceAsk,
    PlainAsk,
    SavedAdviceAsk,
    TraceAsk,
    VerifyAsk,
)
from advisor.optable.op_table import OpTable
from advisor.recommend.asked import Asked

if TYPE_CHECKING:
    import threading

    from advisor.advice import AdviceRequest
    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.recommend.prices import Prices
    from advisor.store.advice_record import AdviceRecord


_LOOKED_BACK = 20
"""Runs: who closes so many windows in a row on their jobs looks for no advice."""


def answer(ask: Ask, cancelled: threading.Event) -> Generator[object, None, object]:
    """Events of the work; its value is the result. Raises UserFacingError."""
    if isinstance(ask, AdviseAsk):
        from advisor.advice import advise_events

        return (yield from advise_events(request_of(ask), cancelled=cancelled))
    if isinstance(ask, VerifyAsk):
        from advisor.advice.verification import verify

        return (yield from verify(ask.advice, allow_code=ask.allow_code, cancelled=cancelled))
    if isinstance(ask, TraceAsk):
        return (yield from _trace_one(ask, cancelled))
    yield from ()
    return _plain(ask)


def _plain(ask: PlainAsk) -> object:
    """The result of an ask that tells nothing meanwhile."""
    if isinstance(ask, DetectAsk):
        from advisor.hardware.detect import detect_machine

        return detect_machine()
    if isinstance(ask, SavedAdviceAsk | KeptAdviceAsk | NewestAdviceAsk):
        return _kept(ask)
    if isinstance(ask, LogAsk):
        from advisor.logs.log_lines import parse_log
        from advisor.logs.training_log import explain_log

        return explain_log(parse_log(ask.text))
    from advisor.catalogue.spec_table import spec_table
    from advisor.claims.predictor import Predictor, tables_of
    from advisor.store.kept_tables import kept_tables

    if isinstance(ask, CasesAsk):
        from advisor.cases.answers import answer_all_cases

        return answer_all_cases(Predictor(spec_table()))
    from advisor.claims.judge import check_claim

    return check_claim(ask.text, Predictor(spec_table(), partial(tables_of, kept=kept_tables(ask.data_folder))))


def _kept(ask: SavedAdviceAsk | KeptAdviceAsk | NewestAdviceAsk) -> AdviceRecord | None:
    """An advice of a file or of the history."""
    if isinstance(ask, SavedAdviceAsk):
        from advisor.store import json_file

        return json_file.read(Path(os.fsdecode(ask.path)))
    from advisor.store.history import History

    with History(Path(ask.folder)) as history:
        if isinstance(ask, KeptAdviceAsk):
            return history.load(ask.entry_index)
        kept = (history.load(run.entry_index) for run in history.runs()[:_LOOKED_BACK])
        # A window that was closed on its job may have left measurements alone.
        return next((advice for advice in kept if advice is not None and advice.predictions), None)


def request_of(ask: AdviseAsk) -> AdviceRequest:
    """The request of the main job. Raises InputError for a bad price file or a bad file of cards."""
    from advisor.advice import AdviceRequest
    from advisor.catalogue.spec_table import read_gpu_file, spec_table

    own = read_gpu_file(Path(ask.gpu_file)) if ask.gpu_file is not None else {}
    specs = {**spec_table(), **own}
    request = AdviceRequest(
        workload=ask.workload,
        measure=ask.measure,
        budget_s=ask.budget_s,
        gpu_keys=ask.gpu_keys,
        counts=ask.counts,
        card_counts=ask.card_counts,
        extra_specs=tuple(own.values()),
        goal=ask.goal,
        prices=_prices_of(ask, specs),
        limits=ask.limits,
        fixed=ask.fixed,
        host_memory_bytes=ask.host_memory_bytes,
        interconnect=ask.interconnect,
        allow_code=ask.allow_code,
        data_folder=ask.data_folder,
    )
    if ask.asked is None:
        return request
    return msgspec.structs.replace(request, **shared_fields(ask.asked, Asked))


def _prices_of(ask: AdviseAsk, specs: Mapping[str, GpuSpec]) -> Prices | None:
    """The file's prices and, before them, those typed in its currency; None: there are none. Raises InputError."""
    from advisor.recommend.prices import Prices, read_prices

    prices = read_prices(Path(ask.price_file), specs) if ask.price_file is not None else None
    typed = ask.prices
    if typed is None or (prices is not None and prices.currency != typed.currency):
        return prices
    base = prices or Prices(currency=typed.currency, date=typed.date)
    return msgspec.structs.replace(base, devices={**base.devices, **typed.devices})


def _trace_one(ask: TraceAsk, cancelled: threading.Event) -> Generator[object, None, OpTable | None]:
    """One operator table of a workload: by arithmetic, from the saved or kept ones, or by the worker."""
    from advisor.catalogue.precisions import TRACE_PRECISIONS
    from advisor.measure.traces import trace_workload
    from advisor.store.kept_tables import kept_tables

    precision, kept = TRACE_PRECISIONS[ask.workload.training.precision], kept_tables(ask.data_folder)
    traced = trace_workload(ask.workload, (precision,), allow_code=ask.allow_code, cancelled=cancelled, kept=kept)
    return (yield from traced).get(precision)
