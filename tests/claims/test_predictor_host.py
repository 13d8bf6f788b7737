"""Several cards set beside one and the same host."""

from __future__ import annotations

from advisor.catalogue.spec_table import spec_table
from advisor.claims.predictor import Predictor, candidate
from advisor.workload.workload_file import load_workload

CARDS = ("rtx4090", "l40s", "a100-sxm4-80")


def test_what_waits_for_the_host_takes_as_long_on_any_card_beside_the_same_one() -> None:
    specs, workload = spec_table(), load_workload("iris_mlp")
    predictor = Predictor(specs)

    def steps_s(asked: Predictor) -> list[float]:
        set_ups = [candidate(specs[key], "fp32", 120) for key in CARDS]
        return [prediction.step_s.value for prediction in asked.predict(workload, set_ups)]

    desktop, server, other_server = steps_s(predictor)
    assert desktop < 0.75 * server
    assert abs(other_server / server - 1.0) < 0.005
    alike = steps_s(predictor.beside_the_host_of(specs["rtx4090"]))
    assert alike[0] == desktop
    assert max(alike) < 1.005 * min(alike)
    assert steps_s(predictor) == [desktop, server, other_server], "the first one is as it was"
