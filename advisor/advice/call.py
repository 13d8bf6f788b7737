"""The main job as a program calls it: `advise`, whose arguments are named as the command line's flags are."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import get_args

from advisor.advice import advise_events
from advisor.advice.advice import Advice
from advisor.advice.request import AdviceRequest, check
from advisor.catalogue.counted_cards import counted_card, counts_by_key
from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.gpu_words import cards_meant
from advisor.catalogue.spec_table import read_gpu_file, spec_table
from advisor.catalogue.strategies import MOST_DEVICES
from advisor.core.drive import drive
from advisor.core.errors import InputError
from advisor.core.file_fault import shown_value
from advisor.core.sentences import Names, SaidError
from advisor.core.units import S_PER_HOUR
from advisor.measure.events import RunnerEvent
from advisor.protocol.budgets import MEASURING_S
from advisor.recommend.candidates import unknown_cards, with_own_cards
from advisor.recommend.dealing import counts_over, left_out_counts, require_even_nodes
from advisor.recommend.prices import Prices, read_prices
from advisor.recommend.recommendation import Goal, Limits
from advisor.workload.python_source import code_to_run, needs_consent, pinned
from advisor.workload.workload import Workload
from advisor.workload.workload_file import checked, load_workload

_BETWEEN = r"\s*[,;，、；]\s*"
"""Names of cards in one text."""
_BYTES_PER_GIB = 2.0**30


def advise(  # noqa: PLR0913 - what is trained, on what, for what, and how it is found out: named, with a default each
    workload: Workload | str | Path,
    *,
    measure: bool = True,
    budget_s: float = MEASURING_S,
    gpus: Sequence[str] | str | None = None,
    gpu_file: str | Path | None = None,
    counts: Sequence[int] | None = None,
    nodes: int | None = None,
    interconnect: str | None = None,
    host_memory_gib: float | None = None,
    goal: Goal = "time",
    prices: Prices | str | Path | None = None,
    max_cost: float | None = None,
    max_power_w: float | None = None,
    max_hours: float | None = None,
    global_batch: int | None = None,
    allow_code: bool = False,
    on_event: Callable[[RunnerEvent], None] | None = None,
) -> Advice:
    """Find out how `workload` is best trained; `on_event` sees each event.

    A workload is a `Workload`, a bundled name or a path. `gpus` are keys of the spec table or names as on the command
    line (`4090`, `A100`), also joined by commas: one that leaves the variant open stands for all of them, and a number
    beside it compares so many (`2x 3090, 1x A100`). The cards of a `gpu_file` are compared too. `counts` are the
    numbers of cards to try where none is beside them (1, 2, 4 and 8 a machine; one beside cards with a number).

    `nodes` are machines, `interconnect` the link between cards as on the command line (`NVLink 4.0`, `PCIe 4.0 x8`,
    `25 GB/s`), `host_memory_gib` the GiB of each machine with GPUs. `goal` is what is made small; `prices` a price file
    or what it holds; `max_cost` (of the job, in its currency), `max_power_w` (watts of all devices) and `max_hours` (of
    the job) are limits. `global_batch` is held, in samples a step. With `allow_code` a workload's own Python file may
    run.

    Raises UserFacingError for a bad workload or file, for a name that no card or link has, a number that none can have,
    and for a file that must not run.
    """
    described = checked(workload) if isinstance(workload, Workload) else load_workload(workload)
    if not allow_code and needs_consent(described):
        path, digest = code_to_run(described) or ("", "")
        raise SaidError.of("command-runs-code", path=str(path), digest=digest, asked_by="call")
    own = {} if gpu_file is None else read_gpu_file(Path(gpu_file))
    specs = {**spec_table(), **own}
    names = re.split(_BETWEEN, gpus.strip()) if isinstance(gpus, str) else gpus
    pairs = None if names is None else _cards_meant(names, specs)
    keys = with_own_cards(None if pairs is None else (key for key, _ in pairs), own)
    _require_whole("nodes", nodes)
    _require_whole("global_batch", global_batch)
    most_hours = _above_zero("max_hours", max_hours)
    memory_gib = _above_zero("host_memory_gib", host_memory_gib)
    if goal not in get_args(Goal):
        raise SaidError.of("command-call-goal", given=shown_value(goal), names=Names(names=get_args(Goal)))
    if max_cost is not None and prices is None:
        raise SaidError.of("command-call-no-prices")
    request = AdviceRequest(
        workload=pinned(described),
        measure=measure,
        budget_s=budget_s,
        gpu_keys=keys,
        extra_specs=tuple(own.values()),
        counts=counts_over(nodes) if counts is None else _checked_counts(counts),
        card_counts=counts_by_key(pairs or (), counts, keys or ()),
        goal=goal,
        prices=read_prices(Path(prices), specs) if isinstance(prices, str | Path) else prices,
        limits=Limits(
            max_cost=_above_zero("max_cost", max_cost),
            max_power_w=_above_zero("max_power_w", max_power_w),
            max_job_s=None if most_hours is None else most_hours * S_PER_HOUR,
        ),
        global_batch_size=global_batch,
        host_memory_bytes=None if memory_gib is None else memory_gib * _BYTES_PER_GIB,
        interconnect=interconnect,
        node_count=nodes,
        allow_code=allow_code,
    )
    try:
        require_even_nodes(request.every_count, nodes)
        left_out_counts(global_batch, request.every_count)
        check(request)
    except InputError as error:
        raise InputError(_by_argument(error.text), _by_argument(error.remedy)) from error
    return Advice.of(drive(advise_events(request), on_event))


def _by_argument(text: str) -> str:
    """The text with the name of the argument in place of the flag of the command line that is the same."""
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda flag: flag[1].replace("-", "_"), text)


def _checked_counts(counts: Sequence[int]) -> tuple[int, ...]:
    """The numbers of cards in order, each once. Raises SaidError for one that no job has."""
    wrong = [count for count in counts if not (isinstance(count, int) and 1 <= count <= MOST_DEVICES)]
    if wrong or not counts:
        given = shown_value(wrong[0] if wrong else list(counts))
        raise SaidError.of("command-call-counts", given=given, most=MOST_DEVICES)
    return tuple(sorted(set(counts)))


def _require_whole(argument: str, value: int | None) -> None:
    if value is not None and not (type(value) is int and value >= 1):
        raise SaidError.of("command-call-whole", argument=argument, given=shown_value(value))


def _above_zero(argument: str, value: float | None) -> float | None:
    """The number. Raises SaidError for what is no limit."""
    number = type(value) in {int, float}
    if value is not None and not (number and math.isfinite(value) and value > 0.0):
        raise SaidError.of("command-call-number", argument=argument, given=shown_value(value))
    return value


def _cards_meant(gpus: Sequence[str], specs: Mapping[str, GpuSpec]) -> list[tuple[str, int | None]]:
    """Their keys, each with the number beside its name. Raises SaidError for names that mean no card."""
    cards = [counted_card(words, specs, "call") for words in gpus]
    meant = {card.words: cards_meant(card.words, specs) for card in cards}
    unknown = [words for words, keys in meant.items() if not keys]
    if unknown:
        raise unknown_cards(unknown, specs, "call")
    return [(key, card.number) for card in cards for key in meant[card.words]]
