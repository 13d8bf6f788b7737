"""What is known of the described model while it is typed: its figures, what is assumed, and its layers."""

from __future__ import annotations

from PySide6.QtCore import Qt

from advisor.core.sentences import visible
from advisor.core.units import format_quantity
from advisor.gui.model_preview import ModelTracer, Preview
from advisor.gui.models.table_model import Column, TableModel, figures
from advisor.gui.pages.page import GAP
from advisor.gui.texts import Texts
from advisor.gui.widgets.boxes import REST, clear, down
from advisor.gui.widgets.card import Card, FigureRow, KeyFigure
from advisor.gui.widgets.labels import label, tell
from advisor.gui.widgets.notice import Trouble, bulleted
from advisor.gui.widgets.table import Table
from advisor.gui.widgets.table_card import GrowingCard
from advisor.optable.op_table import Layer, at
from advisor.present.card_names import short_name
from advisor.present.summary import in_mode
from advisor.workload.assumptions import assumed_reason
from advisor.workload.workload import PythonModel, Workload

_FIGURE_WIDTH = 128


class KnownOfModel:
    """The widgets that tell it; where they lie is the page's."""

    def __init__(self, texts: Texts, tracer: ModelTracer) -> None:
        """Nothing is known yet."""
        self._texts, self._tracer = texts, tracer
        self._batch_size = 1
        self.untraced = Trouble(texts("model-trace-failed"))
        self.figures = {name: KeyFigure(texts(f"model-{name}")) for name in ("parameters", "flop", "memory")}
        self.figure_row = FigureRow(list(self.figures.values()), least_width=_FIGURE_WIDTH, spacing=GAP)
        self.assumptions = Card(texts("model-assumptions"))
        self._assumed = down(8)
        self.assumptions.put(self._assumed, REST)
        self.layer_card = GrowingCard(texts("model-layers-title"))
        self._layer_state = label("", "muted")
        self.layer_card.add_to_header(self._layer_state)
        self.layers = TableModel(self._layer_columns())
        self.layer_table = Table(self.layers, texts("model-layers-title"), visible_rows=14, optional=(1, 2), grows=True)
        # A layer's own name stands at the end of its path.
        self.layer_table.setTextElideMode(Qt.TextElideMode.ElideLeft)
        self.layer_card.hold(self.layer_table)
        self._layer_note = label("", "muted", wrap=True)
        self.layer_card.put(self._layer_note)

    def _layer_columns(self) -> list[Column[Layer]]:
        texts = self._texts
        return [
            Column(
                title=texts("model-layer"),
                text=lambda layer: visible(layer.path),
                tip=lambda layer: visible(f"{layer.path}\n{layer.module}"),
            ),
            figures(texts("model-parameters"), lambda layer: layer.parameter_count, texts.count),
            figures(
                texts("model-layer-flop"),
                lambda layer: at(layer.flop, self._batch_size),
                lambda flop: format_quantity(flop, "FLOP"),
            ),
            figures(
                texts("model-layer-memory"), lambda layer: at(layer.activation_bytes, self._batch_size), texts.size
            ),
        ]

    def show(self, workload: Workload | None, *, allowed: bool) -> None:
        """Tell what the tracer knows of the workload; `allowed`: False while something typed is not."""
        preview = self._tracer.preview()
        self._batch_size = workload.training.batch_size if workload is not None else 1
        self._show_figures(preview, workload, allowed=allowed)
        self._show_assumptions(preview, workload)
        self._show_layers(preview)
        problem = self._tracer.problem
        self.untraced.tell(() if problem is None else self._texts.problem(problem))

    def _show_layers(self, preview: Preview | None) -> None:
        texts, layers = self._texts, () if preview is None else preview.layers
        self.layers.show(layers)
        state = note = ""
        if layers:
            state = texts("model-layer-count", count=len(layers), batch=self._batch_size)
        elif preview is not None:
            note = texts("model-no-layers")
        elif self._tracer.busy:
            state = texts("model-tracing")
        self._layer_state.setText(state)
        tell(self._layer_note, note)
        self.layer_card.setVisible(bool(state or note))
        self.layer_table.setVisible(bool(layers))

    def _show_figures(self, preview: Preview | None, workload: Workload | None, *, allowed: bool) -> None:
        texts = self._texts
        if not allowed or preview is None or workload is None:
            why = "" if allowed else texts("model-figures-invalid")  # Known is what was allowed last.
            for figure in self.figures.values():
                figure.show_figure("…" if self._tracer.busy and not why else "–", why)
            return
        trained = preview.trainable_parameter_count
        mode = workload.training.mode
        below = texts("model-all-trained") if mode != "inference" else ""
        if below and trained is not None and trained != preview.parameter_count:
            below = texts("model-trained", count=texts.count(trained))
        self.figures["parameters"].show_figure(texts.count(preview.parameter_count), below)
        flop = preview.flop_per_sample
        work = "–" if flop is None else format_quantity(flop, "FLOP")
        self.figures["flop"].show_figure(work, texts(in_mode("model-flop-below", mode)))
        need = preview.memory_bytes
        at_batch = texts("advice-batch-row", batch=self._batch_size)
        room = texts.size(need.value) if need else "…" if self._tracer.busy else "–"
        self.figures["memory"].show_figure(room, at_batch, tip=texts.span(need, texts.size))

    def _show_assumptions(self, preview: Preview | None, workload: Workload | None) -> None:
        clear(self._assumed)
        assumed = None if workload is None else assumed_reason(workload)
        words = [] if assumed is None else [self._texts.say(assumed)]
        if workload is not None and isinstance(workload.model, PythonModel):
            asked = self._tracer.needs_consent  # Below the figures that are missing for it, and not below all forms.
            words = [self._texts("model-needs-consent" if asked else "model-python-runs"), *words]
        device = "" if preview is None else preview.memory_device
        of_device = self._texts("model-memory-of", device=short_name(visible(device))) if device else ""
        for text in (*words, of_device or self._texts("model-memory-assumption")):
            self._assumed.addLayout(bulleted(text, "muted"))
