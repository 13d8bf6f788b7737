"""The advice as words and tables, once: terminal, Markdown and clipboard show the same content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.by_key import grouped
from advisor.core.money import format_cost
from advisor.core.records import Record
from advisor.core.sentences import Language, Reason, listed, say, sentence, visible
from advisor.core.shown_names import shown_card
from advisor.core.units import (
    Estimate,
    format_bytes,
    format_count,
    format_energy,
    format_quantity,
    format_range,
    format_rate,
    format_seconds,
    value_of,
)
from advisor.predict.prediction import Prediction
from advisor.present.card_names import tied_names
from advisor.present.checked_steps import checked_steps
from advisor.present.look import OVER_LIMITS
from advisor.present.switch_table import gain_is_told, help_sentences, switch_table
from advisor.present.switched_on import switched_on
from advisor.present.table_cells import set_up_cells, step_cells, strategy_name
from advisor.present.tables import Table, table_of
from advisor.present.workload_titles import workload_title
from advisor.recommend.asked import asked_reasons
from advisor.recommend.batch_size import largest_global_batch
from advisor.recommend.precisions import stand_in
from advisor.recommend.ranking import score
from advisor.recommend.recommendation import Goal, Recommendation, names_set_ups, prediction_of, rests_on
from advisor.recommend.strategy import best_by_count
from advisor.recommend.switches import Switch
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Mode

_AUTOCASTS = (PRECISION_LABELS["fp16_amp"], PRECISION_LABELS["bf16_amp"])


class Section(Record, frozen=True, kw_only=True):
    """A heading with its sentences."""

    title: str
    sentences: tuple[str, ...]


class Summary(Record, frozen=True, kw_only=True):
    """What a person reads: the advice in a line, its figures, why, what else, and what to beware of."""

    title: str
    headline: str
    figures: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    tables: tuple[Table, ...]
    table_place: int | None = None
    """How many sections stand before the tables; None: all."""


def summarise(advice: AdviceRecord, language: Language) -> Summary:
    """The summary of an advice in a language; a pure function, so a reopened advice reads the same."""
    main = advice.main
    also = [reason for reason in advice.reasons if main is None or reason not in main.why]
    sections_by_code = {
        "summary-why": said(main.why if main else (), language),
        "summary-also": said(also, language),
        "summary-change": said(_not_told_as_help(main.would_change_if if main else (), advice.switches), language),
    }
    better = {"summary-help": help_of(advice, language)}
    sections_by_code = better | sections_by_code if help_comes_first(main) else sections_by_code | better
    sections_by_code["summary-caveats"] = said(advice.caveats, language)
    sections = [
        Section(title=sentence(code, language), sentences=lines) for code, lines in sections_by_code.items() if lines
    ]
    local, mode = advice.recommendation_local, advice.workload.training.mode
    if local is not None and (main is None or set_up_line(local, language) != set_up_line(main, language)):
        here = Section(title=sentence("summary-here", language), sentences=(set_up_line(local, language, mode),))
        sections.insert(0, here)
    devices, measured = _device_table(advice, language), _measured_table(advice, language)
    tables = (devices, measured, switch_table(advice.switches, language))
    return Summary(
        title=visible(sentence("summary-title", language, workload=workload_title(advice.workload.name, language))),
        headline=set_up_line(main, language, mode) if main else sentence("summary-nothing", language),
        figures=(*_asked(advice, language), *(_figures(main, advice, language) if main else ())),
        sections=tuple(sections),
        tables=tuple(table for table in tables if table is not None),
    )


def asked_line(advice: AdviceRecord, language: Language) -> str:
    """Goal, limits, prices and hosts that were asked for, in a line; empty where all is as usual or was not kept."""
    return "" if advice.asked is None else listed(said(asked_reasons(advice.asked), language), language)


def _asked(advice: AdviceRecord, language: Language) -> Iterator[tuple[str, str]]:
    if line := asked_line(advice, language):
        yield sentence("summary-asked", language), line


def help_of(advice: AdviceRecord, language: Language) -> tuple[str, ...]:
    """What would help most, in sentences."""
    row = prediction_of(advice.predictions, advice.main)
    room_bytes = row.usable_memory_bytes if row is not None and row.may_run_out else None
    trains_all = advice.workload.training.trainable == "all"
    return help_sentences(advice.switches, language, room_bytes, adds_adapters=trains_all)


def help_comes_first(main: Recommendation | None) -> bool:
    """Whether nothing is advised, or a makeshift: what would be better is told before why."""
    return main is None or STRATEGY_FACTS[main.strategy].offloads


def _not_told_as_help(reasons: Sequence[Reason], switches: Sequence[Switch]) -> Iterator[Reason]:
    """Without what 16-bit autocast would gain in the same set-up, where what would help says it with its range."""
    helps = any(switch.kind == "half" and gain_is_told(switch) for switch in switches)
    for reason in reasons:
        if not (helps and reason.code == "change-precision-same" and reason.numbers.get("precision") in _AUTOCASTS):
            yield reason


def said(reasons: Iterable[Reason], language: Language) -> tuple[str, ...]:
    """The sentences of reasons; one that was found twice on the way (by the device and by the whole) is said once."""
    return tuple(dict.fromkeys(visible(say(reason, language)) for reason in reasons))


def set_up_line(chosen: Recommendation, language: Language, mode: Mode = "training") -> str:
    """The recommended set-up in one line, in the words of what it does: train, infer, or forward and backward."""
    code = "summary-set-up-one" if chosen.count == 1 else "summary-set-up-many"
    return sentence(
        code,
        language,
        mode=mode,
        device=visible(chosen.device.name),
        devices=chosen.count,
        machines=chosen.node_count,
        strategy=strategy_name(chosen.strategy, language),
        kind=chosen.strategy,
        precision=PRECISION_LABELS[chosen.precision],
        batch=chosen.batch_size_per_device,
        accumulation=chosen.gradient_accumulation_steps,
        added="_".join(chosen.added) or "nothing",
    )


def expected_line(chosen: Recommendation, mode: Mode = "training") -> str:
    """The set-up and what its step is expected to take, for the head of a file that is read in English."""
    step, low, high = (format_seconds(each) for each in (chosen.step_s.value, chosen.step_s.low, chosen.step_s.high))
    basis = sentence(f"basis-{chosen.step_s.basis}", "en")
    return f"{set_up_line(chosen, 'en', mode)} Expected step: {step} ({low} – {high}, {basis})."


def in_mode(code: str, mode: Mode) -> str:
    """Message id of what has another name where a model only infers: a job then answers every sample once."""
    return f"{code}-inference" if mode == "inference" else code


def estimate_text(estimate: Estimate | None, formatter: Callable[[float], str], language: Language) -> str:
    """An estimate with range and basis, or the word for unknown."""
    if estimate is None:
        return sentence("unknown", language)
    comma = "，" if language == "zh" else ", "
    return f"{format_range(estimate, formatter)}{comma}{sentence('basis-' + estimate.basis, language)}"


def _figures(chosen: Recommendation, advice: AdviceRecord, language: Language) -> tuple[tuple[str, str], ...]:
    training = advice.workload.training
    mode = training.mode
    rows: list[tuple[str, str]] = [
        ("summary-step", estimate_text(chosen.step_s, format_seconds, language)),
        (in_mode("summary-job", mode), estimate_text(chosen.job_s, format_seconds, language)),
        ("summary-rate", estimate_text(chosen.samples_per_s, format_rate, language)),
        ("summary-memory", estimate_text(chosen.peak_memory_bytes, format_bytes, language)),
    ]
    if chosen.cost is not None:
        written = partial(format_cost, currency=chosen.currency, language=language)
        rows.append(("summary-cost", estimate_text(chosen.cost, written, language)))
    if switched := switched_on(training, language):
        rows.append(("summary-switched-on", switched))
    prediction = prediction_of(advice.predictions, chosen)
    if prediction is not None and prediction.energy_j is not None:
        rows.append(("report-energy", estimate_text(prediction.energy_j, format_energy, language)))
    if chosen.tied_with:
        rows.append(("summary-tied", listed(tied_names(advice, chosen, language), language)))
    model = advice.model
    if model.parameter_count is not None:
        rows.append(("summary-parameters", format_count(model.parameter_count)))
    if model.flop_per_sample is not None:
        rows.append((in_mode("summary-flop", mode), format_quantity(model.flop_per_sample, "FLOP")))
    return tuple((sentence(code, language), text) for code, text in rows)


def best_by_device(advice: AdviceRecord) -> tuple[Prediction, ...]:
    """For every device and count the set-up that the advice would take there, the best for its goal first.

    As in the advice, a step's global batch stays within what training is known to take; the advised set-up itself is
    always among them. Where nothing fits, the smallest need is shown as not fitting. A device that lacks the precision
    is shown at the one that stands in for it.
    """
    entered = [advice.predictions[place] for place in advice.best_set_ups]
    compared = {prediction.device.key for prediction in entered}
    others = grouped(
        (prediction for prediction in advice.predictions if prediction.device.key not in compared),
        lambda prediction: prediction.device.key,
    )
    best: dict[tuple[str, int], Prediction] = {}
    for of_device in others.values():
        used = stand_in({prediction.precision for prediction in of_device}, advice.shown_precision)
        members = [prediction for prediction in of_device if prediction.precision == used]
        for member in sorted(members, key=_need_bytes):
            best.setdefault(member.device_and_count, member)
        if not entered:
            best |= {prediction.device_and_count: prediction for prediction in _chosen_among(members, advice)}
    goal = "time" if advice.recommendation is None else advice.recommendation.goal
    return tuple(sorted([*entered, *best.values()], key=lambda prediction: _order(prediction, goal)))


def _chosen_among(members: Sequence[Prediction], advice: AdviceRecord) -> Iterator[Prediction]:
    """What the advice would take of a device's set-ups, where its record does not tell which it compared."""
    advised, limit = advice.recommendation, largest_global_batch(advice.workload)
    if advised is not None:
        limit = max(limit, advised.global_batch_size)
    yield from best_by_count(members, advice.workload.training, limit)
    if advised is not None:
        yield from (prediction for prediction in members if rests_on(advised, prediction))


def _need_bytes(prediction: Prediction) -> tuple[float, int]:
    return (value_of(prediction.peak_memory_bytes), prediction.global_batch_size)


def _order(prediction: Prediction, goal: Goal) -> tuple[bool, bool, float, str]:
    """What the goal makes small first, money before GPU-hours; what does not fit last."""
    if prediction.fits is False:
        return (True, False, _excess_ratio(prediction), prediction.device.key)
    amount = score(prediction, goal)
    unpriced = goal == "cost" and prediction.cost is None
    return (False, unpriced, value_of(amount, float("inf")), prediction.device.key)


def _excess_ratio(prediction: Prediction) -> float:
    """How many times its room a set-up needs: of those that do not fit, the nearest to it is told first."""
    share = prediction.memory_share
    return float("inf") if share is None else share


def _device_table(advice: AdviceRecord, language: Language) -> Table | None:
    shown = best_by_device(advice)
    if not shown:
        return None
    own = own_precisions(advice, shown)
    names = ("device", "count", "strategy", *(("precision",) if own else ()))
    named = names_set_ups(advice.main)
    priced = any(prediction.cost is not None for prediction in shown)
    epoch = ("epoch",) if named and advice.workload.training.epochs != 1 else ()
    spent = (*(("cost",) if priced else ()), "energy") if named else ()
    names += ("batch", "step", "range", *epoch, "job", "memory", "fits", *spent, "basis")
    rows = (
        set_up_cells(
            prediction,
            names,
            language,
            device=f"{shown_card(visible(prediction.device.name))}{limit_mark(advice, prediction)}",
            epoch=epoch_cell(prediction, advice, language),
        )
        for prediction in shown
    )
    return table_of(devices_title(advice, language, own=own), names, rows, language, first_number="batch")


def epoch_cell(prediction: Prediction, advice: AdviceRecord, language: Language) -> str:
    """How long an epoch takes, with its share of what the job spends on validation."""
    if prediction.job_s is None:
        return sentence("unknown", language)
    return format_seconds(prediction.job_s.value / advice.workload.training.epochs)


def own_precisions(advice: AdviceRecord, shown: Iterable[Prediction]) -> bool:
    """Whether a device of a table lacks the advised precision, or the room for it, so that each row names its own."""
    return any(prediction.precision != advice.shown_precision for prediction in shown)


def devices_title(advice: AdviceRecord, language: Language, *, own: bool) -> str:
    """The title of the devices' table; `own`: some of its rows are of a precision of their own."""
    code = "summary-devices-own" if own else "summary-devices"
    title = sentence(code, language, precision=PRECISION_LABELS[advice.shown_precision])
    return explained_marks(title, advice, language)


def explained_marks(title: str, advice: AdviceRecord, language: Language) -> str:
    """A title of a table of set-ups that also says what the mark of those beyond a limit means, where there are any."""
    return sentence("summary-over-limits", language, title=title, mark=OVER_LIMITS) if advice.over_limits else title


def limit_mark(advice: AdviceRecord, prediction: Prediction) -> str:
    """What stands behind the device of a set-up beyond a limit."""
    return f" {OVER_LIMITS}" if advice.is_over_limits(prediction) else ""


def _measured_table(advice: AdviceRecord, language: Language) -> Table | None:
    names = ("device", "precision", "batch", "median", "interval", "samples", "verdict")
    rows = [step_cells(checked, names, language) for checked in checked_steps(advice)]
    title = sentence("summary-measured", language)
    return table_of(title, names, rows, language, first_number="batch") if rows else None
