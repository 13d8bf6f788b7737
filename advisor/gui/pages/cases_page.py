"""The published cases with the program's answers, the claim checker, and a training log explained."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QWidget

from advisor.cases.case_file import Case, CaseAnswer, bundled_cases
from advisor.claims.claim import ClaimAnswer, Verdict
from advisor.core.sentences import Reason
from advisor.core.units import exactly
from advisor.gui.context import Context
from advisor.gui.jobs.apart import apart
from advisor.gui.jobs.asks import CasesAsk, ClaimAsk
from advisor.gui.pages.log_card import LogCard
from advisor.gui.pages.page import GAP, Page, ViewState
from advisor.gui.plots.bars import Bar, BarChart
from advisor.gui.threads import Outcome
from advisor.gui.widgets.boxes import REST, FlowLayout, across, beside, clear, down, put
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label
from advisor.gui.widgets.notice import Notice, bulleted

_CHIPS: dict[Verdict, str] = {
    "plausible": "chip-accent",
    "plausible_only_with": "chip-warning",
    "below_expected": "chip-warning",
    "impossible": "chip-danger",
}


_LIST_WIDTH = 300
_BESIDE_WORDS = 34
"""Left and right of the words in the list, in pixels: frames, padding and the text's own margin."""


class CasesPage(Page):
    """Answers are computed in a thread when the page is first shown, and kept in the session."""

    def __init__(self, context: Context) -> None:
        """Nothing is computed yet."""
        super().__init__(context, context.texts("page-cases"), context.texts("cases-subtitle"))
        self.busy = False
        """Whether something is computed that the page is still to show."""
        self._answering = self._judging = False
        self._claim: ClaimAnswer | None = None
        self._shown: tuple[int, int] | None = None
        """The place of the case that stands on the page, and how many answers were known then."""
        self._list = self._case_list()
        self._beside = QWidget()
        self._beside.setFixedWidth(_LIST_WIDTH)
        self._beside.setMinimumHeight(self._list.height())
        self._list.setParent(self._beside)
        self.scroll_area.verticalScrollBar().valueChanged.connect(self._follow)
        self._detail = down(GAP)
        put(self.body, self._checker(), LogCard(context), (beside(GAP, self._beside, (self._detail, 1)), 1))
        self._list.setCurrentRow(0)

    def view_state(self) -> ViewState:
        """The chosen case, the claim and its answer."""
        return {"place": self._list.currentRow(), "claim": self._field.text(), "answer": self._claim}

    def restore(self, state: ViewState) -> None:
        """Show the same case and answer."""
        self._field.setText(state["claim"])
        if state["answer"] is not None:
            self._show_answer(state["answer"])
        self._list.setCurrentRow(state["place"])

    def activate(self) -> None:
        """Compute the answers once."""
        if not self.session.case_answers and not self._answering:
            self._answering = self.busy = True
            self.session.crew.start(apart(CasesAsk), self._answered, owner=self)
        self._show_case()

    def _answered(self, outcome: Outcome) -> None:
        self._answering = False
        self.busy = self._judging
        if isinstance(outcome.result, tuple):
            self.session.case_answers = {answer.case_id: answer for answer in outcome.result}
            self._mark_list()
        elif outcome.failed:
            self.session.problem_raised.emit(outcome)
        self._show_case()

    def _case_list(self) -> QListWidget:
        made = QListWidget()
        made.setAccessibleName(self.texts("page-cases"))
        made.setFixedWidth(_LIST_WIDTH)
        made.setWordWrap(True)
        made.setSpacing(2)
        made.setResizeMode(QListWidget.ResizeMode.Adjust)
        made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        made.setTextElideMode(Qt.TextElideMode.ElideNone)
        made.ensurePolished()  # Measured in the letters that it is shown in.
        for case in bundled_cases().values():
            item = QListWidgetItem(case.title.text(self.texts.language))
            room = QRect(0, 0, _LIST_WIDTH - _BESIDE_WORDS, 1000)
            words = made.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, item.text())
            item.setSizeHint(QSize(_LIST_WIDTH - 20, words.height() + 12))
            made.addItem(item)
        items = [made.item(place).sizeHint().height() + 2 * made.spacing() for place in range(made.count())]
        made.setFixedHeight(sum(items) + 10)
        made.currentRowChanged.connect(lambda _place: self._show_case())
        return made

    def _follow(self, scrolled: int) -> None:
        """The list stays beside the case that is read, where the window is high enough for all of it."""
        top = self._beside.y()
        spare = self._beside.height() - self._list.height()
        fits = self._list.height() <= self.scroll_area.viewport().height()
        self._list.move(0, min(max(scrolled - top, 0), max(spare, 0)) if fits else 0)

    def _mark_list(self) -> None:
        for place, case_id in enumerate(bundled_cases()):
            answer = self.session.case_answers.get(case_id)
            if answer is not None:
                self._list.item(place).setToolTip(self.texts(f"verdict-{answer.verdict}"))

    def _show_case(self) -> None:
        """The chosen case, and below it the others, so that a high window is not empty."""
        place, every = self._list.currentRow(), list(bundled_cases().values())
        shown = place, len(self.session.case_answers)
        unseen = self.context.shown() and not self.isVisible()
        if place < 0 or shown == self._shown or unseen:
            return
        self._shown = shown
        clear(self._detail)
        put(self._detail, self._case_card(every[place]), REST)
        others = [*every[place + 1 :], *every[:place]] if self.session.case_answers else []
        self.in_turns([partial(self._add_below, other) for other in others])
        self.scroll_area.verticalScrollBar().setValue(0)

    def _add_below(self, case: Case) -> None:
        self._detail.insertWidget(self._detail.count() - 1, self._case_card(case))

    def _case_card(self, case: Case) -> Card:
        texts = self.texts
        answer = self.session.case_answers.get(case.id)
        card = Card(case.title.text(texts.language))
        if card.title is not None:  # as long as a sentence: it breaks where the window is narrow
            card.title.setWordWrap(True)
            card.header.setStretchFactor(card.title, 1000)
        if answer is not None:
            card.add_to_header(self._chip(answer.verdict))
        question = label(case.question.text(texts.language), wrap=True, selectable=True)
        card.put(question, label(texts("cases-model", model=case.model_text(texts.language)), "muted", wrap=True))
        card.body.addSpacing(4)
        if answer is None:
            card.put(Notice([texts("cases-computing")], role="hero"))
        else:
            self._add_answer(card, answer)
        if case.claims:
            card.body.addSpacing(4)
            claims = [bulleted(claim.text(texts.language), "muted") for claim in case.claims]
            card.put(label(texts("cases-claims"), "heading"), *claims)
        card.hug()
        return card

    def _add_answer(self, card: Card, answer: CaseAnswer) -> None:
        texts = self.texts
        card.put(label(texts("cases-answer"), "heading"))
        for place, reason in enumerate(answer.reasons):
            card.put(bulleted(texts.say(self._by_title(reason)), "strong" if place == 0 else ""))
        for case_id in answer.contradicts:
            if case_id in bundled_cases():
                card.put(push(texts("cases-other"), partial(self._go_to, case_id), "link"))

    def _by_title(self, reason: Reason) -> Reason:
        """A case that a reason names by its id, as in the file, is named here as the list names it."""
        case = bundled_cases().get(str(reason.numbers.get("case")))
        if case is None:
            return reason
        return Reason.of(reason.code, **{**reason.numbers, "case": case.title.text(self.texts.language)})

    def _go_to(self, case_id: str) -> None:
        self._list.setCurrentRow(list(bundled_cases()).index(case_id))

    def _chip(self, verdict: Verdict) -> QWidget:
        return label(self.texts(f"verdict-{verdict}"), _CHIPS[verdict])

    def _checker(self) -> Card:
        texts = self.texts
        card = Card(texts("cases-checker"))
        self._field = QLineEdit()
        self._field.setAcceptDrops(False)  # A file that falls here is the window's.
        self._field.setPlaceholderText(texts("cases-example-1"))
        self._field.setAccessibleName(texts("cases-checker"))
        self._field.returnPressed.connect(self._check)
        self._button = push(texts("cases-check"), self._check, "primary")
        examples = [texts(code) for code in ("cases-example-2", "cases-example-3")]
        line = QWidget()
        flow = FlowLayout(line, 14)  # larger letters put one below the other
        flow.addWidget(label(texts("cases-examples"), "muted"))
        for text in examples:
            flow.addWidget(push(text, partial(self._try, text), "link"))
        self._answer_place = down(8)
        card.put(across(8, (self._field, 1), self._button), line, self._answer_place)
        card.hug()
        return card

    def _try(self, text: str) -> None:
        self._field.setText(text)
        self._check()

    def _check(self) -> None:
        text = self._field.text().strip()
        if not text or self._judging:
            return
        self._judging = self.busy = True
        self._button.setEnabled(False)
        clear(self._answer_place)
        self._answer_place.addWidget(label(self.texts("cases-computing"), "muted"))
        folder = str(self.session.settings.history_folder)
        ask = apart(lambda: ClaimAsk(text=text, data_folder=folder))
        self.session.crew.start(ask, self._judged, owner=self)

    def _judged(self, outcome: Outcome) -> None:
        self._judging = False
        self.busy = self._answering
        self._button.setEnabled(True)
        clear(self._answer_place)
        if isinstance(outcome.result, ClaimAnswer):
            self._show_answer(outcome.result)
        elif outcome.failed:
            self._answer_place.addWidget(Notice(self.texts.problem(outcome)))

    def _show_answer(self, answer: ClaimAnswer) -> None:
        self._claim = answer
        clear(self._answer_place)
        self._answer_place.addLayout(across(8, self._chip(answer.verdict), REST))
        if answer.claim.text is not None:
            from advisor.present.claim_reading import reading_line

            self._answer_place.addWidget(label(reading_line(answer.claim, self.texts.language), "muted", wrap=True))
        bars = self._bars(answer)
        if bars:
            chart = BarChart(self.theme, self.texts("cases-checker"))
            chart.show_bars(bars)
            self._answer_place.addWidget(chart)
        for reason in answer.reasons:
            self._answer_place.addLayout(bulleted(self.texts.say(reason)))

    def _bars(self, answer: ClaimAnswer) -> list[Bar]:
        """What was claimed, what is expected, and the bound."""
        texts, ratio = self.texts, answer.claim.speed_up_ratio
        how: Callable[[float], str] = texts.duration
        rate = answer.claim.samples_per_s
        if answer.claimed_step_s is not None and rate is not None:  # shown as it was claimed
            samples, expected_s, least_s = rate * answer.claimed_step_s, answer.expected_step_s, answer.bound_step_s
            expected = None if expected_s is None else expected_s.per(samples)
            how, figures = texts.rate, ("most", rate, expected, samples / least_s if least_s else None)
        elif answer.claimed_step_s is not None:
            figures = ("least", answer.claimed_step_s, answer.expected_step_s, answer.bound_step_s)
        elif ratio is not None:
            how, figures = _times, ("most", ratio, answer.expected_ratio, answer.bound_ratio)
        else:
            return []
        limit, claimed, expected, bound = figures
        rows = (
            ("claimed", exactly(claimed, "specified")),
            ("expected", expected),
            (limit, exactly(bound, "specified") if bound else None),
        )
        return [
            Bar(
                name=texts(f"cases-bar-{name}"),
                estimate=estimate,
                text=how(estimate.value),
                tip=texts.span(estimate, how) or how(estimate.value),
                chosen=name == "claimed",
            )
            for name, estimate in rows
            if estimate is not None
        ]


def _times(ratio: float) -> str:
    return f"{ratio:.2f} ×"
