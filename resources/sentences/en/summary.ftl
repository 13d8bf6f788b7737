## The summary that terminal, Markdown and clipboard share
summary-title = Advice for { $workload }
summary-nothing = No set-up could be recommended; the caveats below say why.
summary-set-up-one = { $mode ->
        [inference] Run inference
        [forward_backward] Run forward and backward
       *[training] Train
    } on { $device }{ $kind ->
       *[single] { "" }
        [fsdp_offload] , { $strategy }
    }, batch size { $batch }, { $precision }, one device{ $accumulation ->
        [1] { "" }
       *[other] , accumulating { $accumulation } micro-batches
    }{ $added ->
       *[nothing] { "" }
        [fused_optimizer] , with the fused optimizer
        [checkpointing] , with activation checkpointing
        [chunked_loss] , with the loss in chunks
        [fused_optimizer_checkpointing] , with the fused optimizer and activation checkpointing
        [fused_optimizer_chunked_loss] , with the fused optimizer and the loss in chunks
        [checkpointing_chunked_loss] , with activation checkpointing and the loss in chunks
        [fused_optimizer_checkpointing_chunked_loss] , with the fused optimizer, activation checkpointing and the loss in chunks
    }.
summary-set-up-many = { $mode ->
        [inference] Run inference
        [forward_backward] Run forward and backward
       *[training] Train
    } on { $devices } × { $device }{ $machines ->
        [1] { "" }
       *[other] {" "}in { $machines } machines
    } with { $strategy }, batch size { $batch } per device, { $precision }{ $accumulation ->
        [1] { "" }
       *[other] , accumulating { $accumulation } micro-batches
    }{ $added ->
       *[nothing] { "" }
        [fused_optimizer] , with the fused optimizer
        [checkpointing] , with activation checkpointing
        [chunked_loss] , with the loss in chunks
        [fused_optimizer_checkpointing] , with the fused optimizer and activation checkpointing
        [fused_optimizer_chunked_loss] , with the fused optimizer and the loss in chunks
        [checkpointing_chunked_loss] , with activation checkpointing and the loss in chunks
        [fused_optimizer_checkpointing_chunked_loss] , with the fused optimizer, activation checkpointing and the loss in chunks
    }.
summary-why = Why
summary-also = Also worth knowing
summary-here = On this machine as it is
summary-change = What would change this
summary-caveats = Beware
summary-step = One step
summary-job = Whole job
summary-job-inference = All samples once
summary-rate = Samples
summary-memory = Peak memory of a device
summary-cost = Cost of the job
summary-asked = Asked for
asked-cost = least cost
asked-energy = least energy
asked-hours = within { $hours } h
asked-most-cost = for at most { $limit }
asked-power = at most { $limit_w } for all cards
asked-prices = prices of { $date } in { $currency }
asked-host = { $memory_bytes } of memory in each host
asked-link = { $link } between the cards
summary-switched-on = Switched on
summary-tied = No clear difference to
summary-tied-more = { $count } more
summary-parameters = Parameters
summary-flop = Forward and backward of one sample
summary-flop-inference = Forward pass of one sample
summary-devices = Best set-up of each device at { $precision }, ranges 80 %
summary-devices-own = Best set-up of each device at { $precision }, or at the precision that stands in for it where a device lacks that or the room for it; ranges 80 %
summary-measured = Measured here (95 % interval of the median)
column-device = Device
column-count = Count
column-strategy = Strategy
column-precision = Precision
column-batch = Batch
column-step = Step
column-range = 80 % range
column-epoch = Epoch
column-job = Job
column-memory = Memory
column-fits = Fits
column-basis = Basis
column-median = Median
column-interval = Interval
column-samples = Samples
column-verdict = Verdict
unknown = unknown
yes = yes
no = no
basis-measured = measured
basis-calibrated = calibrated
basis-specified = spec sheet
strategy-single = single
strategy-dp = DataParallel
strategy-ddp = DistributedDataParallel
strategy-zero2 = ZeRO-2
strategy-fsdp = FSDP
strategy-fsdp-offload = FSDP with CPU off-load
strategy-tp = tensor parallel
table-rewritten = { $name } (rewrite)
strategy-pp = pipeline parallel
column-key = Key
column-name = Name
column-optimizer = Optimizer
column-fp32 = FP32
column-tf32 = TF32
column-fp16 = FP16 tensor
column-bandwidth = Bandwidth
list-workloads = Bundled workloads
list-gpus = GPUs of the spec table (dense rates, FP32 accumulation)
claim-verdict = Verdict
summary-log = Where the time of the log goes
summary-more = { $sentences ->
        [0] { "" }
        [1] 1 more remark
       *[other] { $sentences } more remarks
    }{ $both ->
        [1] { " and " }
       *[other] { "" }
    }{ $rows ->
        [0] { "" }
        [1] 1 more row
       *[other] { $rows } more rows
    }: --details
summary-not-here = This machine is not compared: no NVIDIA driver; a CPU needs --measure.
summary-best-rows = The best set-ups, the advised one first
summary-own-precisions = { $title }; { $marks }
summary-own-mark = { $mark } { $parts }
summary-in-precision = in { $precision }
summary-with-added = with { $added }
summary-without-added = without { $added }
summary-nearest-rows = Nothing fits; what each lacks least
summary-over-limits = { $title }; { $mark }: over a limit that was given, or not known to keep it
memory-of = { $need } of { $room }
memory-of-too-much = { $need } > { $room }
memory-of-host-short = { $need }, host too small
switch-compile = torch.compile
switch-flash = flash attention (its kernels are installed apart)
switch-sdpa = fused attention (SDPA)
switch-half = 16-bit autocast (BF16 where the card has it)
switch-fp8 = FP8 products
switch-channels-last = channels last
switch-fused-optimizer = fused optimizer
switch-optimizer-8bit = 8-bit optimizer states
switch-checkpointing = activation checkpointing
switch-chunked-loss = loss in chunks
switch-fused-layers = fused layers (Liger kernels)
switch-unpacked-half = norms beside quantised weights in 16 bits
switch-lora = LoRA
switch-qlora = QLoRA (4-bit weights)
switch-optimizer-8bit-on-cards = 8-bit optimizer states
switch-optimizer-8bit-checkpointing = 8-bit optimizer states and activation checkpointing
switch-half-weights = weights in 16 bits
switch-quantised-weights = weights in 4 bits (nf4)
switch-lora-checkpointing = LoRA and activation checkpointing
switch-qlora-checkpointing = QLoRA (4-bit weights) and activation checkpointing
switch-checkpointing-on-cards = activation checkpointing and nothing off-loaded
switch-nothing-off-loaded = nothing off-loaded
switch-larger-cards = larger or more cards
switch-accumulation = accumulating 4 micro-batches
switch-sharding-cast = sharding (FSDP, layers on 16-bit weights)
switch-sharding = sharding (FSDP)
switch-pure-half = weights in BF16 too (--precision bf16_true; small updates may be rounded away)
switch-padded-vocabulary = vocabulary padded to 64
summary-switches = What each switch would bring here
column-switch = Switch
column-on = On
column-times = Times as fast
column-gain-range = 80 % range
column-saved = Memory saved
column-need = Memory
column-published = Published pairs
published-card = { $ratio } ({ $low } – { $high }, { $count } pairs, this card)
published-others = { $ratio } ({ $low } – { $high }, { $count } pairs, other cards)
published-against = : not borne out
published-none = none
summary-help = What would help
help-adapter = With { $name } one { $device } holds a step (batch { $batch }{ $steps ->
        [1] { "" }
       *[other] { " × " }{ $steps }
    }{ $precision ->
        [unknown] { "" }
       *[other] { " in " }{ $precision }
    }): { $step_s }, { $need_bytes }{ $trained ->
        [added] ; only adapters of rank { $rank } on all linear layers are trained.
        [adapters] ; only the adapters are trained.
       *[nothing] .
    }
help-adapter-cards = With { $name } { $count } × { $device } hold a step ({ $strategy }, batch { $batch } a card{ $steps ->
        [1] { "" }
       *[other] { " × " }{ $steps }
    }{ $precision ->
        [unknown] { "" }
       *[other] { " in " }{ $precision }
    }): { $step_s }, { $need_bytes } a card{ $trained ->
        [added] ; only adapters of rank { $rank } on all linear layers are trained.
        [adapters] ; only the adapters are trained.
       *[nothing] .
    }
help-checkpointing-card = With activation checkpointing (full) one { $device } holds all of it (batch size { $batch }{ $precision ->
        [unknown] { "" }
       *[other] { " in " }{ $precision }
    }{ $steps ->
        [1] { "" }
       *[other] , accumulating { $steps } micro-batches
    }): { $step_s } a step in { $need_bytes }.
help-checkpointing-cards = With activation checkpointing (full) { $count } × { $device } hold all of it ({ $strategy }, batch size { $batch } a card{ $precision ->
        [unknown] { "" }
       *[other] { " in " }{ $precision }
    }{ $steps ->
        [1] { "" }
       *[other] , accumulating { $steps } micro-batches
    }): { $step_s } a step in { $need_bytes } a card.
help-states-card = With { $name } one { $device } holds all of it (batch size { $batch }{ $precision ->
        [unknown] { "" }
       *[other] { " in " }{ $precision }
    }{ $steps ->
        [1] { "" }
       *[other] , accumulating { $steps } micro-batches
    }): { $step_s } a step in { $need_bytes }.
help-states-cards = With { $name } { $count } × { $device } hold all of it ({ $strategy }, batch size { $batch } a card{ $precision ->
        [unknown] { "" }
       *[other] { " in " }{ $precision }
    }{ $steps ->
        [1] { "" }
       *[other] , accumulating { $steps } micro-batches
    }): { $step_s } a step in { $need_bytes } a card.
help-larger-card = One { $device } holds all of it (batch size { $batch }{ $precision ->
        [unknown] { "" }
       *[other] { " in " }{ $precision }
    }{ $steps ->
        [1] { "" }
       *[other] , accumulating { $steps } micro-batches
    }): { $step_s } a step in { $need_bytes }.
help-larger-cards = Not fewer than { $count } × { $device } hold all of it, sharded ({ $strategy }, batch size { $batch } a card{ $precision ->
        [unknown] { "" }
       *[other] { " in " }{ $precision }
    }{ $steps ->
        [1] { "" }
       *[other] , accumulating { $steps } micro-batches
    }): { $step_s } a step in { $need_bytes } a card.
help-split-code = { $name } and layers split over the cards (other code of the model)
help-job = Job: { $job_s }.
help-room = With { $name } a step would need { $need_bytes } (at most { $high_bytes }), at { $gain_ratio } times the speed.
help-switch-open = With { $name } it would likely be { $gain_ratio } times as fast, but may be no faster (between { $low_ratio } and { $high_ratio }).
help-switch = With { $name } it would be { $gain_ratio } times as fast (between { $low_ratio } and { $high_ratio }).
summary-other-rows = Nothing is advised; what comes nearest on each card
switched-qlora = QLoRA
switched-head = the head alone is trained
switched-checkpointing-selective = selective activation checkpointing
switched-attention-eager = eager attention
switched-attention-flash = flash attention
switched-optimizer-in-backward = optimizer steps within backward
switched-quantised = weights in { $stored }
switched-offload = { $what ->
        [activations] activations
        [optimizer] optimizer states
       *[parameters] parameters
    } kept in host memory
claim-read = Read as
claim-read-against = { $one } against { $other }
claim-read-step-s = { $step_s } a step
claim-read-samples-per-s = { $samples_rate } samples a second{ $each ->
        [each] {" "}a card
       *[all] { "" }
    }
claim-read-tokens-per-s = { $tokens_rate } tokens a second{ $each ->
        [each] {" "}a card
       *[all] { "" }
    }
claim-read-epoch-s = an epoch in { $epoch_s }
claim-read-job-s = the training in { $job_s }
claim-read-speed-up-ratio = { $told ->
        [slower] slower
        [faster] faster
        [most] at most { $speed_ratio } times as fast
        [least] at least { $speed_ratio } times as fast
       *[exact] { $speed_ratio } times as fast
    }
claim-read-ratio-of-tokens = in tokens a second
claim-read-memory-ratio = { $memory_fraction } of the memory
claim-read-saved-bytes = { $saved_bytes } of memory saved
claim-read-memory-bytes = { $memory_bytes } of memory needed
claim-read-mfu-fraction = { $mfu_fraction } of the peak
claim-read-flop-per-s = { $tflop } TFLOP/s{ $each ->
        [each] {" "}a card
       *[all] { "" }
    }
claim-read-fits = fits
claim-read-fits-not = does not fit
claim-read-faster = faster
claim-read-faster-not = no faster
claim-read-parameters = { $parameters } parameters
claim-read-batch-size = batch { $count }
claim-read-length-ratio = texts { $length_ratio } times as long
claim-read-compiled-now = torch.compile against none
claim-read-batch-ratio = { $batch_ratio } times the batch
claim-read-sequence-length = { $count } tokens a text
claim-read-image-size = { $count } pixels a side
claim-read-weights-bits = weights in { $count } bits
claim-read-switched = with { $name } against without
claim-read-tuning = { $what ->
        [lora] LoRA
        [qlora] QLoRA
       *[full] full fine-tuning
    }
claim-read-attention = { $what ->
        [flash] flash attention
        [eager] eager attention
       *[sdpa] fused attention (SDPA)
    }
claim-read-activation-checkpointing = { $what ->
        [full] activation checkpointing
        [selective] selective activation checkpointing
       *[none] no activation checkpointing
    }
claim-read-trainable = { $what ->
        [lora] LoRA
        [head] the head alone is trained
       *[all] all weights are trained
    }
claim-read-trained-tokens = { $passed } tokens in all
claim-read-trained-samples = { $passed } samples in all
claim-read-interconnect = linked: { $words }
claim-read-offload = { $on ->
        [yes] with off-loading
       *[no] nothing off-loaded
    }
claim-read-channels-last = { $on ->
        [yes] channels last
       *[no] not channels last
    }
claim-read-compile = { $on ->
        [yes] torch.compile
       *[no] without torch.compile
    }
