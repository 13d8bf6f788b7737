"""A set-up as the advice tells it: in a card, in key figures, in a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from advisor.core.sentences import Names, labelled, visible
from advisor.core.units import Estimate
from advisor.gui.context import Context
from advisor.gui.texts import Texts
from advisor.gui.widgets.card import Card, FigureRow, KeyFigure
from advisor.gui.widgets.labels import label
from advisor.predict.prediction import Prediction
from advisor.present.card_names import short_name, shown_names, tied_names
from advisor.present.summary import asked_line
from advisor.present.switched_on import switched_on
from advisor.recommend.recommendation import Recommendation
from advisor.workload.workload import Training

if TYPE_CHECKING:
    from advisor.store.advice_record import AdviceRecord

_BETWEEN_FACTS = "\N{NO-BREAK SPACE}" * 3 + "·   "


def hero_card(advice: AdviceRecord, chosen: Recommendation, texts: Texts) -> Card:
    """What to train on, how, and what shows no clear difference to it."""
    predictions, mode = advice.predictions, advice.workload.training.mode
    card = Card(role="card-hero", spacing=7, margins=(20, 14, 20, 15))
    device = short_name(visible(chosen.device.name))
    if any(
        short_name(visible(prediction.device.name)) == device
        for prediction in predictions
        if prediction.device != chosen.device
    ):
        (device,) = shown_names([chosen.device], predictions, texts.language)  # the one that is here
    devices = texts("advice-run-on", mode=mode, count=chosen.count, device=device)
    facts = [
        texts("advice-batch-short", batch=f"{chosen.batch_size_per_device:,}"),
        texts.precision(chosen.precision),
    ]
    if chosen.strategy != "single":  # The heading says that it is one device.
        facts.append(texts.strategy(chosen.strategy))
    if chosen.node_count > 1:
        facts.append(texts("advice-machines", count=chosen.node_count))
    if chosen.count > 1 or chosen.gradient_accumulation_steps > 1:
        facts.append(texts("advice-global-batch", batch=f"{chosen.global_batch_size:,}"))
    if chosen.gradient_accumulation_steps > 1:
        facts.append(texts("advice-accumulation", steps=chosen.gradient_accumulation_steps))
    facts += [texts(f"switch-{name.replace('_', '-')}") for name in chosen.added]
    if chosen.thread_count:
        facts.append(texts("advice-threads", count=chosen.thread_count))
    heading = label(devices, "hero", wrap=True, selectable=True)
    whole = (fact.replace(" ", "\N{NO-BREAK SPACE}") for fact in facts)  # a line ends between two of them
    card.put(heading, label(_BETWEEN_FACTS.join(whole), "heading", wrap=True))
    if asked := asked_line(advice, texts.language):
        card.put(label(labelled(texts("summary-asked"), asked, texts.language), "muted", wrap=True, selectable=True))
    if switched := switched_on(advice.workload.training, texts.language, but=facts):
        on = labelled(texts("summary-switched-on"), switched, texts.language)
        card.put(label(on, "muted", wrap=True))
    if chosen.tied_with:
        names = Names(names=tied_names(advice, chosen, texts.language))
        card.put(label(texts("advice-tied", devices=names), "muted", wrap=True))
    card.setAccessibleName(devices)
    card.hug()
    return card


def figure_row(
    chosen: Recommendation | Prediction, own: Prediction | None, training: Training, context: Context
) -> FigureRow:
    """Time, rate, memory and cost or energy of a set-up with their ranges; `own`: what is predicted of it, if known."""
    texts = context.texts

    def figure(code: str, estimate: Estimate, how: Callable[[float], str], below: str | None = None) -> KeyFigure:
        """With its range below, unless something else stands there."""
        under = texts.span(estimate, how) if below is None else below
        return KeyFigure(
            texts(code), how(estimate.value), under, chip=texts.basis(estimate), tip=texts("advice-basis-tip")
        )

    made = []
    if chosen.job_s is not None:
        infers = training.mode == "inference"
        whole = texts("summary-job-inference") if infers else texts("advice-epochs", count=training.epochs)
        span = texts.span(chosen.job_s, texts.duration)
        made.append(figure("advice-job", chosen.job_s, texts.duration, f"{span} · {whole}"))
    made.append(figure("advice-step", chosen.step_s, texts.duration))
    rate = chosen.samples_per_s
    made.append(figure("advice-rate", rate, texts.sample_rate, texts.span(rate, texts.rate)))
    need, cost = chosen.peak_memory_bytes, chosen.cost
    if need is not None:
        usable = own.usable_memory_bytes if own is not None else None
        below = texts.span(need, texts.size)
        if usable:
            below = " · ".join(filter(None, (below, texts("advice-of-usable", size=texts.size(usable)))))
        made.append(figure("advice-memory", need, texts.size, below))
    currency = chosen.currency or context.settings.currency
    if cost is not None:
        made.append(figure("advice-cost", cost, lambda number: texts.money(number, currency)))
    elif own is not None and own.energy_j is not None:
        made.append(figure("advice-energy", own.energy_j, texts.energy))
    return FigureRow(made)


def short_set_up(chosen: Recommendation | Prediction, texts: Texts) -> str:
    """Devices, batch, precision and time of the whole job in a line."""
    parts = [
        f"{chosen.count} × {short_name(visible(chosen.device.name))}",
        texts("advice-batch-short", batch=f"{chosen.batch_size_per_device:,}"),
        texts.precision(chosen.precision),
    ]
    if chosen.job_s is not None:
        parts.append(texts.duration(chosen.job_s.value))
    return " · ".join(parts)
