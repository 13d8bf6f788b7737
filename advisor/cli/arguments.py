"""The flags of the command line, checked one by one; what they mean stands in `--help`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NoReturn, get_args

from advisor import __version__
from advisor.catalogue.optimizers import OPTIMIZERS
from advisor.catalogue.precisions import PRECISIONS
from advisor.catalogue.strategies import MOST_DEVICES
from advisor.cli.argument_values import (
    batch_range,
    card_list,
    choice_word,
    count_list,
    layer_names,
    module_names,
    number_of,
    of_field,
    optimizer_word,
    precision_word,
    samples_number,
    whole_number,
)
from advisor.cli.faults import command_fault, fault_of, meant, unknown_words
from advisor.core.moment import MOST_DAYS_AGO
from advisor.protocol.budgets import MEASURING_S, VERIFYING_S
from advisor.workload.workload import (
    DEFAULT_WORKLOAD,
    BatchSize,
    Checkpointing,
    Fp8Recipe,
    LoraRank,
    Offload,
    Quantization,
    Size,
    Trainable,
)

Shell = Literal["bash", "zsh", "fish"]
Framework = Literal["trainer", "accelerate", "lightning"]
FRAMEWORKS: tuple[Framework, ...] = get_args(Framework)
SHELLS: tuple[Shell, ...] = get_args(Shell)


class _Parser(argparse.ArgumentParser):
    """An argument parser whose complaint is one sentence with a remedy, like every other error here."""

    def error(self, message: str) -> NoReturn:
        raise command_fault("told", meant(()), detail=message)

    def parse_args(self, args: Sequence[str] | None = None, namespace: object = None) -> argparse.Namespace:  # type: ignore[override]  # ours takes no other namespace
        """The flags. Raises SaidError for what is no flag or no value of one."""
        try:
            parsed, left = self.parse_known_args(args, namespace)
        except argparse.ArgumentError as error:
            raise fault_of(error) from error
        if left:
            names = [name for action in self._actions for name in action.option_strings]
            raise unknown_words(left, names, args or ())
        return parsed  # type: ignore[return-value]


_DESCRIPTION = """\
On which device, with which batch size and precision, on how many GPUs and with
which strategy should this PyTorch model be trained, how long, and why?

examples:
  advisor                                     open the window
  advisor --measure                           measure here, advise for bert_base_sst2
  advisor --predict resnet50 --gpus 4090,A100 two kinds of cards, nothing measured
  advisor --predict --gpus "2x 3090, 1x A100" just these set-ups against each other
  advisor --predict path/to/config.json       a Hugging Face model
  advisor --measure train.py --allow-code     a file with build_model and make_batch
  advisor --init train.toml                   write a commented workload file
  advisor --claim "4 V100 train ResNet-50 at 1400 images/s"
  advisor --predict gpt2_small --script run.py   the script that follows the advice

WORKLOAD is a bundled name (--list), a TOML file, a config.json, its folder or
the hub id of a Hugging Face model, or a .py file; left out: bert_base_sst2.
"""
_EPILOG = """\
exit codes: 0 advice given; 1 a bug of ours; 2 wrong use, a bad input file or a
model that cannot be traced; 3 nothing usable measured, prediction given;
4 interrupted, what was measured is kept; 5 an output could not be written;
6 nothing can be recommended: no set-up fits, or none keeps the limits; of the
rows of --evaluate none can be predicted.
"""


def build_parser() -> argparse.ArgumentParser:
    """The parser of all flags (interface: commands, then what changes them)."""
    parser = _Parser(
        prog="advisor",
        usage="advisor [COMMAND [WORKLOAD]] [OPTIONS]",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        exit_on_error=False,
    )
    parser.add_argument("--version", action="version", version=f"advisor {__version__}")
    _add_commands(parser)
    _add_workload_options(parser)
    _add_device_options(parser)
    _add_goal_options(parser)
    _add_output_options(parser)
    return parser


def parse(argv: list[str]) -> argparse.Namespace:
    """The flags of a command line; `--script trainer` means that framework's configuration on stdout."""
    arguments = build_parser().parse_args(argv)
    named = None if arguments.script is None else str(arguments.script)
    if arguments.script_for is None and named in FRAMEWORKS:
        arguments.script_for, arguments.script = named, Path("-")
    elif arguments.script_for is not None and arguments.script is None:
        arguments.script = Path("-")
    return arguments


def settings_of(arguments: argparse.Namespace) -> dict[str, object]:
    """What the flags say of the workload, by its fields' names: each such flag is kept under its field's."""
    from advisor.workload.overrides import OVERRIDE_NAMES  # with all that tells faults, which a start does not need

    said = {name: value for name, value in vars(arguments).items() if value is not None and value is not False}
    return {name: value for name, value in said.items() if name in OVERRIDE_NAMES}


def _add_commands(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("commands").add_mutually_exclusive_group()
    workload = {"nargs": "?", "metavar": "WORKLOAD", "const": DEFAULT_WORKLOAD}
    group.add_argument("--measure", help="measure here, predict elsewhere, recommend", **workload)  # type: ignore[arg-type]
    group.add_argument("--predict", help="the same from the spec table alone", **workload)  # type: ignore[arg-type]
    group.add_argument("--detect", action="store_true", help="the machine as it is found")
    group.add_argument("--doctor", action="store_true", help="what is wrong with this installation, and how to mend it")
    group.add_argument("--list", action="store_true", help="bundled workloads and GPUs of the spec table")
    group.add_argument("--evaluate", type=Path, metavar="FILE.csv", help="predict published runs, print the errors")
    group.add_argument("--claim", metavar="TEXT", help="is a published timing possible?")
    group.add_argument("--claim-file", type=Path, metavar="FILE.toml", help="the same for a claim in a file")
    group.add_argument("--cases", action="store_true", help="the published cases, answered")
    group.add_argument("--init", type=Path, metavar="FILE.toml", help="write a commented workload file to begin with")
    group.add_argument("--open", type=Path, metavar="FILE.json", help="print a saved advice")
    group.add_argument("--completion", choices=SHELLS, help="print what the shell completes after `advisor`")
    group.add_argument(
        "--prune-history", type=whole_number(MOST_DAYS_AGO), metavar="DAYS", help="delete older runs, after a yes"
    )


def _add_workload_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is trained")
    group.add_argument(
        "--batch",
        dest="batch_size",
        type=of_field(BatchSize),
        metavar="N",
        help="batch size a device; kept, not searched",
    )
    group.add_argument("--global-batch", type=samples_number, metavar="N", help="batch held over all devices")
    group.add_argument("--critical-batch", type=batch_range, metavar="N[-M]", help="where larger batches stop paying")
    group.add_argument(
        "--precision", type=precision_word, metavar="P", help=f"kept, not searched: {', '.join(PRECISIONS)}"
    )
    group.add_argument("--sequence-length", type=of_field(Size), metavar="N")
    group.add_argument("--optimizer", type=optimizer_word, choices=OPTIMIZERS)
    group.add_argument(
        "--trainable", type=choice_word, choices=get_args(Trainable), help="what is trained of the model"
    )
    group.add_argument("--lora-rank", type=of_field(LoraRank), metavar="N")
    group.add_argument(
        "--lora-targets", type=layer_names, metavar="attention|all_linear|NAME[,NAME]", help="layers with adapters"
    )
    group.add_argument(
        "--modules-to-save", type=module_names, metavar="NAME[,NAME]", help="trained whole beside adapters"
    )
    group.add_argument("--unpacked-bits", type=int, choices=(16, 32), help="of norms beside quantised weights (16)")
    group.add_argument("--adapter-bits", type=int, choices=(16, 32), help="of adapters beside 16-bit weights (32)")
    group.add_argument(
        "--quantization", type=choice_word, choices=get_args(Quantization), help="how frozen weights are stored"
    )
    group.add_argument(
        "--checkpointing",
        dest="activation_checkpointing",
        type=choice_word,
        choices=get_args(Checkpointing),
        help="what backward computes again",
    )
    group.add_argument("--fp8-recipe", choices=get_args(Fp8Recipe), help="how FP8 products are scaled")
    group.add_argument("--offload", type=choice_word, choices=get_args(Offload), help="what is kept in host memory")
    group.add_argument("--optimizer-in-backward", action="store_true", help="step each parameter as it is ready")
    group.add_argument("--chunked-loss", action="store_true", help="logits and cross-entropy in chunks")
    group.add_argument("--fused-layers", action="store_true", help="norms, rotary, gates and loss as Liger kernels")
    group.add_argument("--compile", action="store_true", help="torch.compile")
    group.add_argument("--epochs", type=number_of("--epochs"), metavar="N")
    group.add_argument("--samples", type=samples_number, metavar="N")
    group.add_argument(
        "--from-command", metavar="TEXT", help="with --init: fill in what `python train.py --bf16 ...` says"
    )
    group.add_argument("--allow-code", action="store_true", help="let a Python workload file run")
    group.add_argument("--allow-hub", action="store_true", help="let a hub id fetch its config.json")
    group.add_argument("--log", type=Path, metavar="FILE", help="a training log to explain")


def _add_device_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("on what")
    group.add_argument("--device", action="append", metavar="cpu|UUID|INDEX", help="measure only this one (repeatable)")
    group.add_argument(
        "--gpus",
        type=card_list,
        metavar="[Nx]CARD[,CARD]",
        help="candidates, as `4090` or `A100`; `2x 3090`: so many of it alone; `all` (five usual ones)",
    )
    group.add_argument("--gpu-file", type=Path, metavar="FILE.toml", help="a GPU that is not in the table")
    group.add_argument("--counts", type=count_list, metavar="1,2,4,8", help="how many GPUs to try (1,2,4,8)")
    group.add_argument("--interconnect", metavar="TEXT|GB/s", help="how the GPUs are linked")
    group.add_argument(
        "--host-memory",
        type=number_of("--host-memory"),
        metavar="GiB",
        help="of each machine with GPUs (this one's for itself)",
    )
    group.add_argument(
        "--nodes",
        type=whole_number(MOST_DEVICES),
        metavar="N",
        help="machines there are: the most GPUs fill them, fewer stand in as few as hold them (of 8 each)",
    )


def _add_goal_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what for")
    goals = ("time", "cost", "energy")
    group.add_argument("--goal", type=choice_word, choices=goals, default="time", help="what is made small (time)")
    group.add_argument("--prices", type=Path, metavar="FILE.toml", help="prices with currency and date")
    group.add_argument(
        "--max-cost", type=number_of("--max-cost"), metavar="X", help="of the job, in the price file's currency"
    )
    group.add_argument("--max-power", type=number_of("--max-power"), metavar="W", help="of all devices together")
    group.add_argument("--max-hours", type=number_of("--max-hours"), metavar="H", help="for the job")
    group.add_argument(
        "--budget", type=number_of("--budget"), metavar="SECONDS", default=MEASURING_S, help="for measuring (30)"
    )
    verify = {"type": number_of("--verify"), "nargs": "?", "const": VERIFYING_S, "metavar": "SECONDS"}
    group.add_argument("--verify", help="run the advised set-up for a minute, record the truth", **verify)  # type: ignore[arg-type]


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output (`-` is stdout, the summary then goes to stderr)")
    for name, what in (
        ("json", "the whole advice"),
        ("pdf", "the report"),
        ("csv", "all candidates, or the rows of --evaluate"),
        ("markdown", "the summary for issues and chats"),
        ("script", "the launch command and training script that follow the advice"),
    ):
        group.add_argument(f"--{name}", type=Path, metavar="FILE", help=what)
    group.add_argument(
        "--script-for",
        choices=FRAMEWORKS,
        help="--script as this framework's configuration; `--script trainer` alone prints it",
    )
    group.add_argument("--language", choices=("en", "zh"), default=None, help="of all sentences (the locale's)")
    group.add_argument("--switches", action="store_true", help="also trace what each switch would bring (slower)")
    group.add_argument("--details", action="store_true", help="every reason, caveat and row, not one screen of them")
    group.add_argument("--window", action="store_true", help="with --open: show it in the window")
    group.add_argument("--force", action="store_true", help="write over an output file that exists")
    group.add_argument("--no-history", action="store_true", help="keep nothing in the history of this machine")
    group.add_argument("--yes", action="store_true", help="with --prune-history: do not ask")
    group.add_argument("--quiet", action="store_true", help="no progress")
    group.add_argument("--verbose", action="store_true", help="the worker's log too")
