"""Why no launch script is written for a set-up that asks for more than torch and the model's own library give."""

from __future__ import annotations

from advisor.catalogue.strategies import Strategy
from advisor.core.sentences import Reason
from advisor.workload.workload import Training, quantization_of


def script_gap(training: Training, strategy: Strategy) -> Reason | None:
    """Why no script trains so, and what does; None where one can be written, or only the model stands in its way."""
    if strategy == "pp":
        return Reason(code="caveat-no-script-pipeline")
    if strategy == "tp" and quantization_of(training) is not None:
        return Reason(code="caveat-no-script-quantised-split")
    return None
