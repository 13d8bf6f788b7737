"""Which class each operator of torch belongs to: data only."""

from __future__ import annotations

from advisor.optable.op_table import OpKind

ELEMENTWISE: OpKind = "elementwise"

VIEWS = frozenset(
    [
        "view",
        "_unsafe_view",
        "t",
        "transpose",
        "transpose_",
        "permute",
        "expand",
        "slice",
        "select",
        "unsqueeze",
        "unsqueeze_",
        "squeeze",
        "squeeze_",
        "detach",
        "detach_",
        "alias",
        "split",
        "split_with_sizes",
        "unbind",
        "as_strided",
        "as_strided_",
        "reshape",
        "_reshape_alias",
        "diagonal",
        "unfold",
        "chunk",
        "lift_fresh",
        "lift",
        "narrow",
        "device",
        "is_pinned",
        "empty",
        "empty_like",
        "new_empty",
        "empty_strided",
        "new_empty_strided",
        "sym_size",
        "sym_stride",
        "sym_numel",
        "sym_storage_offset",
        "_local_scalar_dense",
        "view_as_real",
        "view_as_complex",
        "set_",
        "item",
        "resize_",
        "is_contiguous",
        "stride",
        "size",
        "numel",
        "movedim",
        "swapaxes",
        "real",
        "imag",
        "_conj",
        "expand_as",
        "view_as",
        "is_same_size",
    ]
)
"""Operators that launch no kernel."""

SYNCHRONISING = frozenset(
    [
        "_local_scalar_dense",
        "item",
        "nonzero",
        "masked_select",
        "is_nonzero",
        "equal",
        "unique",
        "_unique2",
        "unique_consecutive",
        "unique_dim",
        "repeat_interleave",
    ]
)
"""Operators at which the host waits for the device."""

HIDDEN_FROM_HOST = frozenset(["detach", "device", "is_same_size", "sym_size", "sym_stride", "sym_numel"])
"""Calls that exist only because fake tensors see them; a real step does not issue them."""

_CLASSES: dict[OpKind, str] = {
    "norm": "native_layer_norm native_layer_norm_backward native_batch_norm native_batch_norm_backward "
    "native_group_norm native_group_norm_backward _native_batch_norm_legit _fused_rms_norm _fused_rms_norm_backward",
    "softmax": "_softmax _softmax_backward_data _log_softmax _log_softmax_backward_data nll_loss_forward "
    "nll_loss_backward nll_loss2d_forward nll_loss2d_backward _safe_softmax mse_loss",
    "embedding": "embedding embedding_dense_backward index index_put index_select gather scatter scatter_add "
    "index_add _unsafe_index_put",
    "reduction": "sum mean max amax amin min argmax argmin any all cumsum cumprod var std var_mean std_mean "
    "linalg_vector_norm prod logsumexp norm fp8_amax",
    "pool": "max_pool2d_with_indices max_pool2d_with_indices_backward max_pool3d_with_indices "
    "max_pool3d_with_indices_backward _adaptive_avg_pool2d _adaptive_avg_pool2d_backward avg_pool2d "
    "avg_pool2d_backward adaptive_max_pool2d adaptive_max_pool2d_backward avg_pool3d avg_pool3d_backward "
    "_adaptive_avg_pool3d _adaptive_avg_pool3d_backward",
    "copy": "copy_ clone cat stack contiguous pad constant_pad_nd repeat slice_backward select_backward roll flip "
    "tril triu reflection_pad2d reflection_pad1d replication_pad2d replication_pad1d unfold_backward im2col col2im "
    "pixel_shuffle pixel_unshuffle diagonal_backward as_strided_scatter slice_scatter select_scatter",
    "sort": "sort argsort topk msort kthvalue",
    "attention": "_scaled_dot_product_flash_attention _scaled_dot_product_flash_attention_backward "
    "_scaled_dot_product_efficient_attention _scaled_dot_product_efficient_attention_backward",
    "rnn": "_cudnn_rnn _cudnn_rnn_backward",
}

KIND_OF: dict[str, OpKind] = {name: kind for kind, names in _CLASSES.items() for name in names.split()}
