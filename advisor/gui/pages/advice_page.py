"""The advice: one card that is read in ten seconds, why, what would change it, and the curves below."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QLayout, QWidget

from advisor.core.sentences import in_a_row, labelled, visible
from advisor.gui.advised.again import advise_with, back_strip
from advisor.gui.advised.charts import batch_card, crossover_card, memory_card, split_card, strategy_card
from advisor.gui.advised.picture import PictureCard
from advisor.gui.advised.reasons import help_card, measured_in_part, reason_cards
from advisor.gui.advised.set_up import figure_row, hero_card, short_set_up
from advisor.gui.advised.switches import SwitchesCard
from advisor.gui.context import Context
from advisor.gui.pages.accuracy_caption import accuracy_caption
from advisor.gui.pages.page import GAP, Page, ViewState
from advisor.gui.widgets.boxes import REST, across, beside, clear, down, put
from advisor.gui.widgets.buttons import one_of, push
from advisor.gui.widgets.card import Card, Columns, FigureRow
from advisor.gui.widgets.labels import ElidedLabel
from advisor.gui.widgets.notice import EmptyState, Notice, Strip
from advisor.predict.prediction import Prediction
from advisor.present.job_picture import job_picture
from advisor.present.set_ups import of_this_machine
from advisor.present.summary import asked_line, help_comes_first
from advisor.recommend.recommendation import Recommendation, prediction_of

if TYPE_CHECKING:
    from advisor.store.advice_record import AdviceRecord

_CHARTS = (batch_card, crossover_card, memory_card, strategy_card, split_card)


class AdvicePage(Page):
    """Shows the best of all candidates, or the best on this machine."""

    _advice: AdviceRecord
    """What the parts show, and the answer that is chosen of it: both there before any part is."""
    _chosen: Recommendation

    def __init__(self, context: Context) -> None:
        """Show the session's advice, if there is one."""
        super().__init__(context, context.texts("page-advice"))
        self._local = False
        self._copy = self.add_action(self.texts("advice-copy-command"), lambda: context.act("copy-command"))
        self._export = self.add_action(self.texts("advice-export"), lambda: context.act("export-pdf"), primary=True)
        self.session.advice_changed.connect(self._advice_arrived)
        self.session.prices_changed.connect(self._prices_changed)
        self.session.price_file_changed.connect(self._prices_changed)
        self.session.history_changed.connect(self._kept)
        self._unkept_shown = ""
        self._switched_shown: tuple[str, ...] = ()
        self.session.described.changed.connect(self._described_changed)
        self._show()

    def view_state(self) -> ViewState:
        """Which of the two answers is shown."""
        return {"local": self._local}

    def restore(self, state: ViewState) -> None:
        """Show the same answer again."""
        self._local = state["local"]
        self._show()

    def _prices_changed(self) -> None:
        self.show_when_seen(self._show)

    def _advice_arrived(self) -> None:
        self._local = False
        self.show_when_seen(self._show)

    def _kept(self) -> None:
        if self.session.unkept != self._unkept_shown:
            self.show_when_seen(self._show)

    def _described_changed(self) -> None:
        if self.session.described.switched != self._switched_shown:
            self.show_when_seen(self._show)

    def _choose(self, local: bool) -> None:
        self._local = local
        self._show()

    def _show(self) -> None:
        clear(self.body)
        self._unkept_shown, self._switched_shown = self.session.unkept, self.session.described.switched
        advice = self._with_prices()
        for button in (self._copy, self._export):
            button.setVisible(advice is not None)
        if advice is None:
            self.subtitle.set_full_text(self.texts("advice-none-yet"))
            self.body.addWidget(self._empty(), 1)
            return
        self.subtitle.set_full_text(self._origin(advice))
        chosen = advice.recommendation_local if self._local else advice.recommendation
        chosen = chosen or advice.main
        if chosen is None:
            nothing = self.texts("summary-nothing")
            sentences = [self.texts.say(reason) for reason in (*advice.reasons, *advice.caveats)]
            if asked := asked_line(advice, self.texts.language):
                sentences.insert(0, labelled(self.texts("summary-asked"), asked, self.texts.language))
            helping = (back_strip(advice, self.context), help_card(advice, self.texts), self._switches_card(advice))
            shown = [card for card in helping if card is not None]
            self._copy.hide()  # No set-up, nothing to launch.
            put(self.body, Notice(sentences or [nothing], title=nothing), *shown, self._again(), REST)
            return
        self._advice, self._chosen = advice, chosen
        self._own = prediction_of(advice.predictions, chosen)
        self._picked: Prediction | None = None
        self._picture = job_picture(of_this_machine(advice) if self._local else advice)
        self._card: PictureCard | None = None
        parts: list[Callable[[], QWidget | QLayout | None]] = [
            self._choice,
            lambda: hero_card(self._advice, self._chosen, self.texts),
            self._back_strip,
            self._picture_card,
            self._unkept,
            self._disturbed,
            self._prices_typed,
            self._figures_box,
            self._accuracy,
            self._help,
            self._reasons,
            self._switches,
        ]
        self.fill(parts + self._charts())

    def _back_strip(self) -> QWidget | None:
        """Which switches were set here, and the way back."""
        strip = back_strip(self._advice, self.context)
        if strip is not None:
            self.rest_while_busy(strip.button)
        return strip

    def _picture_card(self) -> QWidget | None:
        if self._picture is None:
            return None
        rows = [row.prediction for row in self._picture.rows]
        self._own_place = next((place for place, prediction in enumerate(rows) if prediction is self._own), -1)
        self._card = PictureCard(self.context, self._advice, self._picture, self._own_place)
        self._card.picked.connect(lambda place: self._pick(rows[place]))
        return self._card

    def _pick(self, prediction: Prediction | None) -> None:
        """Show the figures of a row of the picture below it."""
        self._picked = None if prediction is self._own else prediction
        self._fill_figures()

    def _back(self) -> None:
        """The advised set-up's own figures again."""
        if self._card is not None:
            self._card.chart.mark(self._own_place)
        self._pick(self._own)

    def _with_prices(self) -> AdviceRecord | None:
        """The session's advice, with the costs that follow from prices typed into Compare's table."""
        advice = self.session.advice
        if advice is None or self.session.prices is None:
            return advice
        from advisor.gui.pages.compare_figures import priced

        return priced(advice, self.context.settings, self.session.prices_in)

    def _prices_typed(self) -> QWidget | None:
        """One amber line where prices are shown that the advice did not weigh."""
        if self._advice is self.session.advice:
            return None
        again = "measure" if self._advice.measurements else "predict"
        return self._job_strip("advice-weigh-prices", again, self.texts("advice-prices-typed"), whole=True)

    def _unkept(self) -> QWidget | None:
        """One amber line where the data folder cannot be written, in the words of the History page."""
        reason, folder = self.session.unkept, str(self.context.settings.history_folder)
        if not reason:
            return None
        words = visible(self.texts("history-not-kept", path=folder, reason=reason))
        return Strip(words, self.texts("menu-settings"), lambda: self.context.act("settings"))

    def _disturbed(self) -> QWidget | None:
        """One amber line where other programs or the heat took part in what was timed, or it ended before its time."""
        told = measured_in_part(self._advice, self.texts)
        return self._job_strip("advice-measure-again", "measure", in_a_row(told), whole=True) if told else None

    def _job_strip(self, code: str, command: str, words: str, *, whole: bool = False) -> Strip:
        """An amber line whose button begins a job."""
        strip = Strip(words, self.texts(code), lambda: self.context.act(command), whole=whole)
        self.rest_while_busy(strip.button)
        return strip

    def _figures_box(self) -> QWidget:
        box = QWidget()
        self._figure_lines = down(8, inside=box)
        self._fill_figures()
        return box

    def _fill_figures(self) -> None:
        clear(self._figure_lines)
        if self._picked is None:
            self._figure_lines.addWidget(self._figures(self._chosen, self._own))
            return
        words = self.texts("picture-figures", set_up=short_set_up(self._picked, self.texts))
        compare = push(self.texts("picture-compare"), lambda: self.context.go("compare"), "small")
        back = push(self.texts("picture-back"), self._back, "small")
        line = across(8, (ElidedLabel(words, "heading"), 1), compare, back)
        put(self._figure_lines, line, self._figures(self._picked, self._picked))

    def _figures(self, chosen: Recommendation | Prediction, own: Prediction | None) -> FigureRow:
        return figure_row(chosen, own, self._advice.workload.training, self.context)

    def _switches(self) -> QWidget | None:
        card = None if self._advice.recommendation is None else self._switches_card(self._advice)
        if card is not None and self._card is not None:
            card.changed.connect(self._card.show_switched)
        return card

    def _switches_card(self, advice: AdviceRecord) -> SwitchesCard | None:
        if not advice.switches:
            return None
        card = SwitchesCard(self.context, advice, advice.switches)
        card.wanted.connect(lambda switches: advise_with(switches, advice, self.context))
        self.rest_while_busy(*card.buttons)
        return card

    def _accuracy(self) -> QWidget | None:
        if self._chosen.step_s.basis != "specified":
            return None
        return accuracy_caption(self.texts.language, [self._chosen.precision], self._chosen.device.spec_key)

    def _empty(self) -> EmptyState:
        empty = EmptyState(
            self.texts("advice-empty-title"),
            self.texts("advice-empty-text"),
            (self.texts("menu-measure"), lambda: self.context.act("measure")),
            (self.texts("menu-predict"), lambda: self.context.act("predict")),
            (self.texts("menu-open"), lambda: self.context.act("open")),
        )
        self.rest_while_busy(*empty.buttons[:2])
        return empty

    def _again(self) -> QHBoxLayout:
        """The ways to an advice, where a run gave none."""
        jobs = [push(self.texts(f"menu-{job}"), partial(self.context.act, job)) for job in ("measure", "predict")]
        self.rest_while_busy(*jobs)
        return across(12, *jobs, REST)

    def _origin(self, advice: AdviceRecord) -> str:
        devices = len([measurement for measurement in advice.measurements if measurement.steps])
        source = self.texts("advice-from-measured", count=devices) if devices else self.texts("advice-from-predicted")
        setups = self.texts("advice-setups", count=len(advice.predictions))
        return f"{self.texts.title(advice.workload.name)} · {source} · {setups}"

    def _choice(self) -> QHBoxLayout | None:
        """The switch between the two answers, where they differ."""
        best, here = self._advice.recommendation, self._advice.recommendation_local
        if best is None or here is None or best.differs_at_most_by(here, "gradient_accumulation_steps"):
            return None
        answers = ((False, "advice-best-of-all"), (True, "advice-on-this-machine"))
        buttons = [
            one_of(self.texts(code), partial(self._choose, local), chosen=local == self._local)
            for local, code in answers
        ]
        other = best if self._local else here
        words = self.texts(
            "advice-other-all" if self._local else "advice-other-local", set_up=short_set_up(other, self.texts)
        )
        return across(8, *buttons, (ElidedLabel(words, "muted", lines=2), 1))

    def _help(self) -> QWidget | None:
        """What would be better than a makeshift; what else would help stands in the table of switches."""
        return help_card(self._advice, self.texts) if help_comes_first(self._chosen) else None

    def _reasons(self) -> QWidget | None:
        cards = reason_cards(self._advice, self._chosen, self.texts, local=self._local)
        return Columns(cards, spacing=GAP) if cards else None

    def _charts(self) -> list[Callable[[], QWidget | QLayout | None]]:
        """A turn for each chart; two stand side by side, and a pair comes when both are made."""
        waiting: list[QWidget] = []

        def turn(make: Callable[[AdviceRecord, Recommendation, Context], Card | None], *, last: bool) -> QLayout | None:
            card = make(self._advice, self._chosen, self.context)
            if card is not None:
                waiting.append(card)
            if not waiting or (len(waiting) == 1 and not last):
                return None
            pair = beside(GAP, *((card, 1) for card in waiting))
            waiting.clear()
            return pair

        return [partial(turn, make, last=make is _CHARTS[-1]) for make in _CHARTS]
