"""The report's words, tables and charts, chosen from the advice; the template only sets them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from advisor.report import report_charts
from advisor.report.summary import Table, estimate_text, set_up_line, summarise
from advisor.sentences import Language, sentence, visible
from advisor.units import Estimate, format_bytes, format_fraction, format_quantity, format_seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.recommend.recommendation import Recommendation
    from advisor.report.advice_record import Advice

Content = dict[str, Any]
_MOST_LINES = 9


def report_content(advice: Advice, language: Language) -> Content:
    """Everything the template needs, as JSON-ready values; a pure function of the advice and the language."""
    summary = summarise(advice, language)
    main = advice.recommendation or advice.recommendation_local
    sections = [_why(advice, language, summary.sections), *_evidence(advice, language, summary.tables)]
    return {
        "language": language,
        "title": sentence("report-title", language),
        "subtitle": _subtitle(advice),
        "date": [int(part) for part in advice.created_utc[:10].split("-")],
        "headline": summary.headline,
        "headline_notes": [text for label, text in _notes(advice, main, language) if label],
        "key_figures": _key_figures(main, language) if main else [],
        "sections": [section for part in sections for section in part],
        "footer": sentence("report-footer", language, {"version": advice.advisor_version}),
    }


def _subtitle(advice: Advice) -> str:
    devices = [gpu.name for gpu in advice.machine.gpus] or [advice.machine.cpu.name or advice.machine.cpu.architecture]
    parts = [advice.workload.name, *devices[:4], advice.created_utc[:10]]
    return " · ".join(visible(part) for part in parts)


def _notes(advice: Advice, main: Recommendation | None, language: Language) -> list[tuple[str, str]]:
    notes = []
    if main is not None and main.tied_with:
        names = ", ".join(visible(device.name) for device in main.tied_with)
        notes.append(("tie", f"{sentence('summary-tied', language)}: {names}"))
    local = advice.recommendation_local
    if local is not None and local is not main and local != main:
        notes.append(("here", f"{sentence('summary-here', language)}: {set_up_line(local, language)}"))
    return notes


def _key_figures(main: Recommendation, language: Language) -> list[dict[str, str]]:
    def figure(code: str, estimate: Estimate | None, formatter: Callable[[float], str]) -> dict[str, str]:
        label = sentence(code, language)
        if estimate is None:
            return {"label": label, "value": sentence("unknown", language), "range": ""}
        basis = sentence(f"basis-{estimate.basis}", language)
        spread = f"{formatter(estimate.low)} – {formatter(estimate.high)} · {basis}"
        return {"label": label, "value": formatter(estimate.value), "range": spread}

    figures = [
        figure("summary-job", main.job_s, format_seconds),
        figure("summary-step", main.step_s, format_seconds),
        figure("summary-memory", main.peak_memory_bytes, format_bytes),
    ]
    if main.cost is not None:
        currency = main.currency or ""
        figures.append(figure("summary-cost", main.cost, lambda cost: f"{cost:.2f} {currency}".strip()))
    else:
        figures.append(figure("summary-rate", main.samples_per_s, lambda rate: format_quantity(rate, "/s")))
    return figures


def _section(
    title: str, sentences: list[str], charts: list[Any] | None = None, tables: list[Any] | None = None
) -> Content:
    return {
        "title": title,
        "sentences": sentences,
        "charts": [chart for chart in charts or [] if chart],
        "tables": [table for table in tables or [] if table],
    }


def _why(advice: Advice, language: Language, sections: tuple[Any, ...]) -> list[Content]:
    found = []
    for section in sections:
        lines = list(section.sentences[:_MOST_LINES])
        if section.title != sentence("summary-here", language):
            found.append(_section(section.title, lines))
    chart = report_charts.device_chart(advice, language)
    if chart:
        found.insert(1, _section(sentence("report-devices", language), [], [chart]))
    return found


def _evidence(advice: Advice, language: Language, tables: tuple[Table, ...]) -> list[list[Content]]:
    def title(code: str) -> str:
        return sentence(code, language)

    sections = []
    batch = report_charts.batch_chart(advice, language)
    if batch:
        sections.append(_section(title("report-batch"), [], [batch]))
    strategies = report_charts.strategy_chart(advice, language)
    if strategies:
        sections.append(_section(title("report-strategies"), [], [strategies]))
    memory = report_charts.memory_chart(advice, language)
    if memory:
        sections.append(_section(title("report-memory"), [], [memory]))
    compared = _predicted_against_measured(advice, language)
    if compared:
        sections.append(_section(title("report-compared"), [], None, [compared]))
    sections += [_section(visible(table.title), [], None, [_table(table)]) for table in tables]
    sections.append(_section(title("report-assumptions"), _assumptions(advice, language)))
    sections.append(_section(title("report-machine"), _machine(advice, language)))
    method = [sentence(f"report-method-{line}", language) for line in range(1, 6)]
    sections.append(_section(title("report-method"), method))
    return [sections]


def _table(table: Table) -> Content:
    widths = [3] + [0] * (len(table.columns) - 1)
    return {
        "columns": list(table.columns),
        "rows": [list(row) for row in table.rows[:30]],
        "first_number": table.first_number_index,
        "widths": widths,
    }


def _predicted_against_measured(advice: Advice, language: Language) -> Content | None:
    rows = []
    for measurement in advice.measurements:
        for step in measurement.steps:
            found = next(
                (
                    item
                    for item in advice.predictions
                    if item.device.key == measurement.device_key
                    and item.count == 1
                    and item.precision == step.precision
                    and item.batch_size_per_device == step.batch_size
                    and item.gradient_accumulation_steps == 1
                ),
                None,
            )
            if found is None or step.summary is None:
                continue
            error = found.step_s.value / step.summary.median_s - 1
            rows.append(
                [
                    visible(measurement.device_name),
                    step.precision,
                    str(step.batch_size),
                    format_seconds(step.summary.median_s),
                    format_seconds(found.step_s.value),
                    f"{100 * error:+.1f} %",
                ]
            )
    if not rows:
        return None
    names = ("device", "precision", "batch", "median", "predicted", "error")
    columns = [sentence(f"column-{name}", language) for name in names]
    return {"columns": columns, "rows": rows, "first_number": 2, "widths": [3, 0, 0, 0, 0, 0]}


def _assumptions(advice: Advice, language: Language) -> list[str]:
    workload = advice.workload
    training = workload.training
    facts: list[tuple[str, str]] = [
        ("report-fact-workload", visible(workload.name)),
        ("report-fact-samples", f"{workload.data.samples:,}"),
        ("report-fact-epochs", f"{training.epochs:g}"),
    ]
    if workload.data.sequence_length:
        facts.append(("report-fact-sequence", str(workload.data.sequence_length)))
    if workload.data.image_size:
        facts.append(("report-fact-image", str(workload.data.image_size)))
    settings = [training.precision, training.optimizer, f"attention {training.attention}"]
    settings += [name for name in ("compile", "channels_last", "activation_checkpointing") if getattr(training, name)]
    facts.append(("report-fact-settings", ", ".join(settings)))
    if advice.model.parameter_count is not None:
        facts.append(("summary-parameters", format_quantity(advice.model.parameter_count, "")))
    if advice.model.flop_per_sample is not None:
        facts.append(("summary-flop", format_quantity(advice.model.flop_per_sample, "FLOP")))
    main = advice.recommendation
    if main is not None and main.efficiency is not None:
        facts.append(("report-fact-efficiency", estimate_text(main.efficiency, format_fraction, language)))
    return [f"{sentence(code, language)}: {text}" for code, text in facts]


def _machine(advice: Advice, language: Language) -> list[str]:
    machine = advice.machine
    unknown = sentence("unknown", language)
    software = machine.software
    lines = [
        f"CPU: {visible(machine.cpu.name or machine.cpu.architecture)}, {machine.cpu.usable_core_count}",
        f"RAM: {format_bytes(machine.memory.total_bytes)}",
    ]
    for gpu in machine.gpus[:8]:
        memory = format_bytes(gpu.memory_total_bytes) if gpu.memory_total_bytes else unknown
        lines.append(f"GPU {gpu.index}: {visible(gpu.name)}, {memory}")
    versions = {
        "Python": software.python,
        "torch": software.torch,
        "driver": software.driver,
        "CUDA": software.cuda_driver,
    }
    lines.append(", ".join(f"{name} {visible(value)}" for name, value in versions.items() if value))
    return lines
