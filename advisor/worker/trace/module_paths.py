"""Which module's forward runs: the path that the recorder writes beside every operator."""

from __future__ import annotations

from typing import Any, Self

import torch

from advisor.worker.trace.ops.raw_op import size_bytes, tensors_in
from advisor.worker.trace.recorder import Recorder


class ModulePaths:
    """While active, the recorder's `path` is that of the innermost module whose forward runs."""

    def __init__(self, model: torch.nn.Module, recorder: Recorder) -> None:
        """`model` names the modules; modules from elsewhere keep their caller's path."""
        self._names = {id(module): name or "(model)" for name, module in model.named_modules()}
        self._recorder = recorder
        self._stack: list[str] = []
        self._handles: list[Any] = []

    def _enter(self, module: torch.nn.Module, inputs: object) -> None:
        recorder = self._recorder
        self._stack.append(recorder.path)
        if recorder.phase == "forward":
            recorder.path = self._names.get(id(module), recorder.path)
            floating = (tensor for tensor in tensors_in(inputs) if tensor.is_floating_point())
            recorder.input_bytes[recorder.path] = sum(size_bytes(tensor) for tensor in floating)

    def _leave(self, _module: torch.nn.Module, _inputs: object, _output: object) -> None:
        if self._stack:
            self._recorder.path = self._stack.pop()

    def __enter__(self) -> Self:
        """Hook every module's forward."""
        hooks = torch.nn.modules.module
        self._handles = [
            hooks.register_module_forward_pre_hook(self._enter),
            hooks.register_module_forward_hook(self._leave, always_call=True),
        ]
        return self

    def __exit__(self, *_: object) -> None:
        """Take the hooks away."""
        for handle in self._handles:
            handle.remove()
