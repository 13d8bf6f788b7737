"""Fit `resources/efficiencies.toml` on measured runs: python tools/fit_efficiencies.py [--add OWN.csv] [--write FILE].

Prints in-sample and leave-one-out errors, and writes the fitted figures and ranges into the file (default: the
program's own). `--add` takes runs of your own in the format of `--evaluate`; they are traced here and fitted
together with the published ones and those that we measured. Deterministic; needs scipy
(`pip install training-advisor[fit]`).
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import tomlkit
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from advisor.catalogue.spec_table import spec_table  # noqa: E402 - the same
from advisor.cost import efficiencies as records  # noqa: E402 - the same
from advisor.cost.efficiencies import Efficiencies, Fitted, ShareSpread  # noqa: E402 - the same
from advisor.evaluate.row_answer import RowQuestion  # noqa: E402 - the checkout first
from advisor.evaluate.row_predictions import WorkloadReader, questions_of  # noqa: E402 - the checkout first
from advisor.evaluate.run_rows import read_run_rows  # noqa: E402 - the same
from advisor.evaluate.traces import trace_all, trace_key  # noqa: E402 - the same
from tests.accuracy.fitted_steps import fitted_steps  # noqa: E402 - the same
from tests.accuracy.recorded_runs import measured_steps  # noqa: E402 - the same
from tools.fitting.card_shares import CardShares, without_shares  # noqa: E402 - the same
from tools.fitting.fit import MeasuredStep, StepSet, fit  # noqa: E402 - the same
from tools.fitting.left_out import KEYS, left_out  # noqa: E402 - the same
from tools.fitting.priors import PRIORS  # noqa: E402 - the same
from tools.fitting.range_ends import bands_of  # noqa: E402 - the same

EFFICIENCIES = ROOT / "resources" / "efficiencies.toml"
DIGITS = 5

Floats = NDArray[np.float64]


def main() -> None:
    """Read, fit, leave out, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--add", type=Path, help="further runs, in the format of --evaluate")
    parser.add_argument("--write", type=Path, default=EFFICIENCIES, metavar="FILE", help="file to fill in")
    parser.add_argument("--allow-code", action="store_true", help="trace Python files of the further runs")
    options = parser.parse_args()
    base = _base()
    steps = list(fitted_steps())
    if options.add is not None:
        steps += _own_steps(options.add, allow_code=options.allow_code)
    whole = StepSet(steps, base)
    fitted = _rounded(fit(whole))
    _print("in-sample, no shares of cards", whole.predicted_s(fitted), whole.measured_s)
    figures = _with_shares(steps, base, fitted)
    _print("in-sample", StepSet(steps, figures).predicted_s(fitted), whole.measured_s)
    predicted = {}
    for what in KEYS:
        predicted[what] = left_out(what, steps, figures, fitted)
        _print(f"leave-one-{what}-out", predicted[what], whole.measured_s)
    _write(options.write, msgspec.structs.replace(figures, bands=bands_of(steps, figures, predicted)), steps)
    print(f"wrote {options.write}")


def _base() -> Efficiencies:
    """The program's own file; what the fit is to find, and new figures that the file lacks, start from the priors."""
    document = tomllib.loads(EFFICIENCIES.read_text(encoding="utf-8"))
    document["fitted"] = {name: prior.centre for name, prior in PRIORS.items()}
    return without_shares(msgspec.convert(document, Efficiencies))


def _with_shares(steps: Sequence[MeasuredStep], base: Efficiencies, fitted: Fitted) -> Efficiencies:
    """With what is fitted, what single cards reach beyond it, as their runs tell, and how much cards differ in that."""
    shares = CardShares(steps, base, fitted)
    spread = ShareSpread(**{name: _digits(width) for name, width in msgspec.to_builtins(shares.spread()).items()})
    cards = tuple(
        msgspec.structs.replace(card, bandwidth=_digits(card.bandwidth), compute=_digits(card.compute))
        for card in shares.told(spread)
    )
    return msgspec.structs.replace(base, fitted=fitted, share_spread=spread, cards=cards)


def _digits(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _own_steps(path: Path, *, allow_code: bool) -> tuple[MeasuredStep, ...]:
    rows = read_run_rows(path)
    found = questions_of(rows, WorkloadReader(path.parent), spec_table())
    questions = [question for question in found if isinstance(question, RowQuestion)]
    wanted = {trace_key(one.workload, one.workload.training.precision): one.workload for one in questions}
    steps = measured_steps(questions, trace_all(wanted, allow_code=allow_code))
    print(f"{path}: {len(steps)} of {len(rows)} rows can be fitted")
    return steps


def _rounded(fitted: Fitted) -> Fitted:
    """As it is written: what is left out starts from the figures that a reader of the file has."""
    return Fitted(**{name: _digits(value) for name, value in msgspec.to_builtins(fitted).items()})


def _print(name: str, predicted: Floats, measured: Floats) -> None:
    error = predicted / measured - 1.0
    print(
        f"{name:28s} {len(error):4d} runs  MAPE {100 * np.abs(error).mean():5.2f} %  "
        f"median {100 * np.median(np.abs(error)):5.2f} %  bias {100 * np.median(error):+5.2f} %"
    )


def _envelope(steps: Sequence[MeasuredStep]) -> records.Envelope:
    """What the fitted runs reach to."""
    return records.Envelope(
        traces=tuple(sorted({step.compiled.table.precision for step in steps})),
        compiled_modes=tuple(sorted({step.training.mode for step in steps if step.training.compile})),
        largest_parameter_count=float(f"{max(step.compiled.table.parameter_count for step in steps):.2g}"),
    )


def _write(path: Path, figures: Efficiencies, steps: Sequence[MeasuredStep]) -> None:
    """Fill in what is fitted; comments and figures by hand stay as they are."""
    document = tomlkit.parse(EFFICIENCIES.read_text(encoding="utf-8"))
    document["source"] = f"fitted on {len(steps)} runs, published or measured by us, by tools/fit_efficiencies.py"
    document["fitted_cards"] = sorted({step.spec.key for step in steps})
    document["fitted_capabilities"] = sorted({step.spec.compute_capability or "" for step in steps}, key=float)
    document["envelope"] = tomlkit.item(msgspec.to_builtins(_envelope(steps)))
    table = tomlkit.table()
    for name, value in msgspec.to_builtins(figures.fitted).items():
        table[name] = value
    document["fitted"] = table
    document["share_spread"] = tomlkit.item(msgspec.to_builtins(figures.share_spread))
    for name, told in (("cards", figures.cards), ("bands", figures.bands)):
        rows = tomlkit.aot()
        for record in told:
            rows.append(tomlkit.item(msgspec.to_builtins(record)))
        document[name] = rows
    path.write_text(tomlkit.dumps(document), encoding="utf-8")
    records.read_efficiencies(path)


if __name__ == "__main__":
    main()
