"""The report's words, tables and charts, chosen from the advice; the template only sets them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from advisor.core.sentences import Language, Reason, Value, labelled, listed, sentence, visible
from advisor.core.shown_names import shown_card
from advisor.present.accuracy_lines import accuracy_line
from advisor.present.card_names import tied_names
from advisor.present.look import PAPER
from advisor.present.report import charts as report_charts
from advisor.present.report import tables as report_tables
from advisor.present.report.batch_chart import batch_chart
from advisor.present.report.facts import assumed, fact_columns
from advisor.present.report.figures import key_figures
from advisor.present.script.launch_script import launch_command, script_name
from advisor.present.script.strategy_lines import has_script
from advisor.present.set_ups import clipped
from advisor.present.summary import asked_line, help_comes_first, help_of, in_mode, set_up_line, summarise
from advisor.present.table_cells import strategy_name
from advisor.present.window_words import reason_words, window_words
from advisor.present.workload_titles import workload_title
from advisor.recommend.comparison import counted
from advisor.recommend.recommendation import Recommendation
from advisor.store.advice_record import AdviceRecord

Content = dict[str, Any]
_WHY_LINES = 4
_CHANGE_LINES = 4
_CAVEAT_LINES = 5
_FURTHER_LINES = 14
_HEADLINE_LENGTH = 300


def report_content(advice: AdviceRecord, language: Language) -> Content:
    """Everything the template needs, as JSON-ready values; a pure function of the advice and the language."""
    summary = summarise(advice, language)
    main = advice.main
    first, further = _first_page(advice, main, language)
    return {
        "language": language,
        "title": sentence(in_mode("report-title", advice.workload.training.mode), language),
        "subtitle": _subtitle(advice, language),
        "date": [int(part) for part in advice.created_utc[:10].split("-")],
        "headline": clipped(summary.headline, _HEADLINE_LENGTH),
        "headline_notes": _notes(advice, main, language),
        "key_figures": key_figures(advice, main, language) if main else [],
        "first": first,
        "evidence": _evidence(advice, further, language),
        "assumed": assumed(advice, language),
        "facts": fact_columns(advice, language),
        "colours": PAPER,
        "method": {
            "title": sentence("report-method", language),
            "sentences": _method(advice, language),
        },
        "footer": sentence("report-footer", language, version=visible(advice.advisor_version)),
    }


def _method(advice: AdviceRecord, language: Language) -> list[str]:
    if advice.model.not_traced_reason is not None:
        return [sentence("report-method-untraced", language)]
    lines = [sentence(f"report-method-{line}", language) for line in range(1, 6)]
    accuracy = accuracy_line(language)
    return [*lines[:2], *([accuracy] if accuracy else []), *lines[2:]]


def _subtitle(advice: AdviceRecord, language: Language) -> str:
    machine = advice.machine
    devices = [shown_card(gpu.name) for gpu in machine.gpus] or [machine.cpu.name or machine.cpu.architecture]
    named = dict.fromkeys(counted(devices.count(name), name) for name in devices)
    shown = [clipped(name, 60) for name in list(named)[:3]]
    return " · ".join([workload_title(advice.workload.name, language), *shown, advice.created_utc[:10]])


def _notes(advice: AdviceRecord, main: Recommendation | None, language: Language) -> list[str]:
    asked = asked_line(advice, language)
    notes = [labelled(sentence("summary-asked", language), clipped(asked, _HEADLINE_LENGTH), language)] if asked else []
    if main is not None and main.tied_with:
        names = listed([clipped(name, 60) for name in tied_names(advice, main, language)], language)
        notes.append(labelled(sentence("summary-tied", language), names, language))
    local = advice.recommendation_local
    same = local is not None and main is not None and set_up_line(local, language) == set_up_line(main, language)
    if local is not None and not same:
        line = clipped(set_up_line(local, language, advice.workload.training.mode), _HEADLINE_LENGTH)
        notes.append(labelled(sentence("summary-here", language), line, language))
    return notes


def _section(
    title: str,
    sentences: Sequence[str | dict[str, str]] = (),
    chart: Content | None = None,
    table: Content | None = None,
) -> Content:
    return {"title": title, "sentences": list(sentences), "chart": chart, "table": table}


def _lines(reasons: Sequence[Reason], language: Language) -> list[str]:
    return list(dict.fromkeys(reason_words(reason, language) for reason in reasons))


def _first_page(
    advice: AdviceRecord, main: Recommendation | None, language: Language
) -> tuple[dict[str, Content | None], list[str]]:
    """The sections of the first page by their place, and the sentences that it had no room for."""
    why = _lines(main.why if main else (), language)
    change = _lines(main.would_change_if if main else (), language)
    caveats = _lines(advice.caveats, language)
    also = [line for line in _lines(advice.reasons, language) if line not in why]
    further = [*also, *why[_WHY_LINES:], *change[_CHANGE_LINES:], *caveats[_CAVEAT_LINES:]]

    def section(
        code: str, sentences: Sequence[str | dict[str, str]] = (), chart: Content | None = None
    ) -> Content | None:
        return _section(sentence(code, language), sentences, chart) if sentences or chart else None

    # As in the window: where a makeshift is advised, or nothing, what would be better comes before why.
    helping = [window_words(line, language) for line in help_of(advice, language)] if help_comes_first(main) else []
    first: dict[str, Content | None] = {
        "help": section("summary-help", helping),
        "why": section("summary-why", why[:_WHY_LINES]),
        "picture": section("picture-title", (), report_charts.job_chart(advice, language)),
        "next": section("report-next", _next_steps(advice, main, language)),
        "change": section("summary-change", change[:_CHANGE_LINES]),
        "caveats": section("summary-caveats", caveats[:_CAVEAT_LINES]),
    }
    return first, further


def _charts(advice: AdviceRecord, language: Language) -> dict[str, Content | None]:
    return {
        "report-batch": batch_chart(advice, language),
        "report-devices": report_charts.device_chart(advice, language),
        "report-strategies": report_charts.strategy_chart(advice, language),
        "report-memory": report_charts.memory_chart(advice, language),
        "report-time": report_charts.time_chart(advice, language),
    }


def _next_steps(advice: AdviceRecord, main: Recommendation | None, language: Language) -> list[str | dict[str, str]]:
    """What to do now, in the order of doing it; a command stands on a line of its own."""
    if main is None:
        return []

    def worded(code: str, **numbers: Value) -> str:
        return window_words(sentence(code, language, **numbers), language)

    name, mode = script_name(advice), advice.workload.training.mode
    steps: list[str | dict[str, str]] = []
    if not main.device.local:
        steps.append(worded("report-next-try", device=clipped(main.device.name, 60)))
    if not has_script(advice.workload, main):
        steps.append(worded("report-next-framework", strategy=strategy_name(main.strategy, language)))
    else:
        written, started = f"advisor --open advice.json --script {name}", launch_command(main, name)
        steps.append({"text": worded(in_mode("report-next-script", mode)), "command": written})
        steps.append({"text": worded(in_mode("report-next-start", mode)), "command": started})
    if main.device.local:
        steps.append(worded("report-next-verify"))
    return steps


def _evidence(advice: AdviceRecord, further: list[str], language: Language) -> list[Content]:
    more = further[:_FURTHER_LINES]
    if len(further) > _FURTHER_LINES:
        more.append(sentence("report-more-in-json", language, sentences=len(further) - _FURTHER_LINES))
    sections = [_section(sentence("summary-also", language), more)] if more else []
    sections += [
        _section(sentence(code, language), (), chart)
        for code, chart in _charts(advice, language).items()
        if chart is not None
    ]
    tables = (report_tables.measured_table, report_tables.communication_table, report_tables.device_table)
    made = (make(advice, language) for make in tables)
    return sections + [
        _section(table.title, (), None, msgspec.json.decode(msgspec.json.encode(table)))
        for table in made
        if table is not None
    ]
