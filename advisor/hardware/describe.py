"""A machine as plain lines of text: every field, and every refused field with its reason."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.core.sentences import Language, Value, say, sentence
from advisor.core.units import FORMATTERS, format_bytes, format_quantity, unit_of
from advisor.hardware.machine import Cpu, Gpu, HostMemory, Machine, Refusal, Software

_INDENT = "  "


_SHOWN = (
    "uuid", "compute_capability", "memory_total_bytes", "memory_free_bytes", "memory_reserved_bytes", "unified_memory",
    "sm_clock_hz", "sm_clock_max_hz", "sm_clock_default_hz", "memory_clock_hz", "power_w", "power_limit_w",
    "temperature_celsius", "pcie_generation", "pcie_width", "pcie_bus", "nvlink_count", "compute_mode", "driver_model",
    "virtualisation", "mig_enabled",
)  # fmt: skip


def _inside(code: str, language: Language, **numbers: Value) -> str:
    """A sentence about a part of what the line above names."""
    return _INDENT + sentence(code, language, **numbers)


def machine_lines(machine: Machine, language: Language) -> list[str]:
    """The machine in lines without markup, in `language`; paths and user names are never in it."""
    lines = [*_cpu_lines(machine.cpu, language), *_memory_lines(machine.memory, language)]
    if not machine.gpus:
        lines.append(sentence("detect-no-gpu", language))
    for gpu in machine.gpus:
        lines += _gpu_lines(gpu, language)
    for link in machine.links:
        kind = sentence(f"detect-link-{link.kind}", language)
        if link.bandwidth_bytes_per_s is not None:
            kind = f"{kind}, {format_quantity(link.bandwidth_bytes_per_s, 'B/s')}"
        lines.append(sentence("detect-link", language, first=link.first_index, second=link.second_index, kind=kind))
    lines += _software_lines(machine.software, language)
    if machine.notices:
        lines.append(sentence("detect-notices", language))
        lines += [f"{_INDENT}- {say(notice, language)}" for notice in machine.notices]
    return lines


def _cpu_lines(cpu: Cpu, language: Language) -> list[str]:
    unknown = sentence("detect-unknown", language)
    name = f"{cpu.name or unknown} ({cpu.architecture})"
    physical, logical = (
        unknown if count is None else str(count) for count in (cpu.physical_core_count, cpu.logical_core_count)
    )
    lines = [
        sentence("detect-cpu", language, name=name),
        _inside("detect-cores", language, physical=physical, logical=logical, usable=str(cpu.usable_core_count)),
    ]
    if cpu.cgroup_core_limit_count is not None:
        lines.append(_inside("detect-cpu-limit", language, cores=f"{cpu.cgroup_core_limit_count:g}"))
    if cpu.max_clock_hz is not None:
        lines.append(_inside("detect-clock", language, clock_hz=cpu.max_clock_hz))
    if cpu.instruction_sets:
        lines.append(_inside("detect-instruction-sets", language, names=" ".join(cpu.instruction_sets)))
    return lines + _refused_lines(cpu.refusals, language)


def _memory_lines(memory: HostMemory, language: Language) -> list[str]:
    lines = [
        sentence("detect-memory", language, total_bytes=memory.total_bytes, available_bytes=memory.available_bytes)
    ]
    if memory.cgroup_limit_bytes is not None:
        lines.append(_inside("detect-memory-limit", language, limit_bytes=memory.cgroup_limit_bytes))
    return lines


def _gpu_lines(gpu: Gpu, language: Language) -> list[str]:
    lines = [sentence("detect-gpu", language, gpu_index=str(gpu.index), gpu_name=gpu.name)]
    if gpu.unusable_reason is not None:
        lines.append(_inside("detect-gpu-unusable", language, reason=say(gpu.unusable_reason, language)))
    for field in _SHOWN:
        value = getattr(gpu, field)
        if value is not None and not (field == "unified_memory" and value is False):
            lines.append(_INDENT + _field_line(field, value, language))
    if gpu.spec_key is not None:
        lines.append(_inside("detect-field", language, label=sentence("detect-spec-row", language), value=gpu.spec_key))
    for instance in gpu.mig_instances:
        size = "" if instance.memory_total_bytes is None else f", {format_bytes(instance.memory_total_bytes)}"
        lines.append(_inside("detect-mig-instance", language, instance=f"{instance.name}{size} ({instance.uuid})"))
    for process in gpu.processes:
        name = sentence("detect-unknown", language) if process.name is None else process.name
        size = "" if process.memory_bytes is None else f", {format_bytes(process.memory_bytes)}"
        lines.append(_inside("detect-process", language, pid=str(process.pid), name=f"{name}{size}"))
    return lines + _refused_lines(gpu.refusals, language)


def _field_line(field: str, value: bool | float | str, language: Language) -> str:
    unit = unit_of(field)
    if isinstance(value, bool):
        text = sentence("detect-yes" if value else "detect-no", language)
    elif unit is None or isinstance(value, str):
        text = str(value)
    else:
        text = FORMATTERS[unit](value)
    return sentence("detect-field", language, label=sentence(f"label-{field}", language), value=text)


def _refused_lines(refusals: Iterable[Refusal], language: Language) -> list[str]:
    lines = ((sentence(f"label-{refusal.field}", language), say(refusal.reason, language)) for refusal in refusals)
    return [_inside("detect-refused", language, label=label, reason=reason) for label, reason in lines]


def _torch_text(software: Software, language: Language) -> str:
    if software.torch is None:
        return sentence("detect-none", language)
    if software.torch_cuda is None:
        return sentence("detect-torch-without-cuda", language, torch=software.torch)
    return sentence("detect-torch-with-cuda", language, torch=software.torch, torch_cuda=software.torch_cuda)


def _software_lines(software: Software, language: Language) -> list[str]:
    none = sentence("detect-none", language)
    lines = [
        sentence("detect-software", language, os=software.os, python=software.python),
        _inside(
            "detect-versions",
            language,
            driver=software.driver or none,
            cuda_driver=software.cuda_driver or none,
            torch=_torch_text(software, language),
            transformers=software.transformers or none,
        ),
    ]
    around = [
        sentence(code, language)
        for code, true in (("detect-container", software.container), ("detect-wsl", software.wsl))
        if true
    ]
    if around:
        lines.append(_inside("detect-surroundings", language, names=", ".join(around)))
    return lines
