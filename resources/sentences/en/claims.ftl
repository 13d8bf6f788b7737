## Answers to claims
verdict-plausible = plausible
verdict-plausible_only_with = plausible only under a condition
verdict-below_expected = worse than this program expects
verdict-impossible = impossible
claim-plausible = Plausible: on { $device } in { $precision } at batch size { $batch } a step of { $claimed_s } was claimed, and { $expected_s } is expected ({ $low_s } to { $high_s }).
claim-only-with-precision = Plausible only with { $precisions }: on { $device } at batch size { $batch } that takes { $low_s } to { $high_s } a step, and { $claimed_s } was claimed.
claim-fp32-by-default = "FP32" may be what torch computes by default, where cuDNN's convolutions run in TF32; the range holds that and strict FP32.
claim-usual-layout = The claim does not say that it is of channels last (NHWC), so it is judged in torch's usual layout; in channels last { $expected_s } a step ({ $low_s } to { $high_s }) are expected.
claim-only-with-channels-last = Plausible only with the channels-last layout: on { $device } in { $precision } at batch size { $batch } a step then takes { $low_s } to { $high_s }, and { $claimed_s } was claimed.
claim-only-with-compile = Plausible only with torch.compile: on { $device } in { $precision } at batch size { $batch } a step then takes { $low_s } to { $high_s }, and { $claimed_s } was claimed.
claim-only-with-inference = Plausible only for inference: on { $device } in { $precision } at batch size { $batch } a forward pass takes { $low_s } to { $high_s }, and { $claimed_s } was claimed; training takes longer.
claim-only-with-better-kernels = Plausible only with better kernels than those that this program was fitted on: { $claimed_s } was claimed on { $device } in { $precision } at batch size { $batch }; { $expected_s } is expected ({ $low_s } to { $high_s }), but the card's peak rates would allow it.
claim-beyond-every-run = Not beyond the card's peak rates, but far from anything measured: { $claimed_s } was claimed on { $device } in { $precision } at batch size { $batch }, { $faster_ratio } times as fast as the expected { $expected_s } ({ $low_s } to { $high_s }), and of { $run_count } measured runs none was more than { $most_ratio } times as fast as expected. Plausible only if the figure is of something else: of several cards together, of inference, of smaller inputs or of another model.
claim-only-with-less-memory = Plausible only with less memory, by activation checkpointing or accumulation: batch size { $batch } needs { $need_bytes }, and { $device } has { $capacity_bytes }.
claim-below = Below what this program expects: { $claimed_s } a step was claimed on { $device } in { $precision } at batch size { $batch }, { $slower_ratio } times the expected { $expected_s } ({ $low_s } to { $high_s }).
claim-only-with-small-batch = Plausible only with a batch as small as { $batch }: on { $device } in { $precision } a step of { $claimed_s } was claimed there, and { $expected_s } is expected ({ $low_s } to { $high_s }). At batch size { $usual_batch } it would be { $slower_ratio } times what is expected.
claim-too-fast-in = In { $precisions } the claimed time would be shorter than expected.
claim-impossible-step = Impossible: a step of { $model } at batch size { $batch } is at least { $work_flop }. In { $claimed_s } that is { $needed_flop_per_s }, and { $device } has a peak of { $peak_flop_per_s } in { $precision }. No step can take less than { $bound_s }; { $expected_s } is expected.
claim-impossible-rate = Impossible: { $claimed_rate } samples a second of { $model } are { $needed_flop_per_s }, and { $device } has a peak of { $peak_flop_per_s } in { $precision }. More than { $most_rate } samples a second cannot be.
claim-limit-host = Likely limited by the host: { $share_fraction } of the expected step already waits for kernel launches and synchronisation, so that a slower CPU shows at once.
claim-limit-communication = Likely limited by communication between the { $count } cards, or by one that is slower than the others.
claim-limit-validation = Likely limited by validation: one pass over the validation rows takes { $pass_s }, so that one every { $every_steps } steps would explain the { $lost_fraction } of the claimed time that is not training.
claim-limit-precision-off = Or the reduced precision was not in effect: the same step in FP32 would explain part of it.
claim-limit-loader = Likely limited by the data loader or the disk: { $lost_s } a step are not the card's.

## Ratios
claim-more-than-linear = Impossible by GPUs alone: { $count } GPUs give at most { $most_ratio } times the speed of { $fewer }, and { $claimed_ratio } times was claimed, { $beyond_ratio } times as much as there can be.
claim-something-else-changed = Something else changed as well: batch size, precision, the loader, validation, or a card that was no longer throttled or shared.
claim-more-cards-slower = Below what this program expects: { $count } GPUs were claimed to be only { $claimed_ratio } times as fast as { $fewer }, so that the added cards slow it down. Likely limited by communication, a batch too small for the cards, a loader that all cards share, or DataParallel's single process.
claim-scaling-plausible = Plausible: { $count } GPUs are expected to give { $expected_ratio } times the speed ({ $low_ratio } to { $high_ratio }); { $claimed_ratio } was claimed.
claim-scaling-above = Plausible only with a faster link, more accumulation or a larger batch than assumed: { $claimed_ratio } times was claimed, { $expected_ratio } ({ $low_ratio } to { $high_ratio }) is expected from { $count } GPUs; { $most_ratio } is the most there can be.
claim-scaling-below = Below what this program expects: { $claimed_ratio } times was claimed from { $count } GPUs, { $expected_ratio } ({ $low_ratio } to { $high_ratio }) is expected. Likely limited by communication, by a loader that all cards share, or by DataParallel's single process.
claim-efficiency-plausible = Plausible: { $claimed_ratio } times from { $count } GPUs is an efficiency of { $efficiency_fraction }; { $most_ratio } times is the most there can be.
claim-efficiency-one-process = Plausible only with a model whose step is long beside what DataParallel adds: { $claimed_ratio } times from { $count } GPUs is an efficiency of { $efficiency_fraction }, and one process copies the model and gathers on the first card at every step. Name model and card to have it predicted.
claim-efficiency-low = Below what this program expects: { $claimed_ratio } times from { $count } GPUs is an efficiency of only { $efficiency_fraction }, likely limited by communication, a batch too small for the cards, the loader, or DataParallel's single process.
claim-change-plausible = Plausible: on { $device } { $change ->
    [batch] batch size { $after } over { $before }
    [growth] a batch { $after } as large
    [length] texts of { $after } tokens over { $before }
    [stretch] texts { $after } as long
    *[other] { $after } over { $before }
} is expected to bring { $expected_ratio } times the { $of ->
    [tokens] tokens
    *[samples] samples
} a second ({ $low_ratio } to { $high_ratio }); { $claimed_ratio } was claimed.
claim-change-above = Plausible only with { $change ->
    [attention] longer sequences or better kernels than assumed
    [checkpointing] a part of the blocks checkpointed, or a larger batch in the memory that it frees
    *[other] better kernels or a healthier host than assumed
}: on { $device } { $change ->
    [batch] batch size { $after } over { $before }
    [growth] a batch { $after } as large
    [length] texts of { $after } tokens over { $before }
    [stretch] texts { $after } as long
    *[other] { $after } over { $before }
} is expected to bring { $expected_ratio } times the { $of ->
    [tokens] tokens
    *[samples] samples
} a second ({ $low_ratio } to { $high_ratio }); { $claimed_ratio } was claimed.
claim-change-below = Below what this program expects: on { $device } { $change ->
    [batch] batch size { $after } over { $before }
    [growth] a batch { $after } as large
    [length] texts of { $after } tokens over { $before }
    [stretch] texts { $after } as long
    *[other] { $after } over { $before }
} is expected to bring { $expected_ratio } times the { $of ->
    [tokens] tokens
    *[samples] samples
} a second ({ $low_ratio } to { $high_ratio }); { $claimed_ratio } was claimed.
claim-change-impossible = Impossible: { $change ->
    [batch] batch size { $after } over { $before }
    [growth] a batch { $after } as large
    [length] texts of { $after } tokens over { $before }
    [stretch] texts { $after } as long
    *[other] { $after } over { $before }
} was claimed to bring { $claimed_ratio } times the speed on { $device }, and { $change ->
    [batch] no step takes less time with more samples, so that { $bound_ratio } times is the most
    [growth] no step takes less time with more samples, so that { $bound_ratio } times is the most
    [length] no step takes less time with longer texts, nor more than by the square of their length, so that { $bound_ratio } times is the most
    [stretch] no step takes less time with longer texts, so that { $bound_ratio } times is the most
    *[other] no figure of its data sheet is more than { $bound_ratio } times the other's
}; { $expected_ratio } is expected ({ $low_ratio } to { $high_ratio }).
claim-growth-by-size = Neither size is said, and it decides: grown from one sample, such a batch is expected to bring { $small_ratio } times ({ $small_low_ratio } to { $small_high_ratio }); grown from { $spread ->
        [one] { $most } samples
       *[several] { $least } to { $most } samples, by the model
    }, { $large_ratio } times ({ $large_low_ratio } to { $large_high_ratio }).
claim-why-tuning = Few tokens a step make it slower: unpacking the frozen weights takes as long for one sample as for sixteen. Published runs of 14B with GPTQ weights, which had no kernel for it then, took 3.3 times as long at 256 tokens and 1.06 times at 8,192.
claim-why-sharded = Sharding in mixed precision casts whole layers to 16 bits, where autocast leaves norms, losses and sums in FP32: that alone makes a step quicker. The range also holds both sides in one type, whose operators are the same.
claim-prepared = QLoRA is looked at with and without PEFT's prepare_model_for_kbit_training (norms and what flows between layers in FP32), which made steps 1.25 to 1.3 times as long in published runs on one card; the range holds both.
claim-why-weights = Of the linear layers' weights alone 4 bits are a quarter of 16; embeddings, head, adapters and activations stay as they are.
claim-why-attention = The longer the sequences, the more fused attention gains: the work that it saves grows with the square of their length.
claim-why-autocast-memory = Autocast keeps weights, gradients and optimizer states in 32 bits; only activations shrink. With the weights themselves in 16 bits (pure BF16) all of it does.
claim-why-channels_last = The layout changes convolutions in 16 bits above all: a model with few of them, such as a vision transformer, gains nothing.
claim-why-states = What 8-bit states save is six of every eight bytes of Adam's two states, that is 6 bytes a trained parameter beside FP32 weights, and 2 beside pure BF16 ones: it does not grow with the batch.
claim-why-shared-states = Where n cards share the states (ZeRO, FSDP), each saves an n-th of that; with adapters only their own few states shrink.
claim-any-card = The claim names no card; it is judged by each of these, and the range holds them all.
claim-change-open = Whether { $after } brings { $claimed_ratio } times over { $before } cannot be told without model and card: of { $like } on { $device }, { $low_ratio } to { $high_ratio } times is expected, and nearly all that is said of it lies between.
claim-change-open-remedy = Name the model and the card: "FP8 is 35 % faster than BF16 for an 8B on an H100".
claim-panel-like = The claim names no model that is known here; it is judged by { $like }, and the range holds them all: with a model named it is narrower.
claim-samples-of-model = The claim does not tell how many samples there were; the { $samples } of { $model } are taken: fewer take less time.
claim-only-with-fewer-samples = Plausible only with fewer samples than the { $samples } of { $model }, which the claim does not tell: with as many no card is so quick.
claim-samples-of-model-below = The claim does not tell how many samples an epoch had; the { $samples } of { $model } are taken: with { $least } to { $most } it would be as expected.
claim-only-with-more-samples = Plausible only with more samples in all than the { $samples } of { $model } in all its epochs, which the claim does not tell: { $least } to { $most } are expected to pass in that time. With { $samples } it is below what this program expects.
claim-length-of-model = The claim names no sequence length; { $length } tokens a sample are taken, as the model's own workload has them: a longer text takes longer.
claim-any-batch = The claim names no batch size; { $least } to { $most } samples a device are looked at, and the range holds them all: with a batch size named it is narrower.
claim-side-tuning-full = a full fine-tuning
claim-side-tuning-lora = LoRA
claim-side-tuning-qlora = QLoRA
claim-side-attention-eager = eager attention
claim-side-attention-sdpa = fused attention (torch's SDPA)
claim-side-attention-flash = fused attention (flash)
claim-side-checkpointing-none = no checkpointing
claim-side-checkpointing-selective = selective checkpointing
claim-side-checkpointing-full = full activation checkpointing
claim-side-switched-channels_last-on = the channels-last layout
claim-side-switched-channels_last-off = torch's usual layout
claim-side-switched-fused_optimizer-on = a fused optimizer
claim-side-switched-fused_optimizer-off = torch's usual one (foreach)
claim-side-switched-optimizer_8bit-on = 8-bit optimizer states
claim-side-switched-optimizer_8bit-off = those of 32 bits
claim-side-batch-grown = a batch { $ratio } times as large
claim-side-batch-before = the smaller batch
claim-side-batch-of = batch size { $batch }
claim-side-length-grown = texts { $ratio } times as long
claim-side-length-before = the shorter ones
claim-side-length-of = texts of { $length } tokens
claim-side-named = { $name }
claim-length-ratio-of = It is not said whether the ratio is of samples or of tokens a second. It is judged as one of { $of ->
    [tokens] tokens; of samples it would be { $verdict }
    *[samples] samples; of tokens it would be { $verdict }
}.
claim-memory-plausible = Plausible: with { $after } a step on { $device } is expected to hold { $low_fraction } to { $high_fraction } of the memory that it holds with { $before }; { $claimed_fraction } was claimed.
claim-memory-above = Plausible only with another share of activations than assumed (larger batches, longer sequences) or where a part of the memory is meant: with { $after } a step on { $device } is expected to hold { $low_fraction } to { $high_fraction } of the memory that it holds with { $before }; { $claimed_fraction } was claimed.
claim-memory-below = Below what this program expects: with { $after } a step on { $device } is expected to hold { $low_fraction } to { $high_fraction } of the memory that it holds with { $before }; { $claimed_fraction } was claimed.
claim-memory-impossible = Impossible: with { $after } a step cannot hold less than { $bound_fraction } of the memory that it holds with { $before }, as the weights alone shrink by no more and all else stays; { $claimed_fraction } was claimed, and { $low_fraction } to { $high_fraction } are expected on { $device }.
claim-saved-plausible = Plausible: with { $after } a step on { $device } is expected to hold { $low_bytes } to { $high_bytes } less than with { $before }; { $claimed } were claimed.
claim-saved-above = More than this program expects, plausible only with larger batches, longer sequences or another model than assumed: with { $after } a step on { $device } is expected to hold { $low_bytes } to { $high_bytes } less than with { $before }; { $claimed } were claimed.
claim-saved-below = Below what this program expects: with { $after } a step on { $device } is expected to hold { $low_bytes } to { $high_bytes } less than with { $before }; { $claimed } were claimed.
claim-saved-impossible = Impossible: a step on { $device } holds no more than { $most_bytes } with { $before }, and { $claimed } were claimed to be saved; { $low_bytes } to { $high_bytes } are expected with { $after }.
claim-with-sharding = Judged with { $strategy }: no such card holds a whole copy of the model with its gradients and states.
claim-fits = { $model } fits { $device }: at batch size { $batch } in { $precision } a step needs { $need_bytes } ({ $low_bytes } to { $high_bytes }), and the card has { $capacity_bytes } to give.
claim-fits-not = { $model } does not fit { $device }: at batch size { $batch } in { $precision } a step needs { $need_bytes } ({ $low_bytes } to { $high_bytes }), and the card has { $capacity_bytes } to give.
claim-fits-close = { $model } on { $device } is too close to tell: at batch size { $batch } in { $precision } a step needs { $need_bytes } ({ $low_bytes } to { $high_bytes }), and the card has { $capacity_bytes } to give.
claim-ratio-plausible = Plausible: in { $precision } { $device } is expected to be { $expected_ratio } times as fast as { $other } ({ $low_ratio } to { $high_ratio }); { $claimed_ratio } was claimed.
claim-ratio-only-with-precision = Plausible only in { $precisions }: { $device } was claimed to be { $claimed_ratio } times as fast as { $other }.
claim-ratio-only-elsewhere = Plausible only in { $precisions }, not in { $precision } as claimed: there { $expected_ratio } ({ $low_ratio } to { $high_ratio }) is expected of { $device } over { $other }, and { $claimed_ratio } times was claimed.
claim-ratio-impossible = Impossible: { $device } was claimed to be { $claimed_ratio } times as fast as { $other }, and no figure of their data sheets is more than { $bound_ratio } times as high; { $expected_ratio } ({ $low_ratio } to { $high_ratio }) is expected.
claim-ratio-above = Plausible only where one card has an advantage beside its speed (memory for a larger batch, software, a healthier host): { $claimed_ratio } times was claimed, { $expected_ratio } ({ $low_ratio } to { $high_ratio }) is expected of { $device } over { $other } in { $precision }.
claim-ratio-below = Below what this program expects: { $device } was claimed to be only { $claimed_ratio } times as fast as { $other }, { $expected_ratio } ({ $low_ratio } to { $high_ratio }) is expected in { $precision }. Likely limited by the loader, the host, or kernels that were not yet tuned for the newer card.
claim-ratio-each-plausible = Plausible: { $device } in { $precision } is expected to be { $expected_ratio } times as fast as { $other } in { $other_precision } ({ $low_ratio } to { $high_ratio }); { $claimed_ratio } was claimed.
claim-ratio-each-above = Plausible only with better kernels or larger batches than assumed: { $device } in { $precision } is expected to be { $expected_ratio } times as fast as { $other } in { $other_precision } ({ $low_ratio } to { $high_ratio }); { $claimed_ratio } was claimed.
claim-ratio-each-below = Below what this program expects: { $device } in { $precision } is expected to be { $expected_ratio } times as fast as { $other } in { $other_precision } ({ $low_ratio } to { $high_ratio }); { $claimed_ratio } was claimed.
claim-ratio-each-impossible = Impossible: { $device } in { $precision } was claimed to be { $claimed_ratio } times as fast as { $other } in { $other_precision }, and no figure of their data sheets is more than { $bound_ratio } times as high; { $expected_ratio } ({ $low_ratio } to { $high_ratio }) is expected.
claim-order-ahead = Plausible: { $device } is expected to be { $expected_ratio } times as fast as { $other } ({ $low_ratio } to { $high_ratio }) in { $precisions }.
claim-order-ahead-in = Plausible only in { $precisions }: there { $device } is expected to be { $expected_ratio } times as fast as { $other } ({ $low_ratio } to { $high_ratio }).
claim-order-otherwise = In { $precisions } it is not: { $device } is expected to be { $expected_ratio } times as fast as { $other } ({ $low_ratio } to { $high_ratio }).
claim-order-either-in = In { $precisions } either may be ahead: { $device } is expected to be { $expected_ratio } times as fast as { $other } ({ $low_ratio } to { $high_ratio }).
claim-order-open = Plausible, but either may be ahead: { $device } is expected to be { $expected_ratio } times as fast as { $other } ({ $low_ratio } to { $high_ratio }) in { $precisions }.
claim-order-behind = Rather the other way round: { $device } is expected to be { $expected_ratio } times as fast as { $other } ({ $low_ratio } to { $high_ratio }) in { $precisions }. It is plausible only where the first has an advantage beside its speed: memory for a larger batch, software, a healthier host.
claim-order-impossible = Impossible: no figure of the data sheet of { $device } is as high as that of { $other }. It is expected to be { $expected_ratio } times as fast ({ $low_ratio } to { $high_ratio }) in { $precisions }.
claim-need-more = Plausible: { $model } parameters { $way } take { $need_bytes }, and more than { $claimed } ({ $claimed_bytes }) were claimed to be needed.
claim-peak-plausible = Plausible: a step of { $model } on { $device } is expected to hold { $low_bytes } to { $high_bytes } at once; { $claimed } were claimed.
claim-peak-less = Less than this program expects, plausible only with checkpointing, fewer bits, a smaller batch or shorter texts than told: a step of { $model } on { $device } is expected to hold { $low_bytes } to { $high_bytes } at once; { $claimed } were claimed.
claim-peak-more = More than this program expects: a step of { $model } on { $device } is expected to hold { $low_bytes } to { $high_bytes } at once; { $claimed } were claimed. What a driver shows also counts its own context and the free blocks that the allocator keeps.
claim-need-plausible = Plausible: { $model } parameters { $way } take { $need_bytes }, and { $claimed } ({ $claimed_bytes }) were claimed. Activations come on top, by batch size and length, and have { $left_bytes } of it.
claim-need-bare = Plausible as the parameters' part: { $model } parameters { $way } take { $need_bytes }, and { $claimed } ({ $claimed_bytes }) were claimed. Activations come on top, by batch size and length.
claim-need-only-with = Not as usual: { $model } parameters { $way } take { $need_bytes }, and { $claimed } ({ $claimed_bytes }) were claimed. That is enough only { $least_way }: { $least_bytes }, and activations come on top.
claim-need-impossible = Impossible: { $model } parameters take { $least_bytes } even { $least_way }, before any activation, and { $claimed } ({ $claimed_bytes }) were claimed. Only off-loading weights to the host's memory would do.
claim-need-activations = Plausible only with long texts or large batches: { $model } parameters { $way } take { $need_bytes }, so that { $left_bytes } of the claimed { $claimed } ({ $claimed_bytes }) would be activations.
claim-need-offloaded = With off-loading it is the host's memory that decides: { $model } parameters { $way } take { $need_bytes } in all, and { $claimed } ({ $claimed_bytes }) were claimed.
claim-rates = In { $precision } the data sheets say { $rate_flop_per_s } for { $device } and { $other_rate_flop_per_s } for { $other }.

## Models that are named by their size
claim-way-mixed = with AdamW in mixed precision (16 bytes a parameter: weight, gradient and two states in FP32)
claim-way-pure = with everything in 16 bits, no FP32 copies (8 bytes a parameter)
claim-way-eight-bit = with 16-bit weights and 8-bit AdamW states (6 bytes a parameter)
claim-way-in-backward = with 16-bit weights, 8-bit AdamW states and each gradient freed as its parameter is stepped (4 bytes a parameter)
claim-way-stateless = with 16-bit weights alone on the card: an optimizer without states, or with states in the host's memory, stepped in backward (2 bytes a parameter)
claim-way-lora-16 = with adapters beside 16-bit frozen weights (2 bytes a parameter)
claim-way-lora-8 = with adapters beside 8-bit frozen weights (1 byte a parameter)
claim-way-lora-4 = with adapters beside 4-bit frozen weights, as QLoRA has them (half a byte a parameter)
claim-way-inference-32 = for inference with 32-bit weights (4 bytes a parameter)
claim-way-inference-16 = for inference with 16-bit weights (2 bytes a parameter)
claim-way-inference-8 = for inference with 8-bit weights (1 byte a parameter)
claim-way-inference-4 = for inference with 4-bit weights (half a byte a parameter)
claim-size-fits = As far as the parameters go it fits: { $model } parameters { $way } take { $need_bytes } of the { $capacity_bytes } that { $device } can give. Activations come on top, by batch size and length, and have { $left_bytes }.
claim-size-hardly = Hardly: { $model } parameters { $way } take { $need_bytes } of the { $capacity_bytes } that { $device } can give, and activations with the logits, which come on top, have only { $left_bytes }.
claim-size-only-with = Not as usual: { $model } parameters { $way } take { $need_bytes }, and { $device } can give { $capacity_bytes }. It fits only { $least_way }: { $least_bytes }, and activations come on top.
claim-size-beyond = It does not fit: { $model } parameters take { $least_bytes } even { $least_way }, before any activation, and { $device } can give { $capacity_bytes }. Only off-loading weights to the host's memory, or more cards, would do.
claim-size-offloaded = With off-loading it is the host's memory that decides: { $model } parameters { $way } take { $need_bytes }, of which { $device } can hold { $capacity_bytes } at most; steps wait for what is copied.
claim-size-shared = That is with the parameters spread over all { $count } cards (FSDP or ZeRO-3); DataParallel and DDP would need as much on every card.
claim-size-of-several = One card alone would not hold it the usual way; a rate of each card is mostly told of several that share weights, gradients and states, so its memory is not judged.
claim-size-zero2 = ZeRO-2 keeps the weights whole on each of the { $count } cards (2 bytes a parameter) and spreads gradients and states.
claim-size-whole = DataParallel and DDP keep all parameters on each of the { $count } cards.
claim-size-adapters = The adapters themselves, their gradients and states are not counted: they depend on rank and layers, and are mostly below a hundredth of the weights.
claim-size-impossible = Impossible: { $claimed_rate } tokens a second of { $model } parameters are at least { $needed_flop_per_s } ({ $flop_count } FLOP a parameter and token), and { $device } has a peak of { $peak_flop_per_s } in { $precision }. More than { $most_rate } tokens a second cannot be.
claim-generated-one = Plausible where text is generated token by token: each token reads all weights{ $tokens ->
        [0] { "" }
       *[other] {" "}and the keys and values of { $tokens } tokens ({ $cache_bytes })
    }, so that { $device } gives one text at most about { $most_rate } tokens a second; { $claimed_rate } are { $share_fraction } of that.{ $tokens ->
        [0] {" "}What the keys and values of a long text take on top is not in it.
       *[other] { "" }
    }
claim-generated-no-room = Plausible only with weights of fewer than { $bits } bits, or with a part of them in the host's memory, from where each token brings it anew: of { $bits } bits they take { $need_bytes }, and { $device } can give { $capacity_bytes }. { $claimed_rate } tokens a second were claimed.
claim-generated-several = Plausible only with weights of fewer bits, with several texts at once, or of tokens that are read: token by token each reads all weights{ $tokens ->
        [0] { "" }
       *[other] {" "}and the keys and values of { $tokens } tokens ({ $cache_bytes })
    }, so that { $device } gives one text at most about { $most_rate } a second, and { $claimed_rate } were claimed.
claim-generated-below = Below what { $device } allows: token by token each reads all weights{ $tokens ->
        [0] { "" }
       *[other] {" "}and the keys and values of { $tokens } tokens ({ $cache_bytes })
    }, which gives one text at most about { $most_rate } tokens a second; { $claimed_rate } are { $share_fraction } of that. Weights in the host's memory or kernels that wait for the host would explain it.
claim-size-possible = Possible by the data sheet: { $claimed_rate } tokens a second of { $model } parameters take { $share_fraction } of the peak of { $device } in { $precision } ({ $peak_flop_per_s }); more is not known of a model that is named by its size.
claim-size-expected = Plausible: { $claimed_rate } tokens a second of { $model } parameters take { $share_fraction } of the peak of { $device } in { $precision }. Scaled by its size from { $like }, { $low_rate } to { $high_rate } are expected.
claim-size-above = Plausible only with better kernels, less checkpointing or another shape of model: { $claimed_rate } tokens a second of { $model } parameters take { $share_fraction } of the peak of { $device } in { $precision }. Scaled by its size from { $like }, { $low_rate } to { $high_rate } are expected.
claim-size-only-fp8 = Plausible only in FP8: { $claimed_rate } tokens a second of { $model } parameters are at least { $needed_flop_per_s } ({ $flop_count } FLOP a parameter and token), more than { $device } has in { $precision } ({ $peak_flop_per_s }).
claim-size-shorter = Plausible only with samples shorter than the { $length } tokens that are told, which may be the most that one is cut at: { $claimed_rate } tokens a second of { $model } parameters would be { $needed_flop_per_s } ({ $flop_count } FLOP a parameter and token), and { $device } has a peak of { $peak_flop_per_s } in { $precision }. More than { $most_length } tokens a sample on average cannot be.
claim-size-below = Below what this program expects: { $claimed_rate } tokens a second of { $model } parameters take only { $share_fraction } of the peak of { $device } in { $precision }. Scaled by its size from { $like }, { $low_rate } to { $high_rate } are expected. Likely limited by short or padded sequences, a small batch, the link between cards, or off-loading.
claim-size-without-tokens = The claim does not say how many tokens were trained on, and a model of { $model } parameters is known by its size alone. In { $time_s } { $device } can pass at most { $most_tokens } tokens, at a peak of { $peak_flop_per_s } in { $precision } and { $flop_count } FLOP a parameter and token.
claim-size-without-tokens-remedy = Add them ("… on 300M tokens"), or describe the model in a config.json and ask --predict.
claim-size-step-without-tokens = The claim does not say how many tokens a step holds, and a model of { $model } parameters is known by its size alone. In { $time_s } { $device } can pass at most { $most_tokens } tokens, at a peak of { $peak_flop_per_s } in { $precision } and { $flop_count } FLOP a parameter and token.
claim-size-step-without-tokens-remedy = Add batch size and length: "… batch 4, length 2048".
claim-size-without-length = The claim is in samples a second and does not say how many tokens a sample has.
claim-size-without-length-remedy = Add it: "… at length 1024".
claim-mfu-expected = Plausible: a model FLOPs utilisation (MFU) of { $claimed_fraction } was claimed, and { $low_fraction } to { $high_fraction } are expected of { $model } on { $device }.
claim-mfu-above = Plausible only with better kernels, larger batches or another shape of model: a model FLOPs utilisation (MFU) of { $claimed_fraction } was claimed, and { $low_fraction } to { $high_fraction } are expected of { $model } on { $device }.
claim-mfu-below = Below what this program expects: a model FLOPs utilisation (MFU) of { $claimed_fraction } was claimed, and { $low_fraction } to { $high_fraction } are expected of { $model } on { $device }. Likely limited by small batches or short sequences, padding, the link between the cards, the loader, off-loading or attention without fused kernels.
claim-mfu-impossible = Impossible: a model FLOPs utilisation (MFU) of { $claimed_fraction } is more than the peak of any card, and no step computes its model faster than that.
claim-mfu-counted-otherwise = Such a figure comes of counting recomputed work too (that is HFU), or of dividing what was computed in FP8 by the peak of 16 bits.
claim-sized-like = A model that is named by its size alone is judged by traced models like it: { $like }.
claim-mfu-tokens = At { $flop_count } FLOP a parameter and token that share comes to { $claimed_rate } tokens a second on each { $device } (peak { $peak_flop_per_s }).
claim-mfu-of-rate = { $claimed_flop_per_s } a card is { $share_fraction } of the peak of { $device } in { $precision } ({ $peak_flop_per_s }). Where recomputed work was counted too (HFU), the model's own share is smaller.
claim-read-otherwise = What brought it is left open. { $taken ->
    [change] It is judged as { $after } on { $count } cards against as many without it; as { $count } cards against one it would be { $verdict }.
   *[cards] It is judged as { $count } cards against one; as { $after } on as many cards it would be { $verdict }, too.
}
claim-read-other-order = It is not said which of the two is meant to be ahead. It is judged as { $device } over { $other }; the other way round it would be { $verdict }.
claim-of-two-ratios = The claim tells two ratios, each judged by itself: { $each }.
claim-of-one-ratio = "{ $words }" is { $verdict }
claim-not-judged = not judged
claim-price-unjudged = The price that is told beside ("{ $price }") is not judged.
claim-left-out = Told and not looked at: { $words }. Where that decides, the verdict says nothing of it.
claim-other-quantity = The claim is about something else than the speed or memory of training: "{ $quantity }".
claim-other-quantity-remedy = Claims are judged of times, rates, speed-ups, memory and utilisation. What a training costs in money or energy, the advice for your workload says.
claim-figure-unread = The figure "{ $figure }" of the claim is not understood, and nothing else is judged in its place.
claim-figure-unread-remedy = Say what it is of, like "800 images/s", "120 ms a step", "2 hours for 3 epochs", "30 % faster" or "40 % MFU".
claim-only-over-tf32 = Plausible only where "FP32" was TF32: torch before 1.12 multiplies matrices so by default, today torch.backends.cuda.matmul.allow_tf32 or set_float32_matmul_precision("high") does.
claim-range-end = The claim tells a range, "{ $range }"; it is judged by that end of it which is nearest to what is expected, "{ $taken }".
claim-range-middle = The claim tells a range, "{ $range }", and what is expected lies between its ends; it is judged by its middle, "{ $taken }".
claim-corrected = "{ $denied }" is denied in the claim, or was only hoped for; it is judged by "{ $figure }".
claim-bound-most = Plausible: less than { $claimed_ratio } times was claimed, and { $expected_ratio } ({ $low_ratio } to { $high_ratio }) is expected.
claim-bound-least = Plausible: more than { $claimed_ratio } times was claimed, and { $expected_ratio } ({ $low_ratio } to { $high_ratio }) is expected.
claim-bound-not = Below what this program expects: less than { $claimed_ratio } times was claimed, and { $expected_ratio } ({ $low_ratio } to { $high_ratio }) is expected.
claim-bound-slower = Plausible: it is said to be slower, and { $expected_ratio } times the speed ({ $low_ratio } to { $high_ratio }) is expected.
claim-bound-faster = Plausible: it is said to be faster, and { $expected_ratio } times the speed ({ $low_ratio } to { $high_ratio }) is expected.
claim-bound-not-slower = Below what this program expects: it is said to be slower, and { $expected_ratio } times the speed ({ $low_ratio } to { $high_ratio }) is expected.
claim-bound-possible = Plausible: less than { $claimed_ratio } times was claimed, and { $most_ratio } times is the most there can be.
claim-order-denied = The claim denies that { $other } is the faster one; it is judged as { $device } being at least as fast.
claim-figure-denied = The claim denies the figure "{ $figure }" and tells none in its place.
claim-figure-denied-remedy = Say what it was instead, like "1.7x, not 2x".
claim-told-round = The claimed figure lies outside that range by less than such figures are rounded.
claim-utilisation-hardware = The claim is about hardware FLOPs utilisation (HFU), which counts recomputed work too: how much of it there was is not said, so that it says nothing of the speed.
claim-utilisation-hardware-remedy = Give the model FLOPs utilisation ("55 % MFU") or the tokens a second.
claim-utilisation-time = The claim is about the utilisation that a driver shows: the share of the time in which some kernel ran, whatever it computed. It says nothing of the speed.
claim-utilisation-time-remedy = Give the model FLOPs utilisation ("55 % MFU") or the samples a second.
claim-mixture = The claim is about a mixture of experts: how many of its parameters a token passes decides, and its name does not tell.
claim-mixture-remedy = Describe the model in a config.json and ask --predict.
claim-fits-only-with = Not as it is: { $model } on { $device } needs { $usual_bytes } a card at batch size { $batch } in { $precision }. It fits only { $way }: { $need_bytes } ({ $low_bytes } to { $high_bytes }) of { $capacity_bytes }.

## What a claim lacks
claim-understood = Understood: { $understood }.
claim-number-form = The figure `{ $figure }` is not written as one number, and no part of it is taken for the whole.
claim-number-form-remedy = Write one number with a decimal point: 12.5 ms, 1400 images/s, 0.5 hours.
claim-number-negative = A figure of the claim is zero or below, which no time, rate or ratio can be.
claim-number-negative-remedy = Write the figure as it was measured, without a minus.
claim-card-hours = The claim counts hours of cards, { $total_s } of one, and does not say how many tokens they trained on.
claim-card-hours-remedy = Say it like "Llama 2 7B on 2T tokens took 184,320 A100 hours", or name the cards and the time.
claim-number-beyond = A number of the claim is beyond anything that could be timed.
claim-number-beyond-remedy = Write it with fewer digits.
claim-too-long = The claim has { $length } characters; { $most } are read.
claim-too-long-remedy = Shorten it to the sentence with card, model and figure.
claim-without-figure = The claim names no time, rate or ratio that could be checked.
claim-without-figure-remedy = Say it like "ResNet-50 at 800 images/s on one V100", "2 GPUs made it 1.8 times faster" or "3 hours became 52 minutes with 2 GPUs".
claim-without-degree = The claim says faster or slower, but not by how much: it names no time, rate or ratio that could be checked.
claim-without-degree-remedy = Add the figure: "1.5 times as fast", "30 % slower", or the times before and after.
claim-cards-not-compared = The claim names two cards without comparing them.
claim-cards-not-compared-remedy = Say "an RTX 4090 is 2 times as fast as an A100", or check one card at a time.
claim-cards-not-predicted = The claim compares two cards, and no model could be predicted on both.
claim-cards-not-predicted-remedy = Name a bundled workload in the claim, or check that torch is installed so that models can be traced.
claim-change-not-predicted = Both { $after } and { $before } could not be predicted on { $device }: of the models that it is judged by no trace holds both.
claim-change-not-predicted-remedy = Name a bundled workload and a card that has both, or check that torch is installed so that models can be traced.
claim-saves-all-memory = The claim saves all of the memory, or more than there was.
claim-saves-all-memory-remedy = Say what is left of it ("a quarter of the memory"), or how much less ("60 % less memory").
claim-memory-without-change = The claim is about memory and names no change that can be judged (precision, adapters, attention, checkpointing, 8-bit states, sharding, batch size).
claim-memory-without-change-remedy = Say it like "QLoRA needs a quarter of the memory of LoRA" or "gradient checkpointing halves the memory".
claim-saved-without-model = How many bytes a change saves follows from the model (and its batch), and the claim names none that is known here.
claim-saved-without-model-remedy = Name one ("8-bit Adam saved 40 GB on Llama 8B"), or claim a share ("30 % less memory").
claim-changes-joined = The claim gives one figure to two changes ("{ $first }" and "{ $other }"), and what each of them brings differs.
claim-changes-joined-remedy = Claim one change at a time; what several bring together, the advice for your workload says under "What would help".
claim-memory-of-a-part = The claim is about a part of the memory (the optimizer's, the gradients', the weights'), and what is predicted is all that a card holds at once.
claim-memory-of-a-part-remedy = Say what is left of the whole ("8-bit Adam needs 30 % less memory"), or how many bytes were saved of which model.
claim-strategies-without-count = The claim compares two ways of sharing the work and does not say on how many cards.
claim-strategies-without-count-remedy = Add their number: "DDP is 1.3 times as fast as DataParallel on 4 A100".
claim-strategy-unpredicted = No claim is judged with { $strategy }: it is not predicted, and not taken for another strategy.
claim-strategy-unpredicted-remedy = Name DataParallel, DDP, ZeRO-2 or FSDP (ZeRO-3), if that is what was used.
claim-without-length = The claim is in tokens a second and names no sequence length.
claim-without-length-remedy = Add it: "… at length 1024".
claim-other-model-like = { $model } is not bundled; it is judged by { $like }, and the range holds them all.
claim-model-not-bundled = The claim is about { $model }, which is not bundled, and no other model's times are taken for its own.
claim-model-not-bundled-remedy = Give its workload file (from its config.json, hub id or Python file) as `workload` in a claim file, predict it with advisor --predict, or claim it of a bundled model (BERT-base, ResNet-50, GPT-2, ViT-B, Llama 8B …).
claim-without-model = The claim names no model that is known here.
claim-without-model-remedy = Name one (BERT-base, ResNet-50, GPT-2, ViT-B …) or its size (7B), or give `workload` in a claim file.
claim-without-card = The claim names no GPU.
claim-without-card-remedy = Name the card it was timed on, for example "on one RTX 3090".
claim-without-batches = The claim is about a larger batch and does not say from how many samples to how many: a small one gains much, a large one nothing.
claim-without-batches-remedy = Say model, card and both: "ResNet-50 at batch 64 is 1.3 times as fast as at batch 32 on one RTX 4090".
claim-change-unjudged = The claim is about what "{ $change }" brings, of which no speed-up is predicted here.
claim-change-unjudged-remedy = Claims are judged of cards and their number, precision, batch size, torch.compile, strategies, adapters, attention, checkpointing, channels last, fused and 8-bit optimizers, NVLink. What a loader costs, --measure times.
claim-same-cards = As many cards of the same kind stand on both sides of the claim, and nothing is named between them that a claim can be judged by.
claim-same-cards-remedy = Say what was changed: precision, batch size, torch.compile, a strategy, adapters, attention, checkpointing, channels last, the optimizer.
claim-card-without-nvlink = { $device } has no NVLink, neither built in nor by a bridge.
claim-card-without-nvlink-remedy = Claim it of cards that have one, such as 2 RTX 3090 or 8 A100.
claim-nodes-uncounted = The claim holds several machines against one ("{ $nodes }") and does not say how many cards each of them has.
claim-nodes-uncounted-remedy = Say it like "2 nodes of 8 H100 are 1.8 times as fast as one node".
claim-against-cpu = The claim holds a GPU against a CPU, and no CPU is predicted by its name: what one reaches hangs on its cores, memory and libraries.
claim-against-cpu-remedy = --measure times your workload on this machine's CPU and GPUs, and says from which batch size on a GPU is worth it.
claim-layout-without-pictures = The channels-last layout is for convolutions of pictures, and the claim's model has none: it is neither faster nor slower with it.
claim-layout-without-pictures-remedy = Claim it of a model of pictures, such as ResNet-50 or U-Net.
claim-without-count = The claim is about a speed-up and does not say by how many GPUs, or over which card.
claim-without-count-remedy = Say it like "4 GPUs made it 3.2 times faster" or "an RTX 4090 is 2 times as fast as an A100".
claim-card-lacks-precision = { $device } has no units for { $precision }: torch computes it there by way of another precision, if at all, and no data sheet tells how fast, so no time in it is judged.
claim-card-lacks-precision-remedy = Name a precision that the card computes in, such as FP16 AMP or FP32.
claim-double-precision = The claim is about FP64 (double precision), in which this program predicts nothing.
claim-double-precision-remedy = Compare the FP64 rates of the data sheets: cards for games mostly have a 32nd or a 64th of their FP32 rate.
claim-without-trace = No trace of { $model } as it is claimed could be made or is kept here, so that nothing is predicted for it on { $device }.
claim-without-trace-remedy = Check that torch is installed so that models can be traced, and the claim's length or picture size.
claim-without-memory = How much memory a step of { $model } holds on { $device } could not be predicted: the replay of the allocator has no figures of this card or model.
claim-without-memory-remedy = Claim a time or a rate instead, or measure the step with --measure.
claim-all-variants = Which { $card } is meant is not said; all of them are looked at: { $names }.
claim-unknown-card = The claim names the card { $card }, which is not in the spec table. The nearest names there are { $nearest }; none of them is taken in its place.
claim-unknown-card-alone = The claim names the card { $card }, which is not in the spec table, and no name there is like it.
claim-unknown-card-remedy = See `advisor --list`; or describe the card with --gpu-file and name it by its key in --claim-file.
claim-no-figure = The claim holds no time and no rate.
claim-no-figure-remedy = Give step_s, samples_per_s, epoch_s or job_s.
claim-nothing-to-check = { $path }: { $place }: there is nothing to check.
claim-nothing-to-check-remedy = Give text, or one of step_s, samples_per_s, epoch_s, job_s, speed_up_ratio and fits.
claim-card-unlisted = The claim's GPU { $gpu } is not in the spec table.
claim-card-unlisted-remedy = Use a key that `advisor --list` shows, or add the card with --gpu-file.
