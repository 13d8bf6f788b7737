"""What each switch would bring, as a table: gains first, costs as they are."""

from __future__ import annotations

from collections.abc import Callable

from advisor.catalogue.adapters import DEFAULT_RANK
from advisor.catalogue.precisions import PRECISION_FACTS, PRECISION_LABELS
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.sentences import Language, sentence, visible
from advisor.core.shown_names import shown_card
from advisor.core.units import Estimate, format_bytes, format_seconds, value_of
from advisor.present.table_cells import NONE, strategy_cell
from advisor.present.tables import Table, table_of
from advisor.recommend.comparison import counted
from advisor.recommend.strategy import STARTING_S
from advisor.recommend.switches import Switch, SwitchKind

_COLUMNS = ("switch", "on", "step", "times", "gain-range", "saved", "need", "published")


def switch_table(switches: tuple[Switch, ...], language: Language) -> Table | None:
    """One row a switch, the one that gains most time first; None without any."""
    if not switches:
        return None
    ordered = sorted(switches, key=lambda switch: -value_of(switch.gain, 0.0))
    rows = (_row(switch, language) for switch in ordered)
    return table_of(sentence("summary-switches", language), _COLUMNS, rows, language, first_number="step")


WORTH_SAYING_RATIO = 1.05
_LIKELY = 0.5
"""Of the way down to the range's low end that a gain must be above none: about three to one that there is one. What
may as well be a loss stands in the table alone."""


COMPILING_S = 28.0
"""What compiling the training step of ResNet-50 took (pytorch/benchmark, pull request 1547), and twice as much with
nothing cached: networks of a few layers take some seconds, large ones minutes."""


_HOLDING: tuple[SwitchKind, ...] = (
    "checkpointing_on_cards", "optimizer_8bit_on_cards", "optimizer_8bit_checkpointing", "larger_cards", "lora",
    "qlora", "lora_checkpointing", "qlora_checkpointing", "quantised_weights",
)  # fmt: skip
"""What may hold a step where the question's own set-ups do not, in the order in which people try them."""


_SAME_RESULT: frozenset[SwitchKind] = frozenset({"checkpointing", "chunked_loss", "sharding"})
"""What frees memory and trains as before."""


def help_sentences(
    switches: tuple[Switch, ...],
    language: Language,
    room_bytes: float | None = None,
    *,
    adds_adapters: bool = True,
) -> tuple[str, ...]:
    """What would help most: what holds a step where nothing else does, then the gains of over 5 %.

    `room_bytes`: what a device of an advised set-up can give that may run out of it: what stays below comes first.
    `adds_adapters`: the workload trains none by itself, so that LoRA means those that the switches add.
    """
    known = [switch for switch in switches if switch.gain is None and switch.peak_memory_bytes is not None]
    holding = [switch for switch in known if switch.fits and switch.kind in _HOLDING]
    holding.sort(key=lambda switch: _HOLDING.index(switch.kind))
    roomier = [switch for switch in switches if switch.gain is not None and _stays_below(switch, room_bytes)]
    roomier.sort(key=lambda switch: value_of(switch.peak_memory_bytes))
    alike = [switch for switch in roomier if switch.kind in _SAME_RESULT]
    quickest = max(alike, key=lambda switch: value_of(switch.gain, 0.0), default=None)
    # With their gain, which need not be said again: what leaves the result as it is, and what needs still less.
    told = [switch for switch in roomier[:1] if switch is not quickest]
    told = told if quickest is None else [quickest, *told]
    gaining = [switch for switch in switches if gain_is_told(switch)]
    gaining = sorted((one for one in gaining if one not in told), key=lambda switch: -value_of(switch.gain, 0.0))
    return (
        *(_room_help(switch, language) for switch in told),
        *(_holding_help(switch, language, adds_adapters=adds_adapters) for switch in holding),
        *(_gain_help(switch, switch.gain, language) for switch in gaining if switch.gain is not None),
    )


def gain_is_told(switch: Switch) -> bool:
    """Whether a switch is said to help by what it gains: more of the whole job than it takes to have it."""
    if switch.gain is None or not _worth_saying(switch.gain) or not switch.fits:
        return False
    taken_s = COMPILING_S if switch.kind == "compile" else STARTING_S
    return switch.job_s is None or switch.job_s.value * (switch.gain.value - 1) >= taken_s


def _stays_below(switch: Switch, room_bytes: float | None) -> bool:
    need = switch.peak_memory_bytes
    return room_bytes is not None and need is not None and need.high <= room_bytes and switch.kind not in _HOLDING


def _room_help(switch: Switch, language: Language) -> str:
    need, gain = switch.peak_memory_bytes, switch.gain
    assert need is not None  # what stays below the room has it
    assert gain is not None
    name = _name(switch, language)
    return sentence("help-room", language, name=name, **need.arguments("need", "bytes"), gain_ratio=gain.value)


def _worth_saying(gain: Estimate) -> bool:
    likely = gain.value >= (gain.value / gain.low) ** _LIKELY
    return gain.value >= WORTH_SAYING_RATIO and likely


def _holding(switch: Switch) -> str:
    """Message id of what holds a step where the question's own set-ups do not."""
    if switch.kind == "checkpointing_on_cards":
        return "help-checkpointing-card" if switch.count == 1 else "help-checkpointing-cards"
    if switch.kind in {"optimizer_8bit_on_cards", "optimizer_8bit_checkpointing"}:
        return "help-states-card" if switch.count == 1 else "help-states-cards"
    if switch.kind != "larger_cards":
        return "help-adapter" if switch.count == 1 else "help-adapter-cards"
    return "help-larger-card" if switch.count == 1 else "help-larger-cards"


def _holding_help(switch: Switch, language: Language, *, adds_adapters: bool) -> str:
    trained = "added" if adds_adapters else "adapters"
    told = sentence(
        _holding(switch),
        language,
        name=_with_code(switch, language),
        device=switch.device_name,
        count=switch.count,
        strategy=strategy_cell(switch.strategy, language, trains=switch.kind != "quantised_weights", short=True),
        batch=switch.batch_size_per_device,
        steps=switch.gradient_accumulation_steps,
        trained="nothing" if switch.kind == "quantised_weights" else trained,
        rank=str(DEFAULT_RANK),
        precision="unknown" if switch.precision is None else PRECISION_LABELS[switch.precision],
        step_s=switch.step_s.value,
        need_bytes=value_of(switch.peak_memory_bytes, 0.0),
    )
    if switch.job_s is None:
        return told
    return f"{told} {sentence('help-job', language, job_s=switch.job_s.value)}"


def _with_code(switch: Switch, language: Language) -> str:
    """The switch's name, and beside it the split layers without which it would not hold the step."""
    name = _name(switch, language)
    if not STRATEGY_FACTS[switch.strategy].splits_model:
        return name
    return sentence("help-split-code", language, name=name)


def _gain_help(switch: Switch, gain: Estimate, language: Language) -> str:
    code = "help-switch" if gain.low >= 1 else "help-switch-open"
    return sentence(code, language, name=_name(switch, language), **gain.arguments("gain", "ratio"))


def switch_code(switch: Switch) -> str:
    """Message id of its name; shards of a step under autocast also run on weights of 16 bits, which gains too."""
    autocast = switch.precision is not None and PRECISION_FACTS[switch.precision].autocast
    cast = "-cast" if switch.kind == "sharding" and autocast else ""
    return f"switch-{switch.kind.replace('_', '-')}{cast}"


def _name(switch: Switch, language: Language) -> str:
    return sentence(switch_code(switch), language)


def gain_cells(switch: Switch, size: Callable[[float], str]) -> tuple[str, str, str, str]:
    """How many times as fast, its range, the memory saved and the memory needed; `size` writes bytes of either sign."""
    gain, saved, need = switch.gain, switch.saved_bytes, switch.peak_memory_bytes
    return (
        NONE if gain is None else f"{gain.value:.2f}",
        NONE if gain is None else f"{gain.low:.2f} – {gain.high:.2f}",
        NONE if saved is None else size(round(saved)),  # differences of sums leave a millionth of a byte
        NONE if need is None else size(need.value),
    )


def _row(switch: Switch, language: Language) -> tuple[str, ...]:
    return (
        _name(switch, language),
        counted(switch.count, shown_card(visible(switch.device_name))),
        format_seconds(switch.step_s.value),
        *gain_cells(switch, _signed),
        _published(switch, language),
    )


def _published(switch: Switch, language: Language) -> str:
    """The middle and the ends of published pairs, whose card they are of, and whether they meet the prediction."""
    published = switch.published
    if published is None:
        return sentence("published-none", language)
    code = "published-card" if published.same_card else "published-others"
    low, middle, high = published.least_gain_ratio, published.median_gain_ratio, published.greatest_gain_ratio
    ratios = {"low": f"{low:.2f}", "ratio": f"{middle:.2f}", "high": f"{high:.2f}"}
    against = f" {sentence('published-against', language)}" if published.bears_out is False else ""
    return sentence(code, language, count=published.pair_count, **ratios) + against


def _signed(size_bytes: float) -> str:
    return f"-{format_bytes(-size_bytes)}" if size_bytes < 0 else format_bytes(size_bytes)
