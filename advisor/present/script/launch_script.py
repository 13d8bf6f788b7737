"""The launch command and a runnable training script that follow the advice."""

from __future__ import annotations

import math
import os
import re
import shlex
from string import Template
from typing import Literal

from advisor.catalogue.loading import STAND_IN_SAMPLES
from advisor.catalogue.precisions import PRECISION_FACTS
from advisor.catalogue.strategies import STRATEGY_FACTS, STRATEGY_LABELS
from advisor.core.bundled import resource
from advisor.core.sentences import Reason, SaidOutputError, visible
from advisor.present.script.method_lines import (
    copies_weights,
    master_lines,
    method_lines,
    packing_lines,
    placed_line,
    save_lines,
    update_lines,
)
from advisor.present.script.model_code import model_code
from advisor.present.script.strategy_lines import group_line, half_type, has_script, in_ranks, splits, wrapping
from advisor.present.summary import expected_line
from advisor.recommend.reasons.launching import script_gap
from advisor.recommend.recommendation import Recommendation
from advisor.store.advice_record import AdviceRecord
from advisor.workload.tasks import TARGETS
from advisor.workload.workload import HuggingFaceModel, PythonModel, Training, Workload

_OWN_SAMPLES = "DistributedSampler(data) if world > 1 else None"
SCRIPT_NAME = "train.py"
INFERENCE_SCRIPT_NAME = "infer.py"
WARM_UP_STEPS = 3
"""Steps of a script that it does not time."""


def script_name(advice: AdviceRecord) -> str:
    """What the script of an advice is called: it trains, or it only infers."""
    return INFERENCE_SCRIPT_NAME if advice.workload.training.mode == "inference" else SCRIPT_NAME


def shell_word(text: str) -> str:
    """A path or name as a shell of this system takes it as one word."""
    if os.name == "nt":
        return text if re.fullmatch(r"[\w.:\\/-]+", text) else f'"{text}"'
    return shlex.quote(text)


def launch_command(
    chosen: Recommendation, script: str = SCRIPT_NAME, *, launcher: Literal["own", "torchrun"] = "own"
) -> str:
    """The shell command that starts the script on the advised devices: on each machine where they are several.

    On one machine the script starts its own ranks, which nobody else can reach. `HOST` stands for the name or address
    of the first machine and `N` for the machine's number from 0, which only their user knows. The rendezvous of several
    machines is torchrun's static one, which unpickles nothing; its port is open to the network all the same.
    `launcher`: torchrun starts the ranks of a script that does not start its own.
    """
    if launcher == "torchrun" and chosen.node_count == 1:
        address = "--master-addr 127.0.0.1 --master-port 29500"
        return f"torchrun --nproc-per-node {chosen.count} {address} {script}"
    if chosen.count == 1 or STRATEGY_FACTS[chosen.strategy].one_process:
        return f"python {script}"
    if chosen.node_count > 1:
        ranks = f"--nnodes {chosen.node_count} --nproc-per-node {chosen.count // chosen.node_count}"
        return f"torchrun {ranks} --node-rank N --master-addr HOST --master-port 29500 {script}"
    return f"python {script} --ranks {chosen.count}"


_DATA_NOTES = {
    "nothing": """\
# The data below are random and of the right shapes, so that this runs as it stands and its speed can be checked;
# put your own data set where it says YOUR DATA.""",
    "data": """\
# What such a model is trained on is not known here: this runs once make_sample returns one sample of yours, where
# it says YOUR DATA.""",
    "model and data": """\
# Of the model nothing but numbers is known here: this runs once build_model and make_sample are yours, where it says
# YOUR MODEL and YOUR DATA.""",
}
"""What the head says of the data, by what is left to the script's user."""


def render(advice: AdviceRecord, chosen: Recommendation | None = None, *, name: str | None = None) -> str:
    """A commented script for `chosen` (default: the recommendation) that trains the advice's workload, or infers.

    It runs as it stands on random data of the right shapes, or says that samples are the user's to give where no task
    tells them, on GPUs with NCCL or CPUs with gloo, and prints the median time of its steps as one JSON line. `name`:
    of the file that it is saved as. Raises OutputError where there is nothing to advise.
    """
    chosen = chosen or advice.main
    if chosen is None:
        raise SaidOutputError.of("script-no-advice")
    if not has_script(advice.workload, chosen):
        raise _no_script(advice.workload, chosen)
    training = advice.workload.training
    infers = training.mode == "inference"
    template = Template(
        resource("launch/infer.py.txt" if infers else "launch/train.py.txt").read_text(encoding="utf-8")
    )
    command = _comment(launch_command(chosen, shell_word(name or script_name(advice))))
    # DataParallel deals one process's batch out to its copies of the model.
    copies = chosen.count if STRATEGY_FACTS[chosen.strategy].one_process else 1
    ranked = in_ranks(advice.workload, chosen)
    model = model_code(advice.workload, advice.own_sides)
    text = template.substitute(
        data_note=_DATA_NOTES[model.left_to_user],
        title=_comment(
            f"{'Runs' if infers else 'Trains'} {advice.workload.name}, written by advisor {advice.advisor_version}."
        ),
        advised=_comment(expected_line(chosen, training.mode)),
        command=command,
        warm_up=WARM_UP_STEPS,
        network=_network(chosen),
        own_script=_own_script(chosen, command),
        mixed_precision={"fp16_amp": "fp16", "bf16_amp": "bf16"}.get(chosen.precision, "no"),
        batch_size=chosen.batch_size_per_device * copies,
        batch_of="all devices together" if splits(chosen) or copies > 1 else "per device",
        sampler="None  # all devices take the same samples" if splits(chosen) else _OWN_SAMPLES,
        sampler_import="" if splits(chosen) or not ranked else ", DistributedSampler",
        seeded="    torch.manual_seed(0)  # all devices draw the same weights and batches\n" * splits(chosen),
        accumulation=chosen.gradient_accumulation_steps * (chosen.count if splits(chosen) else 1),
        loader_workers=advice.workload.data.loader_workers,
        threads=_threads(chosen.thread_count),
        infer_threads=""
        if chosen.thread_count is None
        else f"    if not on_gpu:\n        torch.set_num_threads({chosen.thread_count})\n",
        read_loss_every=training.read_loss_every,
        model_code=model.text,
        kept=STAND_IN_SAMPLES,
        data=_data(advice.workload),
        collate="collated" if isinstance(advice.workload.model, PythonModel) else "torch.utils.data.default_collate",
        samples=advice.workload.data.samples,
        epochs=math.ceil(training.epochs),
        part_epochs=_part_epochs(training.epochs),
        math_import="import math\n" * bool(_part_epochs(training.epochs)),
        targets=repr(TARGETS if isinstance(advice.workload.model, HuggingFaceModel) else ()),
        matmul_precision="highest" if PRECISION_FACTS[chosen.precision].products == "fp32" else "high",
        allow_tf32=chosen.precision != "fp32",
        channels_last="    model = model.to(memory_format=torch.channels_last)\n" if training.channels_last else "",
        **_compile(advice.workload),
        **_single_left(advice, copies, ranked=ranked),
        rank_argument=", rank" * ranked,
        rank_first="rank, " * ranked,
        **(_inference_lines(training, chosen) if infers else _training_lines(advice.workload, chosen)),
    )
    return _of_ranks(text, ranked=ranked)


def _of_ranks(text: str, *, ranked: bool) -> str:
    """The text with what only ranks need, or only a process alone: between `##if ranks`, `##else` and `##end`."""
    kept, taken = [], True
    for line in text.splitlines(keepends=True):
        if line.startswith("##"):
            taken = {"##if ranks": ranked, "##else": not ranked}.get(line.strip(), True)
        elif taken:
            kept.append(line)
    return "".join(kept)


def _no_script(workload: Workload, chosen: Recommendation) -> SaidOutputError:
    """Says of which strategy no script is written; where it is not the model's fault, why, and what trains so."""
    labels = {"strategy": STRATEGY_LABELS.get(chosen.strategy, chosen.strategy)}
    if workload.training.mode == "inference":
        return SaidOutputError.of("script-no-sharded-inference", **labels)
    gap = script_gap(workload.training, chosen)
    if gap is None:
        return SaidOutputError.of("script-no-strategy", **labels)
    return SaidOutputError((Reason.of("script-no-strategy", **labels), gap))


def _part_epochs(epochs: float) -> str:
    """Where the last epoch is a part of one: the step at which it ends, as it was predicted."""
    if epochs == math.floor(epochs):
        return ""
    steps = f"max(1, math.ceil({epochs!r} * math.ceil(len(loader) / ACCUMULATION)))"
    return f"    options.steps = options.steps or {steps}\n"


def _single_left(advice: AdviceRecord, copies: int, *, ranked: bool) -> dict[str, str]:
    """The lines that leave out a last batch of one sample where the model's batch norm cannot train on it.

    They ask the data, which may be the user's. `copies`: of the model in one process, which each get a chunk.
    """
    if not advice.model.norms_single_values:
        return {"single_left": "", "drop_last": ""}
    whole = "len(data) if sampler is None else len(sampler)" if ranked else "len(data)"
    last = f"samples % BATCH_SIZE and (samples % BATCH_SIZE - 1) % -(-(samples % BATCH_SIZE) // {copies}) == 0"
    single = "samples % BATCH_SIZE == 1" if copies == 1 else last
    lines = (
        "    # Batch norm cannot train on one value a channel: a last batch of one sample on a device is left out.\n"
        f"    samples = {whole}\n"
        f"    single_left = bool(samples > BATCH_SIZE and {single})\n"
    )
    return {"single_left": lines, "drop_last": "        drop_last=single_left,\n"}


def _compile(workload: Workload) -> dict[str, str]:
    """The lines that compile the model, before and after it is wrapped.

    Two shapes where data are left over: the second would make one graph of both, a slower one, by itself. Of a model
    that is one of torch's own modules (a Sequential) `compile()` finds no frame to compile (pytorch issue 150915): its
    forward is compiled instead, inside what wraps it.
    """
    if not workload.training.compile:
        return {"compile_forward": "", "compile": ""}
    fixed = "" if workload.training.mode == "inference" else "dynamic=False"
    remark = (
        "    # One graph for whole batches and one for a smaller last one; yours are of many lengths: leave it out.\n"
        * bool(fixed)
    )
    whole = f"{remark}    model.compile({fixed})\n"
    if isinstance(workload.model, HuggingFaceModel):
        return {"compile_forward": "", "compile": whole}
    forward = (
        '    if type(model).__module__.startswith("torch."):  # compile() passes over torch\'s own frames\n'
        f"        model.forward = torch.compile(model.forward{', ' * bool(fixed)}{fixed})\n"
    )
    return {"compile_forward": forward, "compile": whole}


def _training_lines(workload: Workload, chosen: Recommendation) -> dict[str, str]:
    copied = copies_weights(workload, chosen)
    return {
        "group": group_line(workload, chosen),
        "placed": placed_line(workload, chosen),
        "masters": master_lines(workload, chosen),
        "save": save_lines(workload, chosen),
        **update_lines(workload, chosen, copied=copied),
        **method_lines(workload, chosen, "masters" if copied else "trained"),
        **wrapping(workload, chosen),
    }


def _inference_lines(training: Training, chosen: Recommendation) -> dict[str, str]:
    facts = PRECISION_FACTS[chosen.precision]
    half = half_type(chosen.precision)
    return {
        "input_dtype": half if facts.half_weights else "None",
        "weights_dtype": f", {half}" * facts.half_weights,
        "autocast": f"torch.autocast(device.type, {half})" if facts.autocast else "contextlib.nullcontext()",
        "contextlib_import": "" if facts.autocast else "import contextlib\n",
        **packing_lines(training),
    }


def _data(workload: Workload) -> str:
    """The expression for the data set: that of the user's file where it has one."""
    if isinstance(workload.model, PythonModel):
        own = "called(SOURCE.make_dataset, LENGTH)"
        return f'{own} if hasattr(SOURCE, "make_dataset") else RandomData()'
    return "RandomData()"


def _comment(text: str) -> str:
    """Foreign text for a comment: one line, no control characters that could end it."""
    return visible(text)


def _network(chosen: Recommendation) -> str:
    if chosen.node_count == 1 or STRATEGY_FACTS[chosen.strategy].one_process:
        return ""
    return "# The machines trust whoever reaches port 29500: on a trusted network only. N: 0 on HOST, then 1, 2, …\n"


def _own_script(chosen: Recommendation, command: str) -> str:
    if chosen.count == 1 or STRATEGY_FACTS[chosen.strategy].one_process:
        return ""
    return f"# A script of yours that uses Accelerate, on the same ranks: {command} --run YOUR_SCRIPT.py\n"


def _threads(count: int | None) -> str:
    if count is not None:
        return f"    else:\n        torch.set_num_threads({count})\n"
    return "    elif world > 1:\n        torch.set_num_threads(max(1, (os.cpu_count() or 1) // world))\n"
