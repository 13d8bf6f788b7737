"""Operators of a trace whose work nobody here can tell: counted as moving their tensors, perhaps far too little."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import torch

from advisor.core.sentences import Names, Reason
from advisor.optable.op_table import Op
from advisor.worker.trace.ops.op_names import KIND_OF

_MOST_NAMES = 6
_LIGHT_NAMES = """
    convolution_bias dropout _to_copy floor_divide histc bincount native_dropout native_dropout_backward
    gelu_backward silu_backward hardswish hardswish_
    threshold_backward sigmoid_backward tanh_backward hardtanh_backward hardswish_backward elu_backward
    leaky_relu_backward softplus_backward log_sigmoid_backward log_sigmoid_forward mish_backward hardsigmoid_backward
    logit_backward glu glu_backward prelu _prelu_kernel _prelu_kernel_backward mse_loss_backward smooth_l1_loss
    smooth_l1_loss_backward huber_loss huber_loss_backward binary_cross_entropy binary_cross_entropy_backward
    binary_cross_entropy_with_logits l1_loss soft_margin_loss soft_margin_loss_backward masked_fill masked_fill_
    masked_scatter where clamp nan_to_num nan_to_num_ nonzero masked_select repeat_interleave unique _unique2
    unique_consecutive one_hot upsample_nearest1d upsample_nearest1d_backward upsample_nearest2d
    upsample_nearest2d_backward upsample_nearest3d upsample_nearest3d_backward upsample_bilinear2d
    upsample_bilinear2d_backward upsample_bicubic2d upsample_bicubic2d_backward upsample_linear1d
    upsample_linear1d_backward _upsample_bilinear2d_aa _upsample_bilinear2d_aa_backward _upsample_bicubic2d_aa
    _upsample_bicubic2d_aa_backward grid_sampler_2d grid_sampler_2d_backward grid_sampler_3d grid_sampler_3d_backward
    count_nonzero cummax cummin logcumsumexp median nanmedian mode aminmax searchsorted bucketize var_mean
    std_mean exponential_ normal_ uniform_ random_ multinomial randperm polar complex channel_shuffle unfold_copy
    index_fill index_fill_ index_copy put_ take scatter_reduce segment_reduce renorm rms_norm layer_norm group_norm
    _weight_norm_interface _weight_norm_interface_backward cudnn_batch_norm cudnn_batch_norm_backward
    _softmax_forward multi_margin_loss multilabel_margin_loss_forward embedding_renorm_ equal allclose
    _assert_async _efficientzerotensor view_as_complex_copy as_strided_copy fractional_max_pool2d
    reflection_pad2d_backward reflection_pad1d_backward replication_pad2d_backward replication_pad1d_backward
    reflection_pad3d replication_pad3d col2im_backward bernoulli isin lerp_ addcmul_ addcdiv_ _pdist_forward
    _cdist_forward _cdist_backward trace diag_embed diag block_diag
    dequantise_scales dequantise_blocks dequantise_groups int8_rows fp8_cast fp8_cast_transpose"""
"""Operators of torch that move tensors and compute a few operations an element, though torch doesn't mark them so."""
_LIGHT = frozenset(_LIGHT_NAMES.split())


def unknown_operators(ops: Iterable[Op]) -> Reason | None:
    """The caveat that names operators of unknown work with their share of all calls; None where there are none.

    Known are the classes of `trace_op_names`, what has its flop counted, and torch's own operators that it marks as
    element by element; all else (a custom operator, a fused one of another library) might compute anything.
    """
    all_count, unknown_count, names = 0, 0, dict[str, int]()
    for op in ops:
        all_count += op.count
        if any(op.flop) or op.kind != "elementwise" or _is_light(op.name):
            continue
        unknown_count += op.count
        names[op.name] = names.get(op.name, 0) + op.count
    if not names:
        return None
    ordered = sorted(names, key=lambda name: (-names[name], name))
    operators = Names(names=tuple(ordered[:_MOST_NAMES]), more=len(ordered) > _MOST_NAMES)
    return Reason.of("trace-unknown-operators", operators=operators, share_fraction=unknown_count / all_count)


@cache
def _is_light(name: str) -> bool:
    """Whether an operator is torch's own and works element by element (or only moves data)."""
    base = name.rstrip("_")
    if name in KIND_OF or base in KIND_OF or name in _LIGHT or base in _LIGHT or name.startswith("_foreach"):
        return True
    for namespace in (torch.ops.aten, torch.ops.prims):
        packet = getattr(namespace, name, None)
        if packet is not None and any(
            torch.Tag.pointwise in getattr(packet, overload).tags for overload in packet.overloads()
        ):
            return True
    # An in-place operator bears no tag of its own; a gradient is of its operator's kind.
    for ending in ("_", "_backward", "_backward_data"):
        if name.endswith(ending) and name != ending and _is_light(name.removesuffix(ending)):
            return True
    return False
