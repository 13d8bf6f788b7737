"""What the launch script says of the strategy: its process group, its wrapping, and what a micro-batch runs in."""

from __future__ import annotations

from advisor.catalogue.precisions import PRECISION_FACTS, Precision
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.predict.prediction import SetUp
from advisor.present.script.model_code import task_of
from advisor.present.script.parts import part
from advisor.recommend.reasons.launching import script_gap
from advisor.recommend.recommendation import Recommendation
from advisor.workload.workload import HuggingFaceModel, Workload

TYPES = {"fp16": "torch.float16", "bf16": "torch.bfloat16"}


def has_script(workload: Workload, chosen: SetUp) -> bool:
    """Whether a script can be written: a model is split over cards by the plan that transformers has of it.

    Inference is scripted on one device: whoever serves a model over several has a server for it.
    """
    if workload.training.mode == "inference" and STRATEGY_FACTS[chosen.strategy].shards:
        return False
    if STRATEGY_FACTS[chosen.strategy].has_script:
        return True
    splitting = chosen.strategy == "tp" and script_gap(workload.training, chosen) is None
    return splitting and task_of(workload) is not None


def splits(chosen: Recommendation) -> bool:
    """Whether every layer is split over the cards, which then all take the same samples."""
    return chosen.strategy == "tp" and chosen.count > 1


def offloads(workload: Workload, chosen: Recommendation) -> bool:
    """Whether weights, gradients and states rest in the host's memory, by strategy or by method."""
    by_method = workload.training.offload == "parameters" and chosen.strategy != "dp"
    return STRATEGY_FACTS[chosen.strategy].offloads or by_method


def shards(workload: Workload, chosen: Recommendation) -> bool:
    """Whether torch's sharding holds the weights: of several cards' model, or of what rests in the host's memory."""
    facts = STRATEGY_FACTS[chosen.strategy]
    return offloads(workload, chosen) or (facts.shards and facts.has_script and chosen.count > 1)


def in_ranks(workload: Workload, chosen: Recommendation) -> bool:
    """Whether the script runs once a device, as ranks of a group; what is sharded is so on one device too."""
    several = chosen.count > 1 and not STRATEGY_FACTS[chosen.strategy].one_process
    return several or shards(workload, chosen)


def casts_shards(workload: Workload, chosen: Recommendation) -> bool:
    """Whether sharding keeps FP32 weights and gathers them in half: then neither autocast nor FP32 copies are needed.

    Where most weights are frozen in half there is no FP32 weight to keep.
    """
    facts = PRECISION_FACTS[chosen.precision]
    return shards(workload, chosen) and (
        facts.autocast or (facts.master_copies and workload.training.trainable == "all")
    )


def half_type(precision: Precision) -> str:
    """The 16-bit type of a precision as an expression; autocast on a processor has BF16 alone."""
    facts = PRECISION_FACTS[precision]
    if facts.half_format is None:
        return "torch.float32"
    dtype = TYPES[facts.half_format]
    return dtype if facts.half_format == "bf16" or facts.half_weights else f"{dtype} if on_gpu else torch.bfloat16"


def group_line(workload: Workload, chosen: Recommendation) -> str:
    """How the ranks meet; off-loaded shards are reduced on the processor too, and one device is a group of its own."""
    on_host = offloads(workload, chosen)
    backend = f'"{"cpu:gloo,cuda:nccl" if on_host else "nccl"}" if on_gpu else "gloo"'
    joined = (
        f"    if world > 1:\n        backend = {backend}\n"
        "        dist.init_process_group(backend, init_method=options.rendezvous, rank=rank, world_size=world)\n"
    )
    if not on_host:
        return joined
    return (
        f"{joined}    elif not options.run:  # shards rest in the host's memory with one device too\n"
        f"        backend = {backend}\n"
        "        dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)\n"
    )


def wrapping(workload: Workload, chosen: Recommendation) -> dict[str, str]:
    """The slots of the import and of the line that wraps the model."""
    if shards(workload, chosen):
        return {"wrapper_import": "", "wrap": _sharded(workload, chosen)}
    if splits(chosen):
        adapts = workload.training.trainable == "lora"
        return {
            "wrapper_import": "from torch.distributed.tensor import DTensor\n",
            "wrap": part("tensor_parallel", adapters=part("split_adapters") if adapts else ""),
        }
    if chosen.count == 1:
        return {"wrapper_import": "", "wrap": ""}
    if STRATEGY_FACTS[chosen.strategy].one_process:
        return {
            "wrapper_import": "from torch.nn.parallel import DataParallel\n",
            "wrap": f"    if on_gpu:\n        model = DataParallel(model, device_ids=list(range({chosen.count})))\n",
        }
    wrap = (
        "    if world > 1:\n        # Gradients as views of the buckets save one copy of them.\n"
        "        model = DistributedDataParallel(\n"
        "            model, device_ids=[device.index] if on_gpu else None, gradient_as_bucket_view=True\n        )\n"
    )
    return {"wrapper_import": "from torch.nn.parallel import DistributedDataParallel\n", "wrap": wrap}


def _sharded(workload: Workload, chosen: Recommendation) -> str:
    on_host, casts = offloads(workload, chosen), casts_shards(workload, chosen)
    remark = {
        "ddp": "Weights, gradients and states rest in the host's memory, whole for each device.",
        "single": "Weights, gradients and states rest in the host's memory.",
        "zero2": "Whole weights stay from forward to backward: gradients and states are sharded.",
        "fsdp": "Weights, gradients and states are sharded; a layer is gathered while it runs.",
        "fsdp_offload": "Weights, gradients and states are sharded and rest in the host's memory.",
    }[chosen.strategy]
    # Inside a model of transformers the loss is computed in FP32 already: its logits are not copied once more.
    outside = "" if isinstance(workload.model, HuggingFaceModel) else ", output_dtype=torch.float32"
    return part(
        "shard",
        remark=remark,
        shape='(world, 1), mesh_dim_names=("replicate", "shard")' if chosen.strategy == "ddp" else "(world,)",
        reshard=chosen.strategy != "zero2",
        policies=', "offload_policy": fsdp.CPUOffloadPolicy(pin_memory=on_gpu)' if on_host else "",
        cast=part("cast_shards", half=half_type(chosen.precision), outside=outside) if casts else "",
    )


def micro_batch(workload: Workload, chosen: Recommendation, input_dtype: str, backward: str) -> dict[str, str]:
    """The lines of one micro-batch: loss and backward in the contexts that they need, and what those import."""
    casts = PRECISION_FACTS[chosen.precision].autocast and not casts_shards(workload, chosen)
    contexts = ["autocast"] * casts
    contexts += ["torch.autograd.graph.save_on_cpu(pin_memory=on_gpu)"] * (workload.training.offload == "activations")
    half = "" if input_dtype == "None" else f", {input_dtype}"
    loss = f"loss = compute_loss(model, move(batch, device{half})) / micro_batches\n"
    lines = f"with {', '.join(contexts)}:\n    {loss}{backward}\n" if contexts else f"{loss}{backward}\n"
    several = chosen.count > 1 and not shards(workload, chosen)
    quiet = chosen.strategy == "ddp" and several and chosen.gradient_accumulation_steps > 1
    if quiet:
        within = "".join(f"    {line}\n" for line in lines.splitlines())
        lines = (
            "# Gradients are synchronised only with the last micro-batch: that is what no_sync saves.\n"
            f"quiet = model.no_sync() if world > 1 and not last else contextlib.nullcontext()\nwith quiet:\n{within}"
        )
    return {
        "micro_batch": "".join(f"            {line}\n" for line in lines.splitlines()),
        "contextlib_import": "import contextlib\n" * quiet,
        "autocast": f"    autocast = torch.autocast(device.type, {half_type(chosen.precision)})\n" * casts,
    }
