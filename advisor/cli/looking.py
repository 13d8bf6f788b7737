"""`--detect` and `--list`: what is here, and what can be named."""

from __future__ import annotations

import argparse

from advisor.cli.faults import command_fault
from advisor.cli.outputs import requested, result_stream, write_outputs
from advisor.core.sentences import Language
from advisor.core.shown_names import shown_card

_WORKLOADS = ("key", "name", "precision", "optimizer", "batch")
_CARDS = ("key", "name", "memory", "fp32", "tf32", "fp16", "bandwidth")


def detect_command(arguments: argparse.Namespace, language: Language) -> int:
    """Print the machine as it is found; `--json` writes it in the format of recorded machines."""
    import msgspec

    from advisor.hardware.describe import machine_lines
    from advisor.hardware.detect import detect_machine

    outputs = requested(arguments)
    if any(output.format != "json" for output in outputs):
        raise command_fault("writes-only", command="--detect", given="--json")
    machine = detect_machine()
    stream = result_stream(arguments)
    for line in machine_lines(machine, language):
        print(line, file=stream)
    content = msgspec.json.format(msgspec.json.encode(machine), indent=2) + b"\n"
    return write_outputs(outputs, lambda _: content, language)


def list_command(arguments: argparse.Namespace, language: Language) -> int:
    """Print the bundled workloads and the GPUs of the spec table."""
    from advisor.catalogue.spec_table import spec_table
    from advisor.cli.terminal import console_for, print_table
    from advisor.core.sentences import sentence
    from advisor.core.units import format_bytes, format_quantity
    from advisor.present.tables import table_of
    from advisor.present.workload_titles import workload_title
    from advisor.workload.workload_file import bundled_names, load_workload

    console = console_for(result_stream(arguments))
    unknown = sentence("unknown", language)
    rows = []
    for name in bundled_names():
        workload = load_workload(name)
        training = workload.training
        title = workload_title(workload.name, language)
        rows.append((name, title, training.precision, training.optimizer, str(training.batch_size)))
    workloads = table_of(sentence("list-workloads", language), _WORKLOADS, rows, language, first_number="batch")
    print_table(workloads, console)
    console.print()
    cards = []
    for key, spec in spec_table().items():
        rates = (spec.fp32_flop_per_s, spec.tf32_flop_per_s, spec.fp16_flop_per_s)
        shown = [format_quantity(rate, "FLOP/s") if rate else "–" for rate in rates]
        memory = format_bytes(spec.memory_bytes) if spec.memory_bytes else unknown
        bandwidth = spec.memory_bandwidth_bytes_per_s
        moved = format_quantity(bandwidth, "B/s") if bandwidth else unknown
        cards.append((key, shown_card(spec.name), memory, *shown, moved))
    print_table(table_of(sentence("list-gpus", language), _CARDS, cards, language, first_number="memory"), console)
    return 0
