"""A table of runs that is none yet, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.core.sentences import SaidError, error_text
from advisor.evaluate.run_rows import read_run_rows

HEADER = "workload,gpu_key,mode,precision,batch_per_gpu,seq_len_or_img,ms"


@pytest.mark.parametrize(
    ("text", "told", "helps"),
    [
        (HEADER + "\n", "no row", "one run a row"),
        (HEADER + "\n\n  ,,\n", "no row", "one run a row"),
        (HEADER.replace(",", ";") + "\nresnet50;t4;training;fp32;16;224;100,5\n", "`;`", "commas"),
        (HEADER.replace(",", "\t") + "\nresnet50\tt4\ttraining\tfp32\t16\t224\t100\n", "Tab", "commas"),
    ],
)
def test_a_table_without_rows_or_with_another_separator_is_refused_by_what_it_is(
    tmp_path: Path, text: str, told: str, helps: str
) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SaidError) as refused:
        read_run_rows(path)
    sentence, remedy = error_text(refused.value, "en")
    assert told in sentence
    assert helps in str(remedy)
