"""The charts of the Advice page: batch curve, crossover, memory, strategies, time split."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.core.sentences import labelled, visible
from advisor.core.shown_names import shown_card
from advisor.gui.context import Context
from advisor.gui.plots.bars import Bar, BarChart
from advisor.gui.plots.chart import seconds_tick
from advisor.gui.plots.curves import Curve, CurveChart, Mark, Point
from advisor.gui.plots.stacked import Piece, Stack, StackChart
from advisor.gui.widgets.boxes import REST
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label
from advisor.predict.prediction import Prediction
from advisor.present.batch_curve import batch_curve, up_to_the_limit
from advisor.present.card_names import device_names, short_name
from advisor.present.look import device_colour, device_places, memory_part_colour, step_part_colour
from advisor.present.table_cells import strategy_of
from advisor.recommend.comparison import counted
from advisor.recommend.crossover import fastest_alone
from advisor.recommend.precisions import at_least_as_exact
from advisor.recommend.recommendation import Crossover, Recommendation, batch_advice_on, prediction_of, rests_on

if TYPE_CHECKING:
    from advisor.store.advice_record import AdviceRecord

_MOST_STRATEGIES = 9
_MEMORY_ROWS = 6
_CPU = "cpu"


def prediction_tip(prediction: Prediction, context: Context, *, over_limits: bool = False) -> str:
    """Everything that is known of a set-up, for a tooltip; `over_limits`: it passes a limit that was given."""
    texts = context.texts

    def line(code: str, text: str) -> str:
        return labelled(texts(code), text, texts.language)

    how = f"{strategy_of(prediction, texts.language)} · {texts.precision(prediction.precision)}"
    step_s, rate = prediction.step_s, prediction.samples_per_s
    lines = [
        visible(f"{prediction.count} × {shown_card(prediction.device.name)} · {how}"),
        texts(
            "advice-tip-batch",
            batch=f"{prediction.batch_size_per_device:,}",
            steps=prediction.gradient_accumulation_steps,
            total=f"{prediction.global_batch_size:,}",
        ),
        line("advice-step", f"{texts.duration(step_s.value)} ({texts.span(step_s, texts.duration)})"),
        line("advice-rate", f"{texts.sample_rate(rate.value)} ({texts.span(rate, texts.rate)})"),
    ]
    if prediction.peak_memory_bytes is not None:
        need = texts.size(prediction.peak_memory_bytes.value)
        lines.append(line("advice-memory", f"{need} / {texts.size(prediction.usable_memory_bytes)}"))
    lines.append(line("column-basis", texts.basis(step_s)))
    lines += [texts("advice-tip-over-limits")] if over_limits else []
    return "\n".join(lines)


def batch_card(advice: AdviceRecord, chosen: Recommendation, context: Context) -> Card:
    """Throughput against batch size on one of the advised devices, with knee and memory limit.

    On as many as are advised where the question named set-ups, and one alone is none of them.
    """
    texts, theme = context.texts, context.theme
    curve = batch_curve(advice.predictions, chosen.device.key, chosen.precision, chosen)
    count = curve[0].count if curve else 1
    card = Card(texts("advice-batch-title"), note=counted(count, short_name(visible(chosen.device.name))))
    chart = CurveChart(theme, texts("advice-batch-title"), (texts("axis-batch"), texts("axis-samples-per-s")))
    points = _points(curve, context)
    size = chosen.batch_size_per_device
    # What bends and ends the curve of one card does not that of several.
    advised = batch_advice_on(chosen, advice.batch_advice) if count == 1 else None

    def mark(code: str, batch: int, colour: str) -> Mark:
        return Mark(x=batch, text=texts(code, batch=f"{batch:,}"), colour=colour)

    marks = [mark("mark-advised", size, theme.accent)]
    if advised is not None and advised.knee is not None and advised.knee != size:
        marks.append(mark("mark-knee", advised.knee, theme.muted))
    if advised is not None and advised.largest_that_fits is not None:
        marks.append(mark("mark-limit", advised.largest_that_fits, theme.danger))
    chart.show_curves([Curve(name="", colour=theme.accent, points=points)], marks)
    words = label(texts.say(advised.reason) if advised is not None else texts("advice-hollow"), "muted", wrap=True)
    card.put(*([(chart, 1), words] if len(points) > 1 else [words, REST]))  # one size alone makes no curve
    return card


def _points(curve: tuple[Prediction, ...], context: Context, *, seconds: bool = False) -> tuple[Point, ...]:
    return tuple(
        Point(
            x=prediction.batch_size_per_device,
            estimate=prediction.step_s if seconds else prediction.samples_per_s,
            tip=prediction_tip(prediction, context),
            fits=prediction.fits is not False,
        )
        for prediction in curve
    )


def crossover_card(advice: AdviceRecord, chosen: Recommendation, context: Context) -> Card | None:
    """Step time of CPU and GPU against batch size; None where there is no CPU to compare with."""
    texts, theme, gpu = context.texts, context.theme, _crossover_gpu(advice, chosen)
    if gpu is None:
        return None
    names = device_names(advice.predictions)
    asked = advice.workload.training.precision
    # What the sentence below is of: each at its fastest precision.
    curves_of = fastest_alone(
        [prediction for prediction in advice.predictions if at_least_as_exact(prediction.precision, asked)]
    )
    of_host, of_gpu = (
        tuple(prediction for _size, prediction in sorted(curves_of.get(key, {}).items())) for key in (_CPU, gpu)
    )
    if not of_host or not of_gpu:
        return None
    card, titles = Card(texts("advice-crossover-title")), (texts("axis-batch"), texts("axis-step"))
    chart = CurveChart(theme, texts("advice-crossover-title"), titles, log_y=True, y_text=seconds_tick)
    crossover, places = _crossover(advice, gpu), device_places(advice.machine, advice.predictions)
    marks, size = [], None if crossover is None else crossover.batch_size
    if size is not None:
        marks.append(Mark(x=size, text=texts("mark-crossover", batch=f"{size:,}"), colour=theme.muted))
    looks = (
        (texts("machine-cpu"), device_colour(None, theme.shade), of_host),
        (short_name(visible(names[gpu])), device_colour(places.get(gpu, 0), theme.shade), of_gpu),
    )
    precisions = {prediction.precision for prediction in (*of_host, *of_gpu)}
    curves = []
    for name, colour, points in looks:
        own = {prediction.precision for prediction in points}
        of_one = f" · {texts.precision(points[0].precision)}" if len(precisions) > len(own) == 1 else ""
        curves.append(Curve(name=name + of_one, colour=colour, points=_points(points, context, seconds=True)))
    chart.show_curves(curves, marks)
    card.put((chart, 1))
    if crossover is not None:
        card.put(label(texts.say(crossover.reason), "muted", wrap=True))
    return card


def _crossover_gpu(advice: AdviceRecord, chosen: Recommendation) -> str | None:
    if chosen.device.key != _CPU:
        return chosen.device.key
    keys = [device.key for device in chosen.tied_with] + [crossover.gpu_key for crossover in advice.crossovers]
    keys += [prediction.device.key for prediction in advice.predictions]
    return next((key for key in keys if key != _CPU), None)


def _crossover(advice: AdviceRecord, gpu: str) -> Crossover | None:
    return next(
        (crossover for crossover in advice.crossovers if crossover.cpu_key == _CPU and crossover.gpu_key == gpu), None
    )


def memory_rows(advice: AdviceRecord, chosen: Recommendation) -> tuple[Prediction, ...]:
    """What one of the advised devices needs at batch sizes around the advised one, ascending.

    Holds the advised batch, the largest that fits and the first that does not, and fills up with smaller ones.
    """
    by_size: dict[int, Prediction] = {}
    for prediction in advice.predictions:
        if prediction.memory_parts and prediction.differs_at_most_by(
            chosen, "batch_size_per_device", "gradient_accumulation_steps"
        ):
            by_size.setdefault(prediction.batch_size_per_device, prediction)
            if rests_on(chosen, prediction):  # accumulated as advised: its figure stands above, too
                by_size[prediction.batch_size_per_device] = prediction
    curve = up_to_the_limit([by_size[size] for size in sorted(by_size)])
    fitting = [prediction for prediction in curve if prediction.fits is not False]
    kept = [prediction for prediction in curve if prediction.fits is False or prediction is fitting[-1]]
    kept += [
        prediction
        for prediction in curve
        if prediction.batch_size_per_device == chosen.batch_size_per_device and prediction not in kept
    ]
    kept += [prediction for prediction in reversed(curve) if prediction not in kept][: max(_MEMORY_ROWS - len(kept), 0)]
    return tuple(sorted(kept, key=lambda prediction: prediction.batch_size_per_device))


def memory_card(advice: AdviceRecord, chosen: Recommendation, context: Context) -> Card | None:
    """Peak memory by use at batch sizes around the advised one, with what a step can take as a mark."""
    texts, rows = context.texts, memory_rows(advice, chosen)
    if not rows:
        return None
    card = Card(texts("advice-memory-title"))
    chart = StackChart(context.theme, texts("advice-memory-title"))
    stacks = []
    for row in rows:
        need, usable_bytes = row.peak_memory_bytes, row.usable_memory_bytes
        pieces = tuple(
            Piece(
                name=texts(f"memory-part-{part.kind}"),
                size=part.size_bytes,
                text=texts.size(part.size_bytes),
                colour=memory_part_colour(part.kind, context.theme.shade),
            )
            for part in row.memory_parts
        )
        stacks.append(
            Stack(
                name=texts("advice-batch-row", batch=f"{row.batch_size_per_device:,}"),
                pieces=pieces,
                text=texts.size(need.value if need is not None else None),
                limit=usable_bytes,
                limit_text=texts("advice-usable", size=texts.size(usable_bytes)),
                warn=row.fits is False,
                chosen=row.batch_size_per_device == chosen.batch_size_per_device,
            )
        )
    chart.show_stacks(stacks)
    usable = texts("advice-memory-mark", size=texts.size(rows[0].usable_memory_bytes))
    card.put(chart, label(usable, "muted", wrap=True), REST)  # beside the title it makes the smallest window too narrow
    return card


def strategies_of(advice: AdviceRecord, chosen: Recommendation) -> tuple[Prediction, ...]:
    """The advised device at the advised batch and precision: every count, strategy and accumulation, best first."""
    best: dict[tuple[int, str, int], Prediction] = {}
    for prediction in advice.predictions:
        if prediction.differs_at_most_by(chosen, "count", "strategy", "gradient_accumulation_steps"):
            best.setdefault((prediction.count, prediction.strategy, prediction.gradient_accumulation_steps), prediction)
    return tuple(sorted(best.values(), key=lambda prediction: (prediction.count, -prediction.samples_per_s.value)))


def strategy_card(advice: AdviceRecord, chosen: Recommendation, context: Context) -> Card | None:
    """Throughput of every strategy and count on the advised device at the advised batch; None where there is one."""
    texts, rows = context.texts, strategies_of(advice, chosen)
    if len(rows) < 2:  # noqa: PLR2004 - one alone compares with nothing
        return None
    card = Card(texts("advice-strategy-title"), note=texts("axis-samples-per-s"))
    chart = BarChart(context.theme, texts("advice-strategy-title"), row_height=28)
    rows = tuple(
        prediction for place, prediction in enumerate(rows) if place < _MOST_STRATEGIES or rests_on(chosen, prediction)
    )
    bars = []
    for row in rows:
        strategy = texts.short_strategy(row.strategy, trains=row.trains)
        name = f"{row.count} × {strategy}" if row.count > 1 else strategy
        if row.gradient_accumulation_steps > 1:
            name += f" · {texts('advice-accumulation', steps=row.gradient_accumulation_steps)}"
        fits = row.fits is not False
        bars.append(
            Bar(
                name=name,
                estimate=row.samples_per_s if fits else None,
                text=texts.rate(row.samples_per_s.value) if fits else texts("advice-does-not-fit"),
                tip=prediction_tip(row, context),
                chosen=rests_on(chosen, row),
            )
        )
    chart.show_bars(bars)
    card.put(chart, REST)
    return card


def split_card(advice: AdviceRecord, chosen: Recommendation, context: Context) -> Card | None:
    """Where the time of a step goes, and below it where the time of the whole job goes."""
    texts, prediction = context.texts, prediction_of(advice.predictions, chosen)
    if prediction is None:
        return None
    card = Card(texts("advice-split-title"))
    chart = StackChart(context.theme, texts("advice-split-title"), row_height=34, bar_height=18)
    pieces = tuple(
        Piece(
            name=texts(f"step-part-{part.kind}"),
            size=part.duration_s,
            text=f"{texts.duration(part.duration_s)} ({100 * part.duration_s / prediction.step_s.value:.0f} %)",
            colour=step_part_colour(part.kind, context.theme.shade),
        )
        for part in prediction.parts
    )
    chart.show_stacks([Stack(name=texts("advice-step"), pieces=pieces, text=texts.duration(prediction.step_s.value))])
    largest = sorted(prediction.parts, key=lambda part: -part.duration_s)[:3]
    words = " · ".join(
        f"{texts(f'step-part-{part.kind}')} {100 * part.duration_s / prediction.step_s.value:.0f} %" for part in largest
    )
    wall = [label(text, wrap=True) for text in _wall_words(advice, prediction, context)]
    card.put(chart, label(words, "muted", wrap=True), *wall, REST)
    return card


def _wall_words(advice: AdviceRecord, prediction: Prediction, context: Context) -> list[str]:
    """What else takes wall time in the whole job, and what to change first."""
    from advisor.recommend.wall_time import split_wall_time

    split = split_wall_time(advice.workload, prediction)
    others = [part for part in split.parts if part.kind != "training" and part.share_fraction >= 0.01]  # noqa: PLR2004
    words = [
        context.texts(
            "advice-wall-part",
            kind=context.texts(f"wall-part-{part.kind.replace('_', '-')}"),
            share_fraction=part.share_fraction,
        )
        for part in others
    ]
    sentences = [" · ".join(words)] if words else []
    return sentences + [context.texts.say(change) for change in split.changes[:2]]
