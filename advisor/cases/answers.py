"""Answers the published cases from predictions and from the cases' own figures."""

from __future__ import annotations

from collections.abc import Callable

from advisor.cases.case_file import Case, CaseAnswer, Finding, bundled_cases
from advisor.cases.devices import answer_bert_across_gpus, answer_fp32_order, answer_iris
from advisor.cases.logged import answer_epoch_log, answer_rnn_crossover
from advisor.cases.scaling import answer_roberta, answer_two_gpus, answer_unet
from advisor.claims.predictor import Predictor
from advisor.core.file_fault import shown_value
from advisor.core.sentences import Names, Reason, SaidError

_ANSWERS: dict[str, Callable[[Case, Predictor], Finding]] = {
    "fp32-4090-vs-a100": answer_fp32_order,
    "iris-mlp-gpu-slower-than-cpu": answer_iris,
    "unet-dp-vs-ddp": answer_unet,
    "roberta-large-2x3090-grad-accumulation": answer_roberta,
    "bert-base-sst2-across-gpus": answer_bert_across_gpus,
    "rnn-batch-crossover": answer_rnn_crossover,
    "two-gpus-three-hours-to-52-minutes": answer_two_gpus,
    "epoch-log-with-frequent-validation": answer_epoch_log,
}


def answer_case(case: Case | str, predictor: Predictor) -> CaseAnswer:
    """The answer to a bundled case, given by id or as loaded. Raises InputError for an unknown id."""
    cases = bundled_cases()
    chosen = cases.get(case) if isinstance(case, str) else case
    if chosen is None or chosen.id not in _ANSWERS:
        given = shown_value(case if isinstance(case, str) else case.id)
        raise SaidError.of("case-unknown", given=given, names=Names(names=tuple(cases)))
    finding = _ANSWERS[chosen.id](chosen, predictor)
    contradicted = ", ".join(chosen.contradicts)
    beside = (Reason.of("case-contradicts", case=contradicted),) if contradicted else ()
    return CaseAnswer(
        case_id=chosen.id,
        verdict=finding.verdict,
        reasons=(*finding.reasons, *beside),
        contradicts=chosen.contradicts,
        figures=finding.figures,
    )


def answer_all_cases(predictor: Predictor) -> tuple[CaseAnswer, ...]:
    """The answers to all bundled cases, in the file's order."""
    return tuple(answer_case(case, predictor) for case in bundled_cases().values())
