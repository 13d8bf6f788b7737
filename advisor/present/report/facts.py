"""What the report's figures rest on: the workload's settings, the machine and the versions, as label and text."""

from __future__ import annotations

from typing import Any

from advisor.catalogue.precisions import precision_name
from advisor.core.sentences import Language, message_exists, say, sentence, visible
from advisor.core.shown_names import shown_card
from advisor.core.units import format_bytes, format_count, format_energy, format_fraction, format_quantity
from advisor.present.set_ups import clipped
from advisor.present.summary import estimate_text, in_mode
from advisor.present.workload_titles import workload_title
from advisor.recommend.reasons.parallel import MORE_THAN_WHOLE
from advisor.recommend.recommendation import prediction_of
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import passes_over_data, quantization_of

_GPUS = 8
_SWITCHES = ("compile", "channels_last", "optimizer_in_backward", "chunked_loss", "fused_layers")
_USUAL = {"activation_checkpointing": "none", "offload": "none", "trainable": "all", "mode": "training"}
_VALUE_LENGTH = 220


def assumed(advice: AdviceRecord, language: Language) -> dict[str, Any]:
    """What the first page says that the advice takes for granted of the job."""
    return _column("report-assumptions", _assumptions(advice, language), language)


def fact_columns(advice: AdviceRecord, language: Language) -> list[dict[str, Any]]:
    """Two columns of facts: the model, and this machine."""
    return [
        _column("report-model", _model(advice, language), language),
        _column("report-machine", _machine(advice, language), language),
    ]


def _column(code: str, rows: list[tuple[str, str]], language: Language) -> dict[str, Any]:
    return {"title": sentence(code, language), "rows": [[label, clipped(text, _VALUE_LENGTH)] for label, text in rows]}


def _assumptions(advice: AdviceRecord, language: Language) -> list[tuple[str, str]]:
    workload = advice.workload
    training = workload.training
    facts: list[tuple[str, str]] = [
        ("report-fact-workload", workload_title(workload.name, language)),
        (in_mode("report-fact-samples", training.mode), f"{workload.data.samples:,}"),
        *([("report-fact-epochs", f"{training.epochs:g}")] if training.mode != "inference" else []),
        ("report-fact-own-batch", f"{training.batch_size:,}"),
    ]
    if workload.data.sequence_length:
        facts.append(("report-fact-sequence", f"{workload.data.sequence_length:,}"))
    if side := max(advice.own_sides or (0,)) or workload.data.image_size:
        facts.append(("report-fact-image", f"{side:,}"))
    settings = [precision_name(training.precision, language), _choice("optimizer", training.optimizer, language)]
    settings.append(_setting("attention", training.attention, language))
    settings += [sentence(_field(name), language) for name in _SWITCHES if getattr(training, name)]
    for name, usual in _USUAL.items():
        if (value := getattr(training, name)) != usual:
            settings.append(_setting(name, value, language))
    if (quantization := quantization_of(training)) is not None:
        settings.append(_setting("quantization", quantization, language))
    facts.append(("report-fact-settings", " · ".join(settings)))
    return [(sentence(code, language), text) for code, text in facts]


def _choice(field: str, value: str, language: Language) -> str:
    """As the window's form words it; else as a file spells it."""
    code = f"choice-{field}-{value}".replace("_", "-").replace(".", "-").lower()
    return sentence(code, language) if message_exists(code, language) else value


def _setting(field: str, value: str, language: Language) -> str:
    return f"{sentence(_field(field), language)} {_choice(field, value, language)}"


def _field(name: str) -> str:
    return f"field-{name.replace('_', '-')}"


def _model(advice: AdviceRecord, language: Language) -> list[tuple[str, str]]:
    training, model = advice.workload.training, advice.model
    facts = [("report-fact-traced", _traced(advice, language))]
    if model.parameter_count is not None:
        facts.append(("summary-parameters", format_count(model.parameter_count)))
    if model.flop_per_sample is not None:
        facts.append((in_mode("summary-flop", training.mode), format_quantity(model.flop_per_sample, "FLOP")))
    facts += _of_the_advice(advice, language)
    return [(sentence(code, language), text) for code, text in facts]


def _traced(advice: AdviceRecord, language: Language) -> str:
    if advice.model.traced:
        return sentence("yes", language)
    reason = advice.model.not_traced_reason
    if reason is None:
        return sentence("no", language)
    return sentence("report-not-traced", language, reason=visible(say(reason, language)))


def _of_the_advice(advice: AdviceRecord, language: Language) -> list[tuple[str, str]]:
    """Efficiency of the devices together, where it tells what they lose, and energy by the sample."""
    main = advice.recommendation
    facts = []
    if main is not None and main.efficiency is not None and main.efficiency.value <= MORE_THAN_WHOLE:
        facts.append(("report-fact-efficiency", estimate_text(main.efficiency, format_fraction, language)))
    prediction = prediction_of(advice.predictions, advice.main)
    samples = advice.workload.data.samples * passes_over_data(advice.workload.training)
    if prediction is not None and prediction.energy_j is not None and samples > 0:
        by_sample = prediction.energy_j.scaled(1 / samples)
        facts.append(("report-fact-sample-energy", estimate_text(by_sample, format_energy, language)))
    return facts


def _machine(advice: AdviceRecord, language: Language) -> list[tuple[str, str]]:
    machine = advice.machine
    unknown = sentence("unknown", language)
    software = machine.software
    cores = sentence("report-fact-cores", language, cores=machine.cpu.usable_core_count)
    rows = [
        ("CPU", f"{visible(machine.cpu.name or machine.cpu.architecture)}, {cores}"),
        ("RAM", format_bytes(machine.memory.total_bytes) if machine.memory.total_bytes else unknown),
    ]
    for gpu in machine.gpus[:_GPUS]:
        memory = format_bytes(gpu.memory_total_bytes) if gpu.memory_total_bytes else unknown
        rows.append((f"GPU {gpu.index}", f"{clipped(shown_card(gpu.name), 60)}, {memory}"))
    if not machine.gpus:
        rows.append(("GPU", sentence("report-fact-no-gpu", language)))
    versions = {
        "advisor": advice.advisor_version,
        "Python": software.python,
        "torch": software.torch,
        sentence("report-fact-driver", language): software.driver,
        "CUDA": software.cuda_driver,
    }
    rows += [(name, visible(value)) for name, value in versions.items() if value]
    rows.append((sentence("report-fact-made", language), visible(advice.created_utc.replace("T", " "))))
    return rows
