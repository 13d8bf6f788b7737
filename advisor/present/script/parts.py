"""Lines of the launch script that only some workloads need: frozen bodies, master copies, the update itself."""

from __future__ import annotations

SCALED_UPDATE = """            scaler.step(optimizer)
            scaler.update()
"""
UPDATE = """            optimizer.step()
"""
NO_UPDATE = """            # No update: the workload is forward and backward alone.
"""
MASTERS = """    # Weights and gradients are in half; the optimizer steps FP32 copies, which are copied back.
    # They are made after the wrapping: sharding leaves each rank a part of every weight.
    masters = [parameter.detach().float().requires_grad_() for parameter in trained]
"""
MASTER_UPDATE = """            for master, half in zip(masters, trained, strict=True):
                master.grad = None if half.grad is None else half.grad.float()
                half.grad = None
            optimizer.step()
            with torch.no_grad():
                for master, half in zip(masters, trained, strict=True):
                    half.copy_(master)
"""
HEAD_ONLY = """    # Only the head is trained; a weight that it shares with the body stays trained.
    body = getattr(model, "base_model_prefix", "")
    heads = [name for name, part in model.named_children() if name != body and any(True for _ in part.parameters())]
    if not body:
        heads = [name for name, part in model.named_modules() if any(True for _ in part.parameters(recurse=False))][-1:]
    names = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        names.setdefault(parameter, []).append(name)
    for parameter, known in names.items():
        parameter.requires_grad_(any(name.startswith(f"{head}.") for name in known for head in heads))
"""
