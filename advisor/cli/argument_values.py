"""What follows a flag, read and checked: numbers within their limits, lists, names of precisions and cards."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, get_args

from msgspec import Meta

from advisor.catalogue.optimizers import OPTIMIZERS
from advisor.catalogue.precisions import PRECISIONS, is_double, precision_meant, precisions_perhaps_meant
from advisor.catalogue.strategies import MOST_DEVICES
from advisor.cli.faults import ArgumentFault, shown
from advisor.workload.workload import LoraTargetWord, SampleCount

Parsed = Callable[[str], Any]
_FLOAT_LIMITS = {
    "--epochs": (1e-6, 1e6),
    "--host-memory": (0.1, 1e6),
    "--max-cost": (1e-6, 1e15),
    "--max-power": (1.0, 1e9),
    "--max-hours": (1e-4, 1e6),
    "--budget": (1e-3, 86_400.0),
    "--verify": (1.0, 86_400.0),
}
"""From the least to the most that means something: a third of a second to a century, a watt to a gigawatt; in the
flag's own unit."""
_LARGE = {"k": 1e3, "m": 1e6, "b": 1e9, "千": 1e3, "万": 1e4, "百万": 1e6, "亿": 1e8}
"""What counts are written in: `100k`, `1.2M`, `10 万`."""
_UNITS = {
    "--host-memory": {"g": 1.0, "gb": 1.0, "gib": 1.0, "t": 1024.0, "tb": 1024.0, "tib": 1024.0},
    "--max-hours": {"h": 1.0, "小时": 1.0, "min": 1 / 60, "分钟": 1 / 60, "d": 24.0, "days": 24.0, "天": 24.0},
    "--max-power": {"w": 1.0, "kw": 1e3},
    "--budget": {"s": 1.0, "秒": 1.0, "min": 60.0, "分钟": 60.0},
    "--verify": {"s": 1.0, "秒": 1.0, "min": 60.0, "分钟": 60.0},
}
"""Units that a number may bring along, in those of the flag; memory modules are sold in GB and hold GiB."""
_WITH_UNIT = re.compile(r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,30}(?:\.[0-9]{1,20})?)\s*([^\W\d_]{0,8})")
_DIGITS = 9
"""Behind the point: `1.1M` is a whole number, which its product in binary is not."""


def _scaled(text: str, scales: Mapping[str, float]) -> float | None:
    """The number that a text is, times what its unit stands for; None: it is none, or of another unit."""
    try:
        return float(text)
    except ValueError:
        match = _WITH_UNIT.fullmatch(text.strip())
    scale = None if match is None else 1.0 if not match[2] else scales.get(match[2].lower())
    return None if match is None or scale is None else round(float(match[1].replace(",", "")) * scale, _DIGITS)


def whole_number(most: int) -> Parsed:
    """A parser of whole numbers from 1 to `most`."""

    def parsed(text: str) -> int:
        value = _scaled(text, _LARGE)
        number = int(value) if value is not None and value.is_integer() else 0
        if not 1 <= number <= most:
            raise ArgumentFault("whole-number", given=shown(text), most=most)
        return number

    return parsed


def of_field(kind: object) -> Parsed:
    """The same, to the most that a field of the workload takes (`Annotated[int, Meta(le=…)]`)."""
    return whole_number(next(int(meta.le) for meta in get_args(kind) if isinstance(meta, Meta) and meta.le is not None))


def number_of(flag: str) -> Parsed:
    """A parser of the numbers that a flag takes."""
    least, most = _FLOAT_LIMITS[flag]

    def parsed(text: str) -> float:
        value = _scaled(text, _UNITS.get(flag, {}))
        number = math.nan if value is None else value
        if not least <= number <= most:
            raise ArgumentFault("number", given=shown(text), least=f"{least:,g}", most=_plain(most))
        return number

    return parsed


def _plain(number: float) -> str:
    """A limit in digits up to a million, beyond as a power."""
    return f"{number:,.0f}" if number <= 1e6 else f"{number:g}"  # noqa: PLR2004 - as many zeros can be counted


samples_number = of_field(SampleCount)


_device_count = whole_number(MOST_DEVICES)
_COMMA = re.compile("[,，、]")  # as `--gpus` takes them, in Chinese too
_SHORT_NUMBER = re.compile("[0-9]{1,12}")


def batch_range(text: str) -> tuple[int, int]:
    """A batch size, or the least and the most that it may be: `2000` or `500-8000`."""
    low, dash, high = text.partition("-")
    ends = samples_number(low.strip()), samples_number((high if dash else low).strip())
    if ends[0] > ends[1]:
        raise ArgumentFault("range-reversed", given=shown(text))
    return ends


def count_list(text: str) -> tuple[int, ...]:
    """Device counts joined by commas: `1,2,4,8`."""
    parts = [part.strip() for part in _COMMA.split(text)]
    numbers = [int(part) for part in parts if _SHORT_NUMBER.fullmatch(part)]
    if max(numbers, default=0) > MOST_DEVICES:
        raise ArgumentFault("too-many-devices", devices=max(numbers), most=MOST_DEVICES)
    counts = tuple(_device_count(part) for part in parts)
    return tuple(sorted(set(counts)))


def key_list(text: str) -> tuple[str, ...]:
    """Names joined by commas, Latin or Chinese ones, or semicolons."""
    return tuple(part.strip() for part in re.split(r"[,;，、；]", text) if part.strip())


def card_list(text: str) -> tuple[str, ...]:
    """Cards as they are asked for: a name, or how many and a name."""
    names = key_list(text)
    if not names:
        raise ArgumentFault("no-card")
    return names


def precision_word(text: str) -> str:
    """A precision by its name here or by a word that means nothing else; `BF16-AMP` is read as `bf16_amp`."""
    precision = precision_meant(text)
    if precision is None and is_double(text):
        raise ArgumentFault("double-precision", given=shown(text))
    if precision is None:
        alike = difflib.get_close_matches(text.strip().lower()[:40], PRECISIONS, n=3, cutoff=0.6)
        near = list(precisions_perhaps_meant(text)) or alike
        raise ArgumentFault("no-precision", near=near, given=shown(text), names=", ".join(PRECISIONS))
    return precision


def choice_word(text: str) -> str:
    """One of several words as it is written elsewhere: `AdamW`, `SGD-momentum` and `NF4` are ours in small letters."""
    return text.strip().lower().replace("-", "_")


def optimizer_word(text: str) -> str:
    """An optimizer by its name here; a trainer's word that says more than a rule is told by its fields."""
    word = choice_word(text)
    if word in OPTIMIZERS:
        return word
    from advisor.workload.command_flags import fields_of_optimizer

    fields = fields_of_optimizer(word)
    if fields is not None:
        raise ArgumentFault("optimizer-of-fields", given=shown(text), fields=fields)
    return word


def module_names(text: str) -> tuple[str, ...]:
    """Names of a model's parts joined by commas."""
    names = key_list(text)
    if not names:
        raise ArgumentFault("no-layer")
    return names


def layer_names(text: str) -> str | tuple[str, ...]:
    """A word for a group of layers, or names of layers joined by commas."""
    names = module_names(text)
    return names[0] if names[0] in get_args(LoraTargetWord) and len(names) == 1 else names
