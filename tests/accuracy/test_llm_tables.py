"""The recorded tables of language models hold every layer, also of what a compiler leaves of them."""

from __future__ import annotations

from advisor.cost.operators.device_time import runs_fused
from tests.accuracy.llm_rows import language_model_runs, published_cells
from tests.accuracy.llm_tables import computed, llm_table_path, load_llm_table

LEAST_KERNELS_A_LAYER = 5
"""Two norms, attention's and the feed-forward layers' element-wise work, and what backward makes of them."""


def test_runs_of_fused_kernels_have_those_of_all_layers() -> None:
    layers = {cells["id"]: int(cells["layers"]) for cells in published_cells() if cells["layers"]}
    fused = [run for run in language_model_runs() if runs_fused(run.workload.training)]
    assert len(fused) > 60
    for run in fused:
        table = load_llm_table(llm_table_path(computed(run)))
        assert table.compiled is not None, run.run_id
        kernels = sum(op.count for op in table.compiled.ops)
        assert kernels >= LEAST_KERNELS_A_LAYER * layers[run.run_id], run.run_id
