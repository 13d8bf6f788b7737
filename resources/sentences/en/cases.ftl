## Answers to the published cases
case-order-at-precision = In { $precision } { $device } is expected to be { $expected_ratio } times as fast as { $other } ({ $low_ratio } to { $high_ratio }): { $rate_flop_per_s } against { $other_rate_flop_per_s }.
case-large-models-decide = Large models turn the order round too: { $device } has { $memory_bytes } and no NVLink, { $other } { $other_memory_bytes } and NVLink at { $nvlink_bytes_per_s } one way.
case-contradicts = This contradicts the case "{ $case }": both claims about the 4090 cannot be about the same precision and a healthy host.
case-launch-bound = Plausible: on { $device } a step at batch size { $batch } takes { $step_s }, and { $fixed_s } of it ({ $fixed_fraction }) do not depend on the batch: launching kernels and synchronising, which a CPU hardly has.
case-all-launch = Plausible: on { $device } a step at batch size { $batch } takes { $step_s }, practically all of it launching kernels and synchronising, which does not depend on the batch and which a CPU hardly has.
case-all-gpus-alike = No GPU helps: on each of the { $count } cards that it can be predicted for such a step takes { $step_s }; a faster card does not launch faster.
case-no-gpu-helps = No GPU helps: of { $count } cards the fastest ({ $fastest }) takes { $fastest_step_s }, the slowest { $slowest_step_s }; a faster card does not launch faster.
case-read-less = Reading the loss every { $every_steps } steps instead of every one saves { $saved_s } a step ({ $saved_fraction }): true, but the launches remain.
case-gpu-pays-from = { $device } begins to pay at a batch of about { $batch } rows ({ $step_s } a step), where work takes longer than launching.
case-job-fits-amp = { $device }: { $claimed_s } is plausible with autocast ({ $amp_s } expected); in FP32 { $fp32_s } is expected.
case-job-fits-fp32 = { $device }: { $claimed_s } is plausible only in strict FP32 ({ $fp32_s } expected); with autocast { $amp_s } is expected.
case-job-between = { $device }: { $claimed_s } lies between what is expected with autocast ({ $amp_s }) and in FP32 ({ $fp32_s }).
case-job-slower = { $device }: { $claimed_s } is { $slower_ratio } times what even strict FP32 is expected to take ({ $fp32_s }); something else holds this card up: loader, disk, host or power.
case-cards-below = { $below_count } of { $count } reported times are longer than this program expects in any precision, so that the list compares hosts as much as cards.
case-order-disagrees = By this list the A100 is { $claimed_ratio } times as fast as the 4090; { $fp32_ratio } times is expected in FP32 and { $amp_ratio } times with autocast.
case-unet-plausible = Plausible: DP was { $dp_ratio } times as fast as one card and DDP { $ddp_ratio } times; over { $count } assumptions of card and precision DP { $low_dp_ratio } to { $high_dp_ratio } and DDP { $low_ddp_ratio } to { $high_ddp_ratio } are expected.
case-unet-outside = Plausible only with cards or sizes beyond the { $count } assumptions looked at: DP was { $dp_ratio } times as fast as one card and DDP { $ddp_ratio } times; DP { $low_dp_ratio } to { $high_dp_ratio } and DDP { $low_ddp_ratio } to { $high_ddp_ratio } are expected.
case-nearest-assumption = Card, precision and sizes are not all published; the ratios come out best for { $device } in { $precision } at batch size { $batch } a card and length or image size { $length }: DP { $dp_ratio }, DDP { $ddp_ratio }.
case-ddp-ahead = DDP is ahead of DP in { $ahead_count } of { $count } assumptions: DP copies the model each step and gathers outputs and loss on the first card from one process.
case-roberta-near = Plausible: two cards were { $reported_ratio } times as fast as one; { $low_ratio } to { $high_ratio } is expected over the batch sizes and precisions that may be meant.
case-roberta-outside = Plausible only under other assumptions: two cards were { $reported_ratio } times as fast as one; { $low_ratio } to { $high_ratio } is expected over the batch sizes and precisions looked at.
case-accumulation-gain = Accumulation made two cards { $reported_gain_ratio } times as fast as without it; { $fewer_gain_ratio } times is expected with { $fewer } steps and up to { $predicted_gain_ratio } times with { $steps }.
case-accumulation-why = The gain is fewer synchronisations of gradients and fewer optimizer steps, one in { $steps }; it changes the training like a larger batch does, and on one card only the optimizer steps are saved.
case-accumulation-noise = The differences between 5, 10 and 20 steps ({ $between_fraction }) are within the noise of repeated runs ({ $noise_fraction }): no best value can be read from them.
case-accumulation-differs = The differences between 5, 10 and 20 steps ({ $between_fraction }) go beyond the noise of repeated runs ({ $noise_fraction }).
case-crossover = Plausible: the reported times are lines whose crossing lies near batch { $batch }. Below it the GPU loses by its fixed { $gpu_fixed_s } a step against { $cpu_fixed_s }; above it wins, since a further sample costs the CPU { $gain_ratio } times as much.
case-crossover-why = At batch 100 the GPU's { $gpu_step_s } a step are nearly all launches, synchronisation and the Python loop, which do not shrink with the work.
case-gpu-expected-alike = Such cards are expected to take { $fast_step_s } a step at batch 100, { $fixed_fraction } of it fixed; the reported { $reported_step_s } is { $slower_ratio } times that: a slow host, or a longer loop than described.
case-gpu-expected = Such cards are expected to take { $fast_step_s } to { $slow_step_s } a step at batch 100, { $fixed_fraction } of it fixed; the reported { $reported_step_s } is { $slower_ratio } times the slowest of them: a slow host, or a longer loop than described.
case-at-best = { $count } cards could at best bring the epoch to { $best_s }; the remaining factor of { $remaining_ratio } is something else's.
case-validation-rows = A validation pass over { $rows } rows costs as much as a third of as many training rows; a fixed sample of them would do between epochs.

## Training logs
log-validation-share = Validation takes { $share_fraction } of the time: { $validation_s } of every { $interval_s }, since it runs every { $every_steps } steps.
log-validate-less = Change this first: validating every { $better_steps } steps would cut { $total_s } to { $better_total_s }, a gain of { $gain_s } without any new GPU.
log-validation-passes = { $passes } validation { $passes ->
        [one] pass takes
       *[other] passes take
    } { $validation_s }, { $share_fraction } of the time. Change this first: a tenth of them would save { $gain_s } and bring the run to { $better_total_s }.
log-pauses = Pauses between steps take { $validation_s }, { $share_fraction } of the time: validation, checkpoints or a loader that starts anew. Change this first: a tenth of them would save { $gain_s } and bring the run to { $better_total_s }.
log-loader = The loader takes { $share_fraction } of a step. Change this first: more workers, pinned memory or a faster disk would save up to { $gain_s } a step.
log-step-slow = A step takes { $step_s } without them, { $slower_ratio } times what is expected of { $device } ({ $expected_s }, { $low_s } to { $high_s }): look at loader, host and precision.
log-step-normal = A step takes { $step_s } without them; { $expected_s } ({ $low_s } to { $high_s }) is expected of { $device }.
log-steps-projected = A step takes { $step_s }, the median of the log; all { $steps } steps take { $total_s } at that rate.
log-steps-validated = A step takes { $step_s }, the median of the log; its { $steps } steps and { $passes } validation { $passes ->
        [one] pass
       *[other] passes
    } take { $total_s } at that rate.
log-step-alone = A step takes { $step_s }, the median of the log.
log-sample-alone = A sample takes { $sample_s }, the median of the log{ $samples ->
        [0] {""}
        [one] , which is one a second
       *[other] , which is { $samples } a second
    }. Its bars count samples: what a step takes depends on a batch size that it does not tell.
log-whole-samples = The log shows a part of the run: all { $samples } samples take { $total_s } at that rate, what interrupts them included.
log-validation-epoch = Validation takes { $validation_s } of each epoch of { $total_s }, { $share_fraction } of the time. Change this first: validating after every tenth epoch would save { $gain_s } an epoch.
log-epochs-projected = A step takes { $step_s }, the median of the log; { $epochs } epochs of { $steps } steps{ $passes ->
        [0] {""}
        [one] {" "}and { $passes } validation pass
       *[other] {" "}and { $passes } validation passes
    } take { $total_s } at that rate.
log-epoch-projected = A step takes { $step_s }, the median of the log; an epoch of { $steps } steps{ $passes ->
        [0] {""}
        [one] {" "}and { $passes } validation pass
       *[other] {" "}and { $passes } validation passes
    } takes { $total_s } at that rate. How many epochs the run has, the log does not say.
log-steps-resumed = A step takes { $step_s }, the median of the log. It begins at step { $first_step }: the { $steps } steps from there on{ $passes ->
        [0] {""}
        [one] {" "}and { $passes } validation pass
       *[other] {" "}and { $passes } validation passes
    } take { $total_s } at that rate.
log-whole-projected = The log shows a part of the run: all { $steps } steps take { $total_s } at that rate, what interrupts them included.
log-runs = The log holds { $runs } runs: the last one is meant here.
log-folds = The log is of a cross-validation and shows { $shown }{ $folds ->
        [0] {""}
       *[other] {" "}of { $folds }
    } folds, which count together.
log-step-mean = A step takes { $step_s } on the mean: the run's { $total_s } over its { $steps } steps, with whatever interrupts them.
log-nothing-told = The log tells how long steps take and nothing of validation or pauses: these are not in the figures.
log-run-alone = The log tells that the run took { $total_s }, and nothing of its steps or of validation within.
log-epochs-alone = The log tells that { $epochs ->
        [one] an epoch takes
       *[other] { $epochs } epochs take
    } { $total_s }, and nothing of its steps or of validation within.
log-whole-epochs = The log shows { $shown } of { $epochs } epochs: all take { $total_s } at that rate.
log-own-times = The times of this log do not grow with its steps: each is taken for a step's own. If it is of the { $steps } steps since the line before, a step takes so many times less.
log-nothing-loud = { $part ->
    [none] Nothing but training takes a notable share of the { $total_s }.
   *[other] Training takes { $training_fraction } of the { $total_s }; next comes { $part ->
        [validation] validation
        [loader] waiting for data
        [loss_reads] reading the loss
       *[other] what is neither step nor validation
    } with { $share_fraction }.
  }

## Wall time
wall-validate-less = Validating every { $better_steps } steps instead of every { $every_steps } would save { $gain_s } ({ $share_fraction } of the time is validation).
wall-read-less = Reading the loss every { $better_steps } steps instead of every one would save { $gain_s } of waiting.
wall-load-faster = The loader holds up training for { $gain_s } with { $workers } workers: more of them, or a faster disk, would save that.
wall-launch-less = The host holds up training for { $gain_s }: a larger batch, fused optimizers or torch.compile would save most of it.
wall-synchronise-less = Communication takes { $share_fraction } of the time: with { $steps } micro-batches a step, a global batch of { $batch }, gradients would be sent half as often, which would save about { $gain_s }.
case-unpredictable = { $workload } could not be predicted, so that the case has no answer.
case-unpredictable-remedy = Check that torch is installed, so that models can be traced.
case-unknown = There is no case { $given }.
case-unknown-remedy = Choose one of { $names }.
