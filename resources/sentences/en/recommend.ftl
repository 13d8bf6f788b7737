## Why a set-up is recommended
why-short-job = The whole job takes { $job_s }, less than a training takes to start: importing torch alone takes about { $start_s }.{ $tied ->
        [some] { " Take whichever of those it is tied with is at hand." }
       *[none] { "" }
    }{ $cpu ->
        [unknown] { " What a CPU takes, --measure tells." }
       *[compared] { "" }
    }
why-tied = There is no clear difference between { $device } and { $others }: the ranges of their times touch.
why-tied-short = Nobody would notice a difference between { $device } and { $others }: on each of them the job itself is as short as its start, or shorter.
why-tied-hours = There is no clear difference between { $device } and { $others }: the ranges of their GPU-hours touch.
why-tied-cost = There is no clear difference between { $device } and { $others }: the ranges of their costs touch.
why-tied-energy = There is no clear difference between { $device } and { $others }: the ranges of their energies touch.
why-tie-plain = Of set-ups without a clear difference { $device } comes before { $others }: what a step needs is in its own memory, without the host's and with the model in one piece.
why-count-room = { $device } have room for a step that takes up to { $high_bytes } of the { $capacity_bytes } on { $fewer }, where about { $odds_fraction } of such set-ups run out of memory.
why-tie-memory = Of set-ups without a clear difference { $device } is taken before { $others }, where the range of the memory need goes beyond what a device can give.
why-room-first = { $strategy } is taken before { $other_strategy }, which is { $speed_ratio } times as fast but may need up to { $high_bytes } of the { $capacity_bytes } that a device can give.
why-tie-borne-out = Of set-ups without a clear difference { $device } is taken before { $others }, of whose maker no published run bears out what is told.
why-tie-here = Of set-ups without a clear difference the one that is here already is taken: { $device }.
why-tie-cost = Of set-ups without a clear difference the least expected cost decides: { $cost } against { $other_cost } of { $other }.
why-tie-energy = Of set-ups without a clear difference the least expected energy decides: { $energy_j } against { $other_energy_j } of { $other }.
why-tie-alike = Of set-ups without a clear difference the expected times are alike ({ $job_s }, { $other } too): take whichever is at hand.
why-tie-against-data-sheets = By the data sheets { $others } would be no slower: that { $device } comes out ahead rests on { $runs ->
        [1] 1 published run
       *[other] { $runs } published runs
    } of it and { $other_runs } of { $count ->
        [1] the other
       *[other] the others
    }.
why-tie-time = Of set-ups without a clear difference the shorter expected time decides: { $job_s } against { $other_job_s } of { $other }.
why-disturbed = { $other } was disturbed while it was measured: undisturbed it may be as fast, but it is not advised before that is measured.
why-only-here = Of the devices of this machine { $device } alone could be judged.
why-only-asked = There was no other kind of device to compare { $device } with.
why-only-candidate = { $device } alone is left to compare: the other devices do not fit, pass a limit or could not be judged.
why-fastest = { $device } finishes { $advantage_ratio } times as fast as { $other }.
why-fewest-hours = { $other } would take { $advantage_ratio } times the GPU-hours of { $device }.
why-cheapest = { $other } would cost { $advantage_ratio } times as much as { $device }.
why-least-energy = { $other } would use { $advantage_ratio } times the energy of { $device }.
against-time = { $device } finishes { $advantage_ratio } times as fast as { $other }, in the range { $low_ratio } to { $high_ratio }{ $clear ->
    [yes] .
   *[no] : no clear difference.
}
against-hours = { $other } would take { $advantage_ratio } times the GPU-hours of { $device }, in the range { $low_ratio } to { $high_ratio }{ $clear ->
    [yes] .
   *[no] : no clear difference.
}
against-cost = { $other } would cost { $advantage_ratio } times as much as { $device }, in the range { $low_ratio } to { $high_ratio }{ $clear ->
    [yes] .
   *[no] : no clear difference.
}
against-energy = { $other } would use { $advantage_ratio } times the energy of { $device }, in the range { $low_ratio } to { $high_ratio }{ $clear ->
    [yes] .
   *[no] : no clear difference.
}
against-no-room = { $other } cannot hold a step: a card would need { $need_bytes } and can give { $capacity_bytes }.
why-launch-bound = The work is too small for a GPU: at batch size { $batch } a step on { $device } takes { $gpu_step_s }, of which { $launch_s } is kernel launch cost and { $synchronisation_s } synchronisation and copying; the CPU is done in { $cpu_step_s }.
why-launch-bound-tied = The work is too small for a GPU: at batch size { $batch } a step on { $device } takes { $gpu_step_s }, of which { $launch_s } is kernel launch cost and { $synchronisation_s } synchronisation and copying, so that no faster card helps; the CPU takes { $cpu_step_s }, which is no clear difference.
why-host-bound = { $device } waits for the host: launching kernels and synchronising take { $launch_s } of a step of { $step_s } ({ $share_fraction }), so a larger batch costs hardly any more time.
why-hosts-assumed = { $host ->
        [desktop] No processor was measured: a desktop's is assumed beside { $device } and a server's beside { $other }, which takes { $times_ratio } times as long to issue the same work.
       *[server] No processor was measured: a server's is assumed beside { $device } and a desktop's beside { $other }, which is { $times_ratio } times as quick to issue the same work.
    } In one and the same machine both cards wait alike.
why-strict-fp32 = In strict { $precision } { $device } computes { $rate_flop_per_s } against { $other_rate_flop_per_s } of { $other }, whose tensor cores ({ $tensor_flop_per_s } in TF32) stay idle.
why-fp32-is-strict = FP32 is strict here: a step takes { $step_s }, and { $tf32_step_s } with TF32 throughout. torch by itself lets cuDNN use TF32 for convolutions and recurrent layers: precision = "default" says that.
why-compute-rate = In { $precision } { $device } computes { $rate_flop_per_s } against { $other_rate_flop_per_s } of { $other }.
why-bandwidth = { $device } reads its memory at { $bandwidth_bytes_per_s } against { $other_bandwidth_bytes_per_s } of { $other }.
why-count-knee = More cards than { $count } × { $device } do not pay: going on to { $more }, the added ones would bring { $marginal_fraction } of their full speed, less than the { $needed_fraction } from which they are worth their hours.
why-count-no-gain = Going on from { $count } to { $more } × { $device } gains nothing.
why-count-short = Going on from { $count } to { $more } × { $device } would save { $saved_s } of the job, less than a training takes to start: importing torch alone takes about { $start_s }.
why-count-pays = { $count } × { $device } is { $speed_up_ratio } times as fast as { $fewer }.
why-count-pays-at-batch = { $count } × { $device } at { $batch ->
        [1] 1 sample
       *[other] { $batch } samples
    } a card and step is { $speed_up_ratio } times as fast as { $fewer } at { $other_batch }.
why-count-pays-otherwise = { $count } × { $device } with { $strategy ->
         [zero2] ZeRO-2
         [fsdp] FSDP
         [fsdp_offload] FSDP with CPU off-load
         [tp] tensor parallel
         [pp] pipeline parallel
        *[ddp] DistributedDataParallel
    } is { $speed_up_ratio } times as fast as { $fewer } with { $other_strategy ->
         [zero2] ZeRO-2
         [fsdp] FSDP
         [fsdp_offload] FSDP with CPU off-load
         [tp] tensor parallel
         [pp] pipeline parallel
        *[ddp] DistributedDataParallel
    }.
why-ddp-over-dp = DistributedDataParallel trains { $ddp_rate } samples a second against { $dp_rate } with DataParallel ({ $advantage_ratio } times), since DataParallel copies the model and gathers on the first card from one process.
why-sharded = The model does not fit one such card whole, so { $count ->
        [1] what it does not need at once rests in the host's memory
       *[other] it is spread over { $count }
    } ({ $strategy ->
         [zero2] ZeRO-2
         [fsdp] FSDP
         [fsdp_offload] FSDP with CPU off-load
         [tp] tensor parallel
         [pp] pipeline parallel
        *[ddp] DistributedDataParallel
    }).
why-fused-optimizer-added = With torch's default optimizer (foreach), which copies all weights for a moment, no step that is as quick fits { $device }, so it is fused: the same step in one kernel.
why-checkpointing-added = Without activation checkpointing no step fits { $device }, or only with the host's memory, the model in pieces or too few samples at once to be quick, so it is switched on: backward computes activations again. To rule that out, fix it as none with --checkpointing.
why-chunked-loss-added = With the logits of every token at once no step fits { $device }, or only with the host's memory, the model in pieces or too few samples at once to be quick, so the loss is computed in chunks of them.
why-fused-optimizer-room = With torch's default optimizer (foreach), which copies all weights for a moment, a step may need up to { $high_bytes } of the { $capacity_bytes } of { $device }; fused, the same step in one kernel, at most { $most_bytes }, at { $speed_ratio } times the speed.
why-checkpointing-room = Without activation checkpointing a step may need up to { $high_bytes } of the { $capacity_bytes } of { $device }; with it, which computes activations again, at most { $most_bytes }, at { $speed_ratio } times the speed. To rule that out, fix it as none with --checkpointing.
why-chunked-loss-room = With all logits at once a step may need up to { $high_bytes } of the { $capacity_bytes } of { $device }; with the loss in chunks, the same loss, at most { $most_bytes }, at { $speed_ratio } times the speed.
added-elsewhere = Compared with { $added ->
       *[checkpointing] activation checkpointing
        [fused_optimizer] a fused optimizer
        [chunked_loss] the loss in chunks
    }: { $devices }, which without it hold no step, may run out of memory, or need the host's memory, the model in pieces or too few samples at once to be quick.
why-rival-leans = { $device } needs the host's memory to hold a step, or the model in pieces, and spends { $share_fraction } of it on communication, copies and the optimizer.
why-sharded-batch = One such card does not hold a step of batch size { $batch }, so { $count ->
        [1] what it does not need at once rests in the host's memory
       *[other] it is spread over { $count }
    } ({ $strategy ->
         [zero2] ZeRO-2
         [fsdp] FSDP
         [fsdp_offload] FSDP with CPU off-load
         [tp] tensor parallel
         [pp] pipeline parallel
        *[ddp] DistributedDataParallel
    }).
why-tensor-groups = Tensor parallelism stays among { $cards } cards of one machine, where links are quick; the { $groups } such groups shard weights, gradients and optimizer states among them, as FSDP does.
why-precision-instead = { $device } does not compute in { $precision }: { $used } was taken instead.
why-precision-quicker = { $used } is taken instead of { $precision }: no less exact, and { $advantage_ratio } times as fast in this set-up. To keep { $precision }, fix it with --precision.
why-precision-room = In { $precision } a step needs { $need_bytes } at least, and { $device } can give { $capacity_bytes }: { $used } was taken instead, which needs less.
why-communication = Communication between the cards takes { $share_fraction } of a step on { $device }.
why-communication-no-nvlink = Communication between the cards takes { $share_fraction } of a step, because { $device } has no NVLink.
why-communication-network = Communication takes { $share_fraction } of a step: gradients cross the network between the machines, at { $rate_bytes_per_s } a machine{ $origin ->
        [assumed] { " (assumed)" }
       *[stated] { "" }
    }.
why-communication-machines = Communication takes { $share_fraction } of a step: { $strategy ->
        [tp] weights and gradients
        [pp] the results of each stage
        [fsdp] weights and gradients
        [fsdp_offload] weights and gradients
       *[other] gradients
    } cross the network between the machines, at { $rate_bytes_per_s } a machine{ $origin ->
        [assumed] { " (assumed)" }
       *[stated] { "" }
    }.
why-memory-elsewhere = A step of this set-up needs { $need_bytes }, which does not fit: { $devices }.
why-memory-tight = A step needs { $need_bytes } of { $capacity_bytes } ({ $share_fraction }): little head-room.
why-batch-room = The batch size of the workload ({ $own_batch }) may need up to { $high_bytes } of the { $capacity_bytes } that { $device } can give; { $batch } has room for the whole of its range{ $steps ->
        [1] { "" }
       *[other] , and a device accumulates { $steps } micro-batches of it
    }.
why-batch-own-does-not-fit = The batch size of the workload ({ $own_batch }) does not fit { $device } in { $precision }; { $batch } does.
why-batch-own-unknown = Of the workload's batch size ({ $own_batch }) nothing is known on { $device } in { $precision }: { $batch } is the best of those that are.
why-batch-beyond = Batch size { $batch } a device{ $steps ->
        [1] { "" }
       *[other] { ", accumulated " }{ $steps }{ " times," }
    } makes { $global_batch } samples a step on { $count ->
        [1] one device
       *[other] { $count } devices
    }, beyond { $bound ->
        [data] the { $global_limit } of the data set
       *[growth] the { $global_limit } that a step should hold without a trial of how training takes it
    }; of what was tried { $lacking ->
        [time] nothing as plain keeps the limits with less
       *[room] nothing smaller fits on so many
    }.
why-batch-fixed = Batch size { $batch } is kept, because you fixed it.
why-batch-kept = Batch size { $batch } is kept: it reaches the throughput of larger ones to within 10 % ({ $rate } samples a second).
why-batch-kept-largest = Batch size { $batch } is kept: it is the largest that was tried and fits ({ $rate } samples a second).
why-batch-kept-global = Batch size { $batch } is kept: a larger one would be faster, but all cards together should not go beyond { $global_limit } samples a step.
why-batch-kept-within = Batch size { $batch } is kept: larger ones up to { $allowed_batch }, with which all cards together stay within { $global_limit } samples a step, gain less than 10 %.
why-batch-whole-set = Batch size { $batch } already holds the whole data set ({ $samples } samples) in one step.
why-batch-knee = Batch size { $batch } is the knee of throughput: { $gain_ratio } times that of batch size { $own_batch }; larger ones gain less than 10 % more.
why-batch-knee-largest = Batch size { $batch } gives { $gain_ratio } times the throughput of { $own_batch }; it is the largest that was tried and fits.
why-batch-knee-within = Batch size { $batch } gives { $gain_ratio } times the throughput of { $own_batch }; larger ones up to { $allowed_batch }, with which a step stays within { $global_limit } samples, gain less than 10 % more.
why-batch-limited = Batch size { $batch } gives { $gain_ratio } times the throughput of { $own_batch }; still larger ones would be faster, but a step should not go beyond { $global_limit } samples without a trial of how training takes it.
why-accumulation = Accumulating { $steps } micro-batches a step gains more than 5 %, because the cards exchange gradients and step the optimizer less often.
why-accumulation-own = { $device } does not hold the workload's { $own_batch } samples in one pass: a device accumulates { $steps } micro-batches of { $batch }, which is { $samples } samples a step.
why-accumulation-held = Accumulating { $steps } micro-batches makes up the global batch of { $global_batch } that was asked for.
why-batch-divides = Batch size { $batch } a device makes up the global batch of { $global_batch } in whole micro-batches; the workload's own ({ $own_batch }) does not on { $count ->
        [1] one device
       *[other] { $count } devices
    }.
why-batch-held = Of the batch sizes that fit and make up the global batch of { $global_batch } on { $count ->
        [1] one device
       *[other] { $count } devices
    } in whole micro-batches, { $batch } a device is the fastest, to within 5 %, with the fewest of them.
why-loader-bound = The data loader limits: { $waits_s } of each step of { $step_s } ({ $share_fraction }) wait for it with { $workers } workers. More workers, or whole batches that lie ready in memory, save most of that; a faster device does not.
why-loader-workers = The data loader limits: { $waits_s } of each step of { $step_s } ({ $share_fraction }) wait for it with { $workers } workers, where the training process alone makes a batch in { $made_s } here. Fewer workers or none, or whole batches that lie ready in memory, save most of that.
why-loader-alone = The data loader limits: { $waits_s } of each step of { $step_s } ({ $share_fraction }) go into loading, which the training process does itself. Loader workers, or whole batches that lie ready in memory, save most of that; a faster device does not.
why-decoding-bound = If your pictures are JPEG files that are decoded as they are loaded, the data loader limits: { $workers ->
        [1] one process makes
       *[other] { $workers } workers make
    } { $most } a second at most, and each device takes { $rate }. The job would take at least { $least_job_s }. { $wanted } workers a device could keep up; so would pictures decoded beforehand.
why-tokenising-bound = If your texts are tokenised as they are loaded, the data loader limits: { $workers ->
        [1] one process makes
       *[other] { $workers } workers make
    } { $most } samples a second at most, and each device takes { $rate }. The job would take at least { $least_job_s }. { $wanted } workers a device could keep up; so would texts tokenised beforehand.
why-rows-bound = If your rows are taken from memory one by one, as a DataLoader over a TensorDataset does, the data loader limits: { $workers ->
        [1] one process takes
       *[other] { $workers } workers take
    } { $most } a second at most, and each device takes { $rate }. The job would take at least { $least_job_s }. Whole batches taken at once (a BatchSampler as sampler, automatic batching off) or rows kept on the card save most of that.
why-decoding-cores = If your pictures are JPEG files that are decoded as they are loaded, { $rate } a second keep { $cores } cores of the host busy, of which each decodes { $each } a second. See that the host has as many, or decode the pictures beforehand.
why-tokenising-cores = If your texts are tokenised as they are loaded, { $rate } samples a second keep { $cores } cores of the host busy, of which each makes { $each } a second. See that the host has as many, or tokenise the texts beforehand.
why-rows-cores = If your rows are taken from memory one by one, as a DataLoader over a TensorDataset does, { $rate } a second keep { $cores } cores of the host busy, of which each takes { $each } a second at most. Whole batches taken at once (a BatchSampler as sampler, automatic batching off) save most of that.
why-validation-share = Validation every { $every_steps } steps takes { $share_fraction } of the wall time; the time of the job counts the training steps alone.
why-validation-each-epoch = Validation once an epoch takes { $share_fraction } of the wall time; the time of the job counts the training steps alone.
strategies-compared = Two { $device } in { $precision }: DistributedDataParallel (batch size { $ddp_batch } a card) is { $ddp_ratio } times as fast as one card (batch size { $single_batch }), in the range { $low_ratio } to { $high_ratio }; DataParallel { $dp_ratio } times.
strategies-compared-each = Two { $device } in { $precision }, exchanging gradients with every batch: DistributedDataParallel (batch size { $ddp_batch } a card) is { $ddp_ratio } times as fast as one card (batch size { $single_batch }), in the range { $low_ratio } to { $high_ratio }; DataParallel { $dp_ratio } times.

## How precision turns the order of the cards
precision-turns = Precision decides: in { $asked } { $device } is { $ahead_ratio } times as fast as { $other } ({ $device_asked_flop_per_s } against { $other_asked_flop_per_s }), in { $precision } { $other } is { $behind_ratio } times as fast as { $device } ({ $other_flop_per_s } against { $device_flop_per_s }).
precision-closes = Precision decides: in { $asked } { $device } is { $ahead_ratio } times as fast as { $other } ({ $device_asked_flop_per_s } against { $other_asked_flop_per_s }); in { $precision } that lead is gone, { $other } being { $behind_ratio } times as fast, which is no clear difference ({ $other_flop_per_s } against { $device_flop_per_s }).

## What would change it
change-precision-same = In { $precision } instead of { $asked } the same set-up would be { $gain_ratio } times as fast.
change-precision-other = In { $precision } instead of { $asked } { $device } would be { $gain_ratio } times as fast as this advice.
change-strategy = This advice { $goal ->
         [cost] costs { $advantage_ratio } times as much as
         [hours] takes { $advantage_ratio } times the GPU-hours of
         [energy] uses { $advantage_ratio } times the energy of
        *[time] takes { $advantage_ratio } times as long as
    } { $device } with { $strategy ->
         [zero2] ZeRO-2
         [fsdp] FSDP
         [fsdp_offload] FSDP with CPU off-load
         [tp] tensor parallel
         [pp] pipeline parallel
         [single] one whole copy
        *[ddp] DistributedDataParallel
    }, which asks for more changes to the training code than { $instead ->
         [zero2] ZeRO-2
         [fsdp] FSDP
         [fsdp_offload] FSDP with CPU off-load
         [tp] tensor parallel
         [pp] pipeline parallel
         [single] one whole copy
        *[ddp] DistributedDataParallel
    }.
change-batch-to-cpu = Below a batch size of about { $batch } the CPU beats { $device }.
change-global-batch = If training takes { $samples } samples a step as well as the { $advised_samples } of this advice, { $device } with { $strategy ->
         [zero2] ZeRO-2
         [fsdp] FSDP
         [fsdp_offload] FSDP with CPU off-load
         [tp] tensor parallel
         [pp] pipeline parallel
        *[ddp] DistributedDataParallel
    } at batch size { $batch } a card{ $steps ->
         [1] { "" }
        *[other] , accumulated { $steps } times,
    } would be { $gain_ratio } times as fast.
change-count-batch = If only time counted: { $count } × { $device } at batch size { $batch } a card would be { $gain_ratio } times as fast, at more GPU-hours.
change-count-batch-at = If only time counted: { $count } × { $device } at batch size { $batch } a card, { $samples } samples a step, would be { $gain_ratio } times as fast, at more GPU-hours.
change-link = A faster link than that of { $device } would free up to { $share_fraction } of the step.
change-limits-batch = Without the limits { $count } × { $device } at batch size { $batch } a card would be { $gain_ratio } times as fast.
change-limits-batch-at = Without the limits { $count } × { $device } at batch size { $batch } a card, { $samples } samples a step, would be { $gain_ratio } times as fast.
change-price = With prices given by --prices the advice would weigh cost too; hours of different cards are not worth the same.
change-measure = Measuring on { $devices } would settle what the ranges leave open.

## Crossover of CPU and GPU
crossover-cpu-wins = { $cpu } beats { $gpu } at every batch size up to { $batch } ({ $cpu_step_s } against { $gpu_step_s } a step there).
crossover-gpu-wins = { $gpu } beats { $cpu } at every batch size from { $batch } on ({ $gpu_step_s } against { $cpu_step_s } a step there).
crossover-cpu-likely = { $cpu } likely beats { $gpu } at every batch size up to { $batch } ({ $cpu_step_s } against { $gpu_step_s } a step there); the ranges allow the GPU to win from { $low } on.
crossover-gpu-likely = { $gpu } likely beats { $cpu } already at a batch size of { $batch } ({ $gpu_step_s } against { $cpu_step_s } a step there); the ranges leave it open up to { $high }.
crossover-at = { $gpu } beats { $cpu } from a batch size of about { $batch } on (between { $low } and { $high }).
crossover-at-open = { $gpu } beats { $cpu } from a batch size of about { $batch } on; it may begin at { $low }, and the ranges leave open whether it has by { $high }.

## Alternatives
alternative-pareto = Nothing else is both faster and takes fewer GPU-hours than { $count } × { $device }.
alternative-pareto-cost = Nothing else is both faster and cheaper than { $count } × { $device }.
alternative-tied = No clear difference to the advice: { $count } × { $device }.
alternative-freed = Without what you fixed, { $count } × { $device } at batch size { $batch }{ $steps ->
         [1] { "" }
        *[other] { " in " }{ $steps }{ " passes" }
    } in { $precision } would be { $gain_ratio } times as fast.
alternative-unfixed = Tried beside what you fixed, and held: { $count } × { $device }{ $strategy ->
         [dp] { " with DataParallel" }
         [ddp] { " with DistributedDataParallel" }
         [zero2] { " with ZeRO-2" }
         [fsdp] { " with FSDP" }
         [fsdp_offload] { " with FSDP with CPU off-load" }
         [tp] { " with tensor parallel" }
         [pp] { " with pipeline parallel" }
        *[single] { "" }
    } at batch size { $batch }{ $steps ->
         [1] { "" }
        *[other] { " in " }{ $steps }{ " passes" }
    } in { $precision }, { $step_s } a step.

## What advice that was saved by an earlier version says
change-count = If only time counted: { $count } × { $device } would be { $gain_ratio } times as fast, at more GPU-hours.
change-count-at = If only time counted: { $count } × { $device } with { $samples } samples a step would be { $gain_ratio } times as fast, at more GPU-hours.
change-limits = Without the limits { $count } × { $device } would be { $gain_ratio } times as fast.
change-limits-at = Without the limits { $count } × { $device } with { $samples } samples a step would be { $gain_ratio } times as fast.
