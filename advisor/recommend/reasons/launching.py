"""Why no launch script is written for a set-up that asks for more than torch and the model's own library give."""

from __future__ import annotations

from advisor.catalogue.strategies import tensor_cards
from advisor.core.sentences import Reason
from advisor.predict.prediction import SetUp
from advisor.workload.workload import Training, quantization_of


def script_gap(training: Training, chosen: SetUp) -> Reason | None:
    """Why no script trains so, and what does; None where one can be written, or only the model stands in its way."""
    if chosen.strategy == "pp":
        return Reason(code="caveat-no-script-pipeline")
    if chosen.strategy == "tp" and tensor_cards(chosen.count) < chosen.count:
        return Reason(code="caveat-no-script-groups")
    if chosen.strategy == "tp" and quantization_of(training) is not None:
        return Reason(code="caveat-no-script-quantised-split")
    return None
