## What limits the worth of a comparison
caveat-nothing-in-limits = No candidate keeps what was given as limits ({ $limits }). Raise { $count ->
    [1] it
   *[other] one of them
}, or add cards with --gpus or --counts.
caveat-nothing-so-frugal = No candidate keeps what was given as limits ({ $limits }). Raise { $count ->
    [1] it
   *[other] one of them
}, or try other cards with --gpus, or fewer with --counts.
caveat-nothing-fits = No candidate can hold a step of this model at a precision at least as exact as asked for. Try a smaller batch, activation checkpointing, or sharding over more cards.
caveat-nothing-fits-at-one = No candidate can hold a step of this model at a precision at least as exact as asked for, not even of one sample a device. Try activation checkpointing, shorter or smaller samples, or sharding over more cards.
caveat-nothing-fits-checkpointed = No candidate can hold a step of this model at a precision at least as exact as asked for, with activation checkpointing neither. Try a smaller batch, shorter or smaller samples, or more or larger cards.
caveat-nothing-fits-at-one-checkpointed = No candidate can hold a step of this model at a precision at least as exact as asked for, not even of one sample a device with activation checkpointing. Try shorter or smaller samples, or more or larger cards.
caveat-nothing-fits-host = No candidate can hold a step of this model at a precision at least as exact as asked for. The cards have room for one that off-loads, but the machine has too little memory for what is off-loaded. Add memory to the machine, or take more or larger cards.
caveat-nothing-fits-here = No device of this machine can hold a step of this model at a precision at least as exact as asked for. Try a smaller batch or activation checkpointing.
caveat-here-over-limits = No device of this machine keeps what was given as limits ({ $limits }).
caveat-limit-cost = cost
caveat-limit-power = power
caveat-limit-hours = hours
caveat-nearest-hours = Nearest to the limit comes { $device } ({ $precision }, batch size { $batch }): the job takes { $job_s }, { $times_ratio } times the { $limit_s } allowed.
caveat-nearest-cost = Nearest to the limit comes { $device } ({ $precision }, batch size { $batch }): the job costs { $cost }, { $times_ratio } times the { $limit } allowed.
caveat-nearest-power = Nearest to the limit comes { $device } ({ $precision }, batch size { $batch }): its boards may draw { $power_w }, { $times_ratio } times the { $limit_w } allowed.
caveat-hours-range = The job may take up to { $high_s }: the middle of its range keeps the { $limit_s } allowed, its upper end does not. Nothing as plain that was tried is sure to.
caveat-hours-range-instead = The job may take up to { $high_s }: the middle of its range keeps the { $limit_s } allowed, its upper end does not. { $device } at batch size { $batch }{ $steps ->
    [1] { "" }
   *[other] { " × " }{ $steps }
} a card would take { $most_s } at most.
caveat-hours-range-larger = The job may take up to { $high_s }: the middle of its range keeps the { $limit_s } allowed, its upper end does not. { $device } at batch size { $batch }{ $steps ->
    [1] { "" }
   *[other] { " × " }{ $steps }
} a card, { $samples } samples a step, would take { $most_s } at most, if training takes them as well as the { $advised_samples } of this advice.
caveat-hours-range-nearest = The job may take up to { $high_s }: the middle of its range keeps the { $limit_s } allowed, its upper end does not, and nothing as plain that was tried is sure to. Nearest comes { $device } at batch size { $batch }{ $steps ->
    [1] { "" }
   *[other] { " × " }{ $steps }
} a card, with { $most_s } at most.
caveat-hours-loading = If its data are made as they are loaded (see above), the job takes at least { $least_s }: more than the { $limit_s } allowed.
caveat-cost-loading = If its data are made as they are loaded (see above), the job costs at least { $least }: more than the { $limit } allowed.
caveat-cost-range = The job may cost up to { $high }: the middle of its range keeps the { $limit } allowed, its upper end does not. Nothing as plain that was tried is sure to.
caveat-cost-range-instead = The job may cost up to { $high }: the middle of its range keeps the { $limit } allowed, its upper end does not. { $device } at batch size { $batch }{ $steps ->
    [1] { "" }
   *[other] { " × " }{ $steps }
} a card would cost { $most } at most.
caveat-cost-range-larger = The job may cost up to { $high }: the middle of its range keeps the { $limit } allowed, its upper end does not. { $device } at batch size { $batch }{ $steps ->
    [1] { "" }
   *[other] { " × " }{ $steps }
} a card, { $samples } samples a step, would cost { $most } at most, if training takes them as well as the { $advised_samples } of this advice.
caveat-cost-range-nearest = The job may cost up to { $high }: the middle of its range keeps the { $limit } allowed, its upper end does not, and nothing as plain that was tried is sure to. Nearest comes { $device } at batch size { $batch }{ $steps ->
    [1] { "" }
   *[other] { " × " }{ $steps }
} a card, with { $most } at most.
caveat-measurement-unstable = The measurement on { $device } was unstable, so it is ranked with a wider range. Close other programs and measure again.
caveat-measurement-throttled = { $device } was throttled while it was measured, so it is ranked with a wider range. Let it cool down and measure again.
caveat-measurement-contended = Other programs used { $device } while it was measured, so it is ranked with a wider range. Stop them and measure again.
caveat-some-prices-missing = The price file has no price for { $devices }: their cost is unknown, and no advice by cost takes them in.
caveat-prices-of-others = The price file has no price for { $devices }, and only they are left to advise: cost means GPU-hours here, and hours of different cards are not worth the same. Add their prices to the file.
caveat-no-prices = Without prices cost means GPU-hours, and hours of different cards are not worth the same. Give prices with --prices.
caveat-power-unknown = The power of { $devices } is unknown, so energy could not be compared there.
caveat-memory-unknown = Whether a step fits { $device } is unknown, since its memory need could not be predicted. Try one step before relying on it.
caveat-memory-range = A step may need up to { $high_bytes } of the { $capacity_bytes } that { $device } can give: about { $odds_fraction } of such set-ups run out of memory. No strategy or batch size that was tried there is sure to fit; run a few steps before a long job.
caveat-memory-range-instead = A step may need up to { $high_bytes } of the { $capacity_bytes } that { $device } can give: about { $odds_fraction } of such set-ups run out of memory. If yours does, take { $more ->
        [0] { "" }
       *[other] { $more }{ " cards, " }
    }{ $strategy ->
        [same] { "" }
        [single] { "" }
        [ddp] { "DDP, " }
        [dp] { "DataParallel, " }
        [zero2] { "ZeRO-2, " }
        [fsdp] { "FSDP, " }
        [fsdp_offload] { "FSDP with CPU off-load, " }
        [tp] { "tensor parallel, " }
       *[pp] { "pipeline parallel, " }
    }batch size { $batch }{ $steps ->
        [1] { "" }
       *[other] { " × " }{ $steps }
    }: at most { $most_bytes }, { $speed_ratio } times the speed.
caveat-memory-range-one-pass = A step may need up to { $high_bytes } of the { $capacity_bytes } that { $device } can give: about { $odds_fraction } of such set-ups run out of memory. If yours does, do not accumulate: one pass of { $batch ->
        [1] 1 sample
       *[other] { $batch } samples
    } a step needs { $most_bytes } at most, at { $speed_ratio } times the speed.
caveat-memory-range-switch = A step may need up to { $high_bytes } of the { $capacity_bytes } that { $device } can give: about { $odds_fraction } of such set-ups run out of memory. If yours does, add { $switch ->
        [checkpointing] activation checkpointing
        [sharding] sharding (FSDP)
       *[chunked_loss] the loss in chunks
    }: at most { $most_bytes }, { $speed_ratio } times the speed.
caveat-precision-left-out = { $device } has no { $precision }; it was left out of the comparison at that precision.
caveat-fp16-range = This model is published in BF16, and { $device } takes { $precision }: a value beyond 65,504, which BF16 holds, becomes infinite there, and so does the loss. Watch it in the first steps; where it happens take BF16 on a card that computes in it, or FP32.
caveat-fp16-states = In pure FP16 the optimizer's states and the weights it steps are FP16 too: squares of small gradients and Adam's 1e-8 become 0 there, and small steps are lost, so that training often ends in NaN. Take FP16 AMP or BF16 AMP, unless you know that yours trains so.
caveat-precision-replaced = { $device } has no { $precision }; it was judged in { $used } instead, and stands in the tables with the precision used.
inference-counts-not-kept = Inference is told of one device: { $count } × { $device } would serve as many copies, each by itself, and answer { $count } times as much.
caveat-inference-from-spec-sheet = The step time on { $device } is predicted from its data sheet and published runs, not measured. Of inference, only image models, diffusion models and BERT were judged: how often a time lies between { $low_s } and { $high_s } is not known for other models.
caveat-from-spec-sheet = The step time on { $device } is predicted from its data sheet and published runs, not measured: between { $low_s } and { $high_s } in four of five cases.
caveat-wide-offload = { $low_s } to { $high_s } a step is hardly a plan: copies to and from host memory may hide behind the computation or hold all of it up. Take off-loading as a makeshift, and time a few steps before you rely on it.
caveat-wide-link = { $low_s } to { $high_s } a step is a wide range, because the link between { $device } is not known: a host that routes badly makes the slow end. Name the link with --interconnect, or measure.
caveat-wide-known-link = { $low_s } to { $high_s } a step is a wide range: most of it is what { $device } exchange, and links of one name differ from host to host. Measure on yours before you rely on it.
caveat-wide-host = { $low_s } to { $high_s } a step is a wide range: most of it waits for a processor that nobody measured, and those differ that much. Time a few steps before you rely on it.
caveat-wide = { $low_s } to { $high_s } a step is a wide range: this is unlike what was fitted. Time a few steps before you rely on it.
caveat-no-script-pipeline = This program writes no script for a pipeline: torch cuts a model into stages by its exported graph or by code of its architecture, and neither is sure to work for any model. torchtitan and Megatron-LM have such stages: give them the figures of this advice.
caveat-no-script-groups = This program writes no script for tensor parallelism within machines and sharding across them: torchtitan and Megatron-LM train so.
caveat-no-script-quantised-split = This program writes no script for tensor parallelism over quantised weights: bitsandbytes packs those of a layer into one row, which torch does not split over cards. Keep the frozen weights in 16 bits (weights_bits = 16): for that a script is written.
caveat-batch-not-kept = The batch size { $batch } that you fixed fits on nothing that was tried at a precision at least as exact as asked for, and nothing is advised with another one.
caveat-precision-not-kept = Nothing that fits computes in { $precision }, which you fixed, and nothing is advised in another precision.
caveat-fixed-not-kept = Nothing that was tried holds batch size { $batch } in { $precision }, both of which you fixed, and nothing is advised with others.

## What advice that was saved by an earlier version says
caveat-no-candidate-in-limits = No candidate keeps the limits on cost, power and hours. Raise one of them, or add cards with --gpus or --counts.
caveat-local-over-limits = No device of this machine keeps the limits on cost, power and hours.
