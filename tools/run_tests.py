"""Set up a clean environment, build the wheel, install it, and test that wheel from another folder.

Needs Python 3.11 or newer with venv and pip alone. What needs a C compiler, a display or system libraries is
skipped by name where they are missing; with --strict such a skip fails the run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_NOTHING_CHOSEN = 5
"""Pytest's exit code where the further words left no test."""
WORKERS = "3"
"""One more than the two cores that the gate has: tests of windows, drivers and ranks wait for processes of their own,
and a core of a gate with two workers is idle meanwhile."""
SLOWEST_TOLD = 30
"""Tests that are named with their seconds: the gate has half an hour, and these are where it goes."""
MOST_WHEEL_BYTES = 6_000_000
"""More than half of it are the fonts, with Chinese; a sixth are operator tables that spare a trace."""
NOT_COPIED = shutil.ignore_patterns("__pycache__", ".venv*", ".git", "build", "dist", ".mypy_cache", ".ruff_cache")
COPIED = (
    "tests",
    "tools",
    "docs",
    ".ci",
    "pyproject.toml",
    ".importlinter",
    "README.md",
    "README.zh.md",
    "CHANGELOG.md",
    "constraints.txt",
    "sbom.cdx.json",
    "mkdocs.yml",
    "frozen",
)


def _run(command: list[str], **settings: object) -> int:
    print("+", " ".join(command), flush=True)
    return subprocess.run(command, check=False, **settings).returncode  # type: ignore[call-overload,no-any-return]


def _python_of(folder: Path) -> Path:
    """The Python of the virtual environment in `folder`, there or not yet."""
    windows = sys.platform == "win32"
    return folder / ("Scripts" if windows else "bin") / ("python.exe" if windows else "python")


def _make_environment(folder: Path, interpreter: str | None) -> None:
    """A fresh virtual environment, of another Python where one is given."""
    if interpreter is None:
        venv.EnvBuilder(clear=True, with_pip=True).create(folder)
    else:
        subprocess.run([interpreter, "-m", "venv", "--clear", str(folder)], check=True)


def _constraints(chosen: argparse.Namespace, python: Path, folder: Path) -> list[str] | None:
    """Pip's words for the versions asked for: lowest, newest or tested; None where there is no answer."""
    if chosen.newest:
        return []
    versions = _lowest_versions(python, folder) if chosen.lowest else ROOT / "constraints.txt"
    return None if versions is None else ["-c", str(versions)]


def _lowest_versions(python: Path, folder: Path) -> Path | None:
    """The lowest stated version of every direct dependency, with what goes with them; None where there is no answer."""
    lowest = folder / "lowest.txt"
    question = ["--resolution", "lowest-direct", "--extra", "test", "--no-header", "--no-annotate", "--quiet"]
    places = [str(ROOT / "pyproject.toml"), "-o", str(lowest), "--python", str(python)]
    code = _run([str(python), "-m", "pip", "install", "--quiet", "uv"])
    code = code or _run([str(python), "-m", "uv", "pip", "compile", *question, *places])
    return None if code else lowest


def _install_wheel(python: Path, folder: Path, constraints: list[str]) -> int:
    """Build the wheel once and install it with its test extra, at the versions that pip's words of constraints name."""
    wheels = folder / "wheels"
    code = _run([str(python), "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(wheels), str(ROOT)])
    if code:
        return code
    wheel = next(wheels.glob("training_advisor-*.whl"))
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size} bytes", flush=True)
    if size >= MOST_WHEEL_BYTES:
        print(f"the wheel may have {MOST_WHEEL_BYTES} bytes at most", file=sys.stderr)
        return 1
    return _run(
        [
            str(python),
            "-m",
            "pip",
            "install",
            "--quiet",
            *constraints,
            f"training-advisor[test] @ {wheel.as_uri()}",
        ]
    )


def _copy_tests(folder: Path) -> Path:
    """The tests, their tools and the contract files, without the package: what is imported is the wheel."""
    away = folder / "checkout_without_package"
    away.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, away / name, ignore=NOT_COPIED)
        elif source.is_file():
            shutil.copy2(source, away / name)
    return away


def _files_with_tests_alone(away: Path) -> list[str]:
    """The few files that hold a test to run alone: collecting all the others again takes as long as a long test."""
    files = sorted((away / "tests").rglob("test_*.py"))
    return [str(file.relative_to(away)) for file in files if "pytest.mark.alone" in file.read_text(encoding="utf-8")]


def main() -> int:
    """Run everything; the exit code is pytest's, or that of the step that failed before it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--strict", action="store_true", help="a test that skips fails the run")
    parser.add_argument("--environment", type=Path, default=ROOT / ".venv-test", help="where the environment is made")
    steps = parser.add_mutually_exclusive_group()
    steps.add_argument("--only-install", action="store_true", help="make the environment and stop")
    steps.add_argument("--installed", action="store_true", help="test in the environment that --only-install made")
    parser.add_argument("--python", help="another Python to test with (`python3.13`, or a path)")
    versions = parser.add_mutually_exclusive_group()
    versions.add_argument("--lowest", action="store_true", help="the lowest stated versions, not constraints.txt's")
    versions.add_argument("--newest", action="store_true", help="the newest versions that the package index has")
    parser.add_argument("pytest", nargs="*", help="further words for pytest")
    arguments = parser.parse_args()
    python = _python_of(arguments.environment)
    with tempfile.TemporaryDirectory(prefix="advisor-tests-") as temporary:
        folder = Path(temporary)
        if not arguments.installed:
            _make_environment(arguments.environment, arguments.python)
            constraints = _constraints(arguments, python, folder)
            code = 1 if constraints is None else _install_wheel(python, folder, constraints)
            if code or arguments.only_install:
                return code
        settings = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen"),
        }
        if arguments.strict:
            settings["ADVISOR_NO_SKIPS"] = "1"
        away = _copy_tests(folder)
        command = [str(python), "-m", "pytest", "-q", f"--durations={SLOWEST_TOLD}", *arguments.pytest]
        together = _run([*command, "-n", WORKERS, "-m", "not nightly and not alone"], cwd=away, env=settings)
        # What times processes of its own would time the other tests as well.
        files = [] if arguments.pytest else _files_with_tests_alone(away)
        alone = _run([*command, "-m", "alone and not nightly", *files], cwd=away, env=settings)
        return max((code for code in (together, alone) if code != _NOTHING_CHOSEN), default=_NOTHING_CHOSEN)


if __name__ == "__main__":
    sys.exit(main())
