"""The fitted figures of the step-time model, read from `resources/efficiencies.toml`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from advisor.catalogue.precisions import TracePrecision
from advisor.core.bundled import read_figures, resource
from advisor.core.records import Record
from advisor.core.units import NonNegative, Positive


class Fitted(Record, frozen=True, kw_only=True):
    """What `tools/fit_efficiencies.py` fits on published runs; shares of a rate unless the name says otherwise."""

    fp32_matmul: Positive
    tf32_matmul: Positive
    fp16_matmul: Positive
    power_limit: Positive
    """Share of the flop per joule of the architecture table that a step sustains."""
    tile_start_clocks: Positive
    """Clocks that a GEMM tile needs before and after its main loop."""
    tensor_width_exponent: Positive
    """How much harder bigger tensor cores are to feed."""
    wave_quantisation: Positive
    """0: waves of tiles overlap perfectly; 1: a part-filled wave costs a whole one."""
    split_k_fill: Positive
    """Share of the SMs from which one wave of tiles runs at full rate, K being split."""
    most_k_parts: Positive
    """Parts into which a library splits K at most; weight gradients of few channels would take far more."""
    batched_matmul: Positive
    backward_matmul: Positive
    unaligned_matmul: Positive
    """Of the V100's 1024 flop a clock a SM, where a 16-bit GEMM has a side that is no multiple of 8."""
    convolution: Positive
    convolution_width_exponent: Positive
    """How much harder still they are to feed by convolutions."""
    convolution_input_gradient: Positive
    convolution_weight_gradient: Positive
    convolution_fp32: Positive
    convolution_units_exponent: Positive
    """How much harder multiprocessors with twice the FP32 units are to feed by convolutions in FP32."""
    convolution_1d: Positive
    """Of the rate of a square kernel."""
    winograd_gain: Positive
    """Of a 3 × 3 convolution with unit stride in FP32 and many channels."""
    group_channels: Positive
    """Channels a group at which a grouped convolution reaches the full rate."""
    grouped_backward: Positive
    """Of the forward rate."""
    depthwise: Positive
    """Of the FP32 peak."""
    depthwise_nhwc: Positive
    """Rate in channels-last over that in NCHW."""
    depthwise_backward: Positive
    """Of the forward rate."""
    nchw_half_transform: Positive
    """Layout transforms of a 16-bit NCHW convolution, in copies of its input and output."""
    nchw_tf32_transform: Positive
    elementwise: Positive
    norm: Positive
    norm_nhwc: Positive
    softmax: Positive
    copy: Positive
    reduction: Positive
    fused: Positive
    """Kernels that torch.compile makes."""
    elements_per_clock: Positive
    """Of one SM, in NCHW batch norms, softmax, reductions and pools."""
    copy_elements_per_clock: Positive
    """Of one SM, in copies that move elements to other places: each needs its own addresses."""
    sm_bytes_per_clock: Positive
    """That one SM can load and store, wherever they come from."""
    l2_help: Positive
    """Share of the traffic that the L2 cache saves where everything fits into it."""
    flash_attention: Positive
    """Of the sustained 16-bit peak, forward."""
    flash_backward: Positive
    """Of the forward rate."""
    flash_flop_per_clock: Positive
    """Of one SM at most: flash attention is written for Ampere's tensor instructions, whatever the card could do."""
    efficient_attention: Positive
    """Of the sustained FP32 peak, forward, in the memory-efficient kernel of FP32 numbers."""
    first_flash_attention: Positive
    """Rate of the first generation of flash kernels (Triton's, and torch's before 2.2) over today's."""
    kernel_start_s: Positive
    early_ampere_slowdown: Positive
    """Of a step on Ampere or later with the kernels of 2020, over one with today's."""
    early_tf32_products: Positive
    """Further slowdown of TF32 products and one-dimensional convolutions there."""
    early_half_products: Positive
    """Slowdown of 16-bit products on older cards with the libraries of 2020."""


class Assumed(Record, frozen=True, kw_only=True):
    """What no published run tells: taken from kernels' own publications or measured on a host; ranges say so."""

    efficient_half_attention: Positive
    """Of the sustained 16-bit peak: that kernel keeps tensor cores waiting."""
    hopper_attention: Positive
    """Flop a clock and multiprocessor of kernels that use Hopper's own tensor instructions, over flash attention's."""
    compiled_traffic: Positive
    """Share of the time of memory-bound operators that is left after `torch.compile` has fused them."""
    compiled_dispatches: Positive
    """Share of host calls that is left after it."""
    compiled_launch: Positive
    """To launch a kernel of the compiler's, or a library's from its code, over one dispatch in Python."""
    compiled_pass_s: Positive
    """What entering compiled code costs the host in one pass: its guards and wrappers."""
    compiled_range: Positive
    """Factor on the width of the range (in the log) under `torch.compile`, in modes of which no run was fitted."""
    new_precision_range: Positive
    """The same in a precision of which none was: FP8."""
    new_family_range: Positive
    """The same where the time is spent on operators that no fitted run has: recurrent layers."""
    new_size_range: Positive
    """The same for models larger than any that was fitted."""
    other_maker_range: Positive
    """Factor on the width of the range (in the log) of a maker's cards of which no run was fitted."""
    totals_range: Positive
    """The same for models of which only totals are known."""
    host_range: Positive
    """A step that waits wholly for a host that nobody measured may take so many times as long."""
    measured_host_range: Positive
    """The same both ways for a host that was measured."""
    quick_host_range: Positive
    """The same the other way: it may be so many times as fast."""
    least_range: Positive
    """No range is narrower than this factor: laboratories differ by as much among themselves."""
    host_s_per_dispatch: Positive
    """To issue one operator to a card in forward: Python, dispatch, autograd, allocation and launch."""
    desktop_host_s_per_dispatch: Positive
    """The same on a desktop or laptop, for the cards that are sold for those."""
    earlier_host_s_per_dispatch: Positive
    """The first with the software, and on the hosts, of 2020 and 2021."""
    earlier_host_backward_dispatches: Positive
    """What a convolution, for each of its gradients, and a batch norm kept the host further there in backward."""
    host_kept_gradient_dispatches: Positive
    """What a parameter's gradient costs the host in a step where it is kept: zeros are written, backward adds to it."""
    host_launch_s: Positive
    """What of that the launch on a card adds to an operator on the CPU."""
    host_convolution_dispatches: Positive
    """Dispatches that a convolution takes as long as: cuDNN's plan is looked up and set up, in each call of it."""
    host_batch_norm_dispatches: Positive
    """The same for a batch norm: Python around the operator, and several small tensors to allocate."""
    host_backward_share: Positive
    """Of the forward cost, for operators that the autograd engine issues."""
    host_pass_s: Positive
    """What one forward and backward costs the host whatever its operators: the loss, autograd's start and end."""
    host_update_s: Positive
    """What one update costs the host whatever its parameters: the optimizer's bookkeeping, clearing gradients."""
    selective_s_per_dispatch: Positive
    """What selective checkpointing adds to an operator of forward there and in the recomputation: torch asks its
    policy, in Python, whether to keep what each operator gave. Compiled steps ask once, while they are compiled."""
    synchronisation_s: Positive


class Architecture(Record, frozen=True, kw_only=True):
    """Measured best shares of the data sheet's rates, by architecture; never fitted to a training step."""

    name: str
    from_capability: float
    below_capability: float
    clock_below_hz: float | None = None
    """Only cards whose boost clock is lower."""
    power_below_w: float | None = None
    tensor_over_fp32_above: float | None = None
    """Only cards whose 16-bit rate is more than this many times their FP32 rate."""
    amd: bool = False
    """Only cards of AMD, which have no compute capability; without it none of them."""
    fp32_share: Positive
    tf32_share: Positive
    tensor_share: Positive
    fp32_flop_per_j: Positive
    tf32_flop_per_j: Positive
    tensor_flop_per_j: Positive
    source: str


BandGroup = Literal["known_card", "known_architecture", "new_architecture"]


class Band(Record, frozen=True, kw_only=True):
    """The ends of an 80 % range, in standard deviations of a step that nobody published (`ShareSpread`)."""

    group: BandGroup
    compiled: bool
    """Whether it is that of training under `torch.compile`, whose releases differ more than anything else does."""
    below: Positive
    above: Positive


class Envelope(Record, frozen=True, kw_only=True):
    """What the fitted runs reach to: beyond it the figures are carried on, and ranges are wider."""

    traces: tuple[TracePrecision, ...]
    """As which their precisions are traced."""
    compiled_modes: tuple[str, ...]
    """Modes (training, inference) of which there are runs under `torch.compile`."""
    largest_parameter_count: Positive
    """Parameters that a step trains or multiplies with."""


class CardShare(Record, frozen=True, kw_only=True):
    """What one card reaches over what the figures tell of a card like it, as its published runs have it, shrunk."""

    key: str
    bandwidth: Positive
    """On its memory bandwidth; never more than the data sheet's comes of it."""
    compute: Positive
    """On what its products sustain."""
    run_count: int
    sources: tuple[str, ...]
    """Who published those runs."""


class ShareSpread(Record, frozen=True, kw_only=True):
    """Standard deviations of logarithms, by what makes published runs err alike.

    Shares of cards are shrunk by them, and the range of a step that nobody published is as wide as they let expect.
    """

    bandwidth: Positive
    """Of cards' shares of their bandwidth."""
    compute: Positive
    """Of cards' shares of what their products sustain."""
    source_bandwidth: Positive
    """Of publishers' shares of any card's bandwidth: fused kernels that nobody named, older libraries."""
    source_compute: Positive
    model: Positive
    """Of what the steps of one model have in common."""
    run: Positive
    """Of a run alone: the scale of Student's distribution, whose tails are wider."""


class Efficiencies(Record, frozen=True, kw_only=True):
    """The whole file: figures, where they come from, and how far they may be trusted."""

    schema_version: int = 1
    source: str
    fitted: Fitted
    assumed: Assumed
    bandwidth_share: Positive
    """Of the data sheet's memory bandwidth that a long copy reaches."""
    narrow_bandwidth_share: Positive
    """The same on cards below `narrow_bandwidth_bytes_per_s`."""
    narrow_bandwidth_bytes_per_s: NonNegative
    architectures: tuple[Architecture, ...]
    bands: tuple[Band, ...]
    fitted_cards: tuple[str, ...]
    """Keys of the cards in the fitted runs."""
    fitted_capabilities: tuple[str, ...]
    envelope: Envelope
    share_spread: ShareSpread
    cards: tuple[CardShare, ...]
    """Shares of single cards; one that is not here has 1."""


def read_efficiencies(path: Path) -> Efficiencies:
    """Read a file of fitted figures. Raises InputError where it is missing or not of this format."""
    return read_figures(path, Efficiencies, "tools/fit_efficiencies.py")


@cache
def efficiencies() -> Efficiencies:
    """The figures that come with the program."""
    return read_efficiencies(resource("efficiencies.toml"))
