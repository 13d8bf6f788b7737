"""Lines of the launch script that one method needs: adapters, packed weights, checkpointing, optimizers, sharding."""

from __future__ import annotations

LAYERS = '''
def repeated_layers(model):
    """The layers of a model's lists that are in no other list."""
    lists = [part for part in model.modules() if isinstance(part, nn.ModuleList) and len(part) > 1]
    every = [layer for known in lists for layer in known]
    inner = {id(part) for layer in every for part in layer.modules() if isinstance(part, nn.ModuleList)}
    every = [layer for known in lists if id(known) not in inner for layer in known]
    return [layer for layer in every if any(True for _ in layer.parameters())]

'''
CHECKPOINT = '''
def checkpoint_layers(model, kept=()):
    """Let backward compute each layer again, but for the results of the operators in `kept`."""
    from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

    options = {"use_reentrant": False}
    if kept:
        options["context_fn"] = functools.partial(create_selective_checkpoint_contexts, list(kept))
    for layer in repeated_layers(model):
        layer.forward = functools.partial(checkpoint, layer.forward, **options)

'''
ADAPTERS = '''
class Adapted(nn.Module):
    """A frozen projection and two trained matrices of low rank beside it (LoRA)."""

    def __init__(self, base, rank, dtype):
        super().__init__()
        shape = base.weight.shape if isinstance(base, nn.Linear) else base.weight.shape[::-1]
        if hasattr(base, "in_features"):  # quantised weights are packed: their shape says nothing
            shape = (base.out_features, base.in_features)
        self.base = base
        self.dropout = nn.Dropout(0.05)
        self.down = nn.Linear(shape[1], rank, bias=False, device=base.weight.device, dtype=dtype)
        self.up = nn.Linear(rank, shape[0], bias=False, device=base.weight.device, dtype=dtype)
        nn.init.zeros_(self.up.weight)
        self.scale = 16 / rank

    def forward(self, inputs):
        result = self.base(inputs)
        lowered = self.down(self.dropout(inputs).to(self.down.weight.dtype))
        return result + (self.up(lowered) * self.scale).to(result.dtype)


def add_adapters(model, rank, targets, dtype):
    """Freeze the model and put adapters beside its projections, but for the head."""
    model.requires_grad_(False)
    head = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None
    linear = {
        name: part
        for name, part in model.named_modules()
        if (isinstance(part, nn.Linear) or type(part).__name__ == "Conv1D") and part is not head
    }
    if targets == "all_linear":
        chosen = linear
    else:
        chosen = {name: part for name, part in linear.items() if name.split(".")[-1] in targets}
    owners = dict(model.named_modules())
    for name, part in (chosen or linear).items():
        owner, _, attribute = name.rpartition(".")
        setattr(owners[owner], attribute, Adapted(part, rank, dtype))

'''
QUANTISE = {
    "nf4": '''
def quantise(model):
    """Linear layers but the head in NF4; needs bitsandbytes and a GPU."""
    import bitsandbytes

    head = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None
    for owner in list(model.modules()):
        for name, part in owner.named_children():
            if isinstance(part, nn.Linear) and part is not head:
                packed = bitsandbytes.nn.Linear4bit(
                    part.in_features,
                    part.out_features,
                    bias=part.bias is not None,
                    compute_dtype=torch.bfloat16,
                    quant_type="nf4",
                )
                packed.load_state_dict(part.state_dict())
                setattr(owner, name, packed)

''',
    "int8": '''
def quantise(model):
    """Linear layers but the head in 8 bits; needs bitsandbytes and a GPU."""
    import bitsandbytes

    head = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None
    for owner in list(model.modules()):
        for name, part in owner.named_children():
            if isinstance(part, nn.Linear) and part is not head:
                packed = bitsandbytes.nn.Linear8bitLt(
                    part.in_features, part.out_features, bias=part.bias is not None, has_fp16_weights=False
                )
                packed.load_state_dict(part.state_dict())
                setattr(owner, name, packed)

''',
}
STEP_IN_BACKWARD = '''
def step_in_backward(parameters, make_optimizer):
    """Step each parameter as its gradient is ready, and drop the gradient."""
    for parameter in parameters:
        own = make_optimizer([parameter])

        def step(ready, own=own):
            own.step()
            ready.grad = None

        parameter.register_post_accumulate_grad_hook(step)

'''
SHARD = """    if world > 1:
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import {imported}

        # {remark}
        sharding = {{"mesh": init_device_mesh(device.type, (world,)), "reshard_after_forward": {reshard}{policies}}}
        for layer in repeated_layers(model):
            fully_shard(layer, **sharding)
        fully_shard(model, **sharding)
"""
KEPT = (
    "(torch.ops.aten.mm.default, torch.ops.aten.addmm.default, torch.ops.aten.bmm.default,\n"
    "         torch.ops.aten._scaled_dot_product_flash_attention.default,\n"
    "         torch.ops.aten._scaled_dot_product_efficient_attention.default)"
)
LEARNING_RATES = {
    "adamw": ("1e-3", "as in torch; yours: with a larger global batch raise it by the root"),
    "adam": ("1e-3", "as in torch; yours: with a larger global batch raise it by the root"),
    "sgd": ("0.1 * BATCH_SIZE * ACCUMULATION / 256", "Goyal et al. 2017; times the number of devices"),
    "sgd_momentum": ("0.1 * BATCH_SIZE * ACCUMULATION / 256", "Goyal et al. 2017; times the number of devices"),
    "adafactor": ("1e-3", "as for fine-tuning T5; yours"),
}
FINE_TUNING_RATE = ("5e-5", "usual for fine-tuning all weights; yours")
ADAPTER_RATE = ("2e-4", "usual for adapters (Dettmers et al. 2023); yours")
