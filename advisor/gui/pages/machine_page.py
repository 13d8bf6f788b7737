"""What this machine is, how busy it is, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout

from advisor.core.sentences import visible
from advisor.core.shown_names import shown_card
from advisor.core.units import format_quantity
from advisor.gui.context import Context
from advisor.gui.models.machine_words import FORMATS, software_line
from advisor.gui.pages.live_page import LivePage
from advisor.gui.pages.page import GAP
from advisor.gui.start.start_card import StartCard
from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.boxes import clear, down, put
from advisor.gui.widgets.device_card import DeviceCard
from advisor.gui.widgets.notice import Notice
from advisor.hardware.machine import Gpu, GpuReading, Machine, Reading, Refusal
from advisor.present.look import device_colour

_WIDE_COUNT = 3
_MANY_CARDS = 6
"""Beyond so many, cards are lower and four stand in a row: the plots are to be seen too."""
_MOST_COLUMNS = 4
_ROOM_FOR_FOUR = 1000
"""Pixels of the page with usual letters, as the widths below."""
_ROOM_BESIDE = 760
_START_WIDTH = 400
_CARD_WIDTH = 250
_STACKED_COUNT = 3
"""So many cards are as high as the start card when they lie one below the other."""
_SIDE = 24
_GPU_FACTS = (
    ("power", "plot-power", "power"),
    ("clock", "plot-clock", "clock"),
    ("heat", "machine-fact-heat", "temperature"),
)
"""Each fact's key, its name, and what a field is called that a driver refuses."""
_ANY_WIDTH = 16_777_215
"""Qt's own word for no limit."""


class MachinePage(LivePage):
    """Cards for CPU and GPUs, notices with their remedies, and the live plots."""

    def __init__(self, context: Context) -> None:
        """Nothing here imports numpy: this page is painted first."""
        super().__init__(context, context.texts("page-machine"), context.texts("machine-looking"))
        self._cards: dict[str, DeviceCard] = {}
        self._shape = (0, False)
        """How the cards lie: columns, and whether the GPUs stand below the CPU."""
        self.refresh_button = self.add_action(self.texts("machine-refresh"), self._look_again)
        self._notices = down(8)
        self._places = QGridLayout()
        self._places.setSpacing(GAP)
        self.start = StartCard(context)
        self._top = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._top.setSpacing(GAP)
        put(self._top, self.start, (self._places, 1))
        # Until there are plots, the start card is as high as what it holds.
        put(self.body, self._notices, self._top, (self._plots, 1), (None, 0))
        self.session.machine_changed.connect(self._show_machine)
        self.session.feed.arrived.connect(self._readings_arrived)
        self.session.feed.problem_changed.connect(self._show_notices)
        self._show_machine()

    def _look_again(self) -> None:
        self.refresh_button.setEnabled(False)
        self.subtitle.set_full_text(self.texts("machine-looking"))
        self.session.detect()

    @property
    def busy(self) -> bool:
        """Whether the cards to compare with are still being read, or the plots still to come."""
        plots_to_come = self._active and self.grid is None and self.session.machine is not None
        return plots_to_come or not self.start.chips.loaded

    def activate(self) -> None:
        """Draw the plots, now that the window is painted."""
        self._active = True
        self.start.wake()
        self.once_imported(self._make_grid)
        self._timer.start()
        self._readings_arrived()
        if self.grid is not None:
            self.grid.redraw()  # It may be wider than when it was last seen.

    def _show_machine(self) -> None:
        machine = self.session.machine
        self.refresh_button.setEnabled(machine is not None or self.session.machine_outcome is not None)
        self._show_notices()
        if machine is None:
            self._show_loading()
            return
        self.subtitle.set_full_text(software_line(machine, self.texts))
        clear(self._places)
        self._cards = {}
        self._cpu_card(machine)
        for position, gpu in enumerate(machine.gpus):
            self._gpu_card(machine, gpu, position)
        self._shape = (0, False)
        self._lay_out()
        self._forget_grid()
        if self._active:
            self.once_imported(self._make_grid)
        latest = self.session.feed.buffer.latest if self.session.feed.buffer else None
        if latest is not None:
            self._show_reading(latest)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take three columns or four."""
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        """Three cards beside each other; where there are many and room for it, four GPUs in a row below the CPU."""
        cards = list(self._cards.values())
        many = len(cards) > _MANY_CARDS
        room = self._place_start(many=many, beside=len(cards) != 1)
        sized = self.context.theme.sized
        below = many and room >= sized(_ROOM_FOR_FOUR)
        columns = _MOST_COLUMNS if below else max(1, min(len(cards), _WIDE_COUNT, room // sized(_CARD_WIDTH)))
        if len(cards) <= _STACKED_COUNT and self._top.direction() == QBoxLayout.Direction.LeftToRight:
            columns = 1
        if not cards or (columns, below) == self._shape:
            return
        self._shape = (columns, below)
        if below:
            self._places.addWidget(cards[0], 0, 0, 1, columns)
        for place, card in enumerate(cards[1:] if below else cards):
            self._places.addWidget(card, place // columns + below, place % columns, Qt.AlignmentFlag.AlignTop)
        # What is left lies below the cards, not in them.
        self._places.setRowStretch(len(cards) + 1, 1)
        for column in range(_MOST_COLUMNS):
            self._places.setColumnStretch(column, 1 if column < columns else 0)

    def _place_start(self, *, many: bool, beside: bool) -> int:
        """The start card lies beside the devices where there is room for both and several; returns their width."""
        sized = self.context.theme.sized  # with larger letters there is less room beside the start card
        start_width = sized(_START_WIDTH)
        beside = beside and self.width() >= (sized(_ROOM_FOR_FOUR) + start_width if many else sized(_ROOM_BESIDE))
        direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if direction != self._top.direction():
            self._top.setDirection(direction)
        self.start.setFixedWidth(start_width) if beside else self.start.setMaximumWidth(_ANY_WIDTH)
        if not beside:
            self.start.setMinimumWidth(0)
        return self.width() - 2 * _SIDE - (start_width + GAP if beside else 0)

    def _show_loading(self) -> None:
        failed = self.session.machine_outcome is not None
        clear(self._places)
        words = self.texts("machine-failed" if failed else "machine-looking")
        notice = Notice([words], role="danger" if failed else "hero")
        self._places.addWidget(notice, 0, 0, Qt.AlignmentFlag.AlignTop)

    def _show_notices(self) -> None:
        clear(self._notices)
        sentences = []
        if self.session.feed.problem is not None:
            sentences.append(self.texts.say(self.session.feed.problem))
        machine = self.session.machine
        if machine is not None:
            sentences += [self.texts.say(notice) for notice in machine.notices]
            sentences += [
                f"GPU {gpu.index}: {self.texts.say(gpu.unusable_reason)}" for gpu in machine.gpus if gpu.unusable_reason
            ]
        if sentences:
            self._notices.addWidget(Notice(list(dict.fromkeys(sentences))))

    def _cpu_card(self, machine: Machine) -> None:
        texts, cpu = self.texts, machine.cpu
        colour = device_colour(None, self.theme.shade)
        card = DeviceCard(visible(cpu.name or texts("machine-cpu")), colour, chip=cpu.architecture)
        cores = texts("machine-cores", usable=cpu.usable_core_count, logical=cpu.logical_core_count or "?")
        card.add_fact("cores", texts("machine-fact-cores"), cores)
        card.add_fact("use", texts("machine-fact-use"), "–")
        clock = format_quantity(cpu.max_clock_hz, "Hz") if cpu.max_clock_hz else texts("window-unknown")
        card.add_fact("clock", texts("machine-fact-clock"), clock, tip=_refusal(cpu.refusals, "clock", self))
        card.add_line(_vector(cpu.instruction_sets) or texts("machine-no-vectors"))
        card.add_fact("wait", texts("machine-fact-waiting"), "–", tip=texts("plot-pressure-tip"))
        self._cards["cpu"] = card
        self._set_memory(card, machine.memory.total_bytes - machine.memory.available_bytes, machine.memory.total_bytes)

    def _gpu_card(self, machine: Machine, gpu: Gpu, position: int) -> None:
        texts = self.texts
        colour = device_colour(position, self.theme.shade)
        chip, role = (texts("machine-unusable"), "chip-warning") if not gpu.usable else (f"GPU {gpu.index}", "chip")
        if gpu.mig_enabled:
            chip = f"GPU {gpu.index} · MIG"
        card = DeviceCard(shown_card(gpu.name), colour, chip=chip, chip_role=role)
        card.name.explain(gpu.name)  # what the driver calls it
        figures, unknown = _told(gpu), texts("window-unknown")
        card.add_fact("use", texts("machine-fact-use"), "–")
        for key, title, field in _GPU_FACTS:
            card.add_fact(key, texts(title), figures.get(key, unknown), tip=_refusal(gpu.refusals, field, self))
        spec = texts("machine-spec", key=gpu.spec_key) if gpu.spec_key else texts("machine-spec-unknown")
        line = f"{_link(machine, gpu, texts('machine-link-unknown'))} · {spec}"
        if len(machine.gpus) < _MANY_CARDS:
            card.add_line(line)
        else:
            give_tip(card, f"{gpu.name}\n{line}")
        used = None
        if gpu.memory_total_bytes is not None and gpu.memory_free_bytes is not None:
            used = gpu.memory_total_bytes - gpu.memory_free_bytes
        self._set_memory(card, used, gpu.memory_total_bytes)
        for instance in gpu.mig_instances:
            size = texts.size(instance.memory_total_bytes)
            card.add_line(f"{instance.name} · {size}")
        self._cards[gpu.key] = card

    def _set_memory(self, card: DeviceCard, used_bytes: int | None, total_bytes: int | None) -> None:
        total = self.texts.size(total_bytes)
        if used_bytes is None or not total_bytes:
            card.show_memory(None, self.texts("machine-memory-total", total=total))
        else:
            free = self.texts.size(max(total_bytes - used_bytes, 0))
            card.show_memory(used_bytes / total_bytes, self.texts("machine-memory", free=free, total=total))

    def _readings_arrived(self) -> None:
        latest = self.session.feed.buffer.latest if self.session.feed.buffer else None
        if self._active and latest is not None:
            self._show_reading(latest)

    def _show_reading(self, reading: Reading) -> None:
        machine, card = self.session.machine, self._cards.get("cpu")
        if machine is None or card is None:
            return
        for key, share in (("use", reading.cpu_utilisation_fraction), ("wait", reading.cpu_pressure_fraction)):
            if share is not None:
                card.set_fact(key, FORMATS["utilisation"](share))
        if reading.memory_used_bytes is not None:
            self._set_memory(card, reading.memory_used_bytes, machine.memory.total_bytes)
        for gpu in reading.gpus:
            self._show_gpu_reading(machine, gpu)

    def _show_gpu_reading(self, machine: Machine, reading: GpuReading) -> None:
        card, gpu = self._cards.get(reading.key), machine.gpu_of(reading.key)
        if card is None or gpu is None:
            return
        card.setEnabled(not reading.lost)
        if reading.lost:
            card.set_fact("use", self.texts("machine-lost"))
            for key, _title, _field in _GPU_FACTS:
                card.set_fact(key, "–")  # What it told last is no longer so.
            self._set_memory(card, None, gpu.memory_total_bytes)
            return
        if reading.utilisation_fraction is not None:
            card.set_fact("use", FORMATS["utilisation"](reading.utilisation_fraction))
        for key, words in _told(reading).items():
            card.set_fact(key, words)
        if reading.memory_used_bytes is not None:
            self._set_memory(card, reading.memory_used_bytes, gpu.memory_total_bytes)


def _told(gpu: Gpu | GpuReading) -> dict[str, str]:
    """What a GPU tells now, by the key of its fact."""
    read = {"power": gpu.power_w, "clock": gpu.sm_clock_hz or None, "heat": gpu.temperature_celsius}
    formats = {"power": FORMATS["power"], "clock": FORMATS["clock"], "heat": FORMATS["temperature"]}
    return {key: formats[key](value) for key, value in read.items() if value is not None}


def _refusal(refusals: Iterable[Refusal], word: str, page: LivePage) -> str:
    """The reason why a field is unknown, if the driver gave one."""
    return next((page.texts.say(refusal.reason) for refusal in refusals if word in refusal.field), "")


def _vector(sets: tuple[str, ...]) -> str:
    """The instruction sets that decide how fast a CPU trains."""
    wanted = ("amx_bf16", "amx_tile", "avx512_bf16", "avx512f", "avx2", "sve", "neon", "asimd")
    lowered = {name.lower() for name in sets}
    return ", ".join(name.upper().replace("_", "-") for name in wanted if name in lowered)


def _link(machine: Machine, gpu: Gpu, unknown: str) -> str:
    """`PCIe 4 ×16`, with NVLink where it is active."""
    parts = []
    if gpu.pcie_generation and gpu.pcie_width:
        parts.append(f"PCIe {gpu.pcie_generation} ×{gpu.pcie_width}")
    linked = any(
        link.kind in {"nvlink", "nvswitch"} and gpu.index in {link.first_index, link.second_index}
        for link in machine.links
    )
    if linked or gpu.nvlink_count:
        parts.append("NVLink")
    return " · ".join(parts) or unknown
