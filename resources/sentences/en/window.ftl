## The window: frame and menus
window-title = Advisor
window-navigation = Pages
window-unknown = unknown
window-this-machine = This machine
window-now = now
window-close = Close
window-cancel = Cancel
window-copy = Copy
window-copied = Copied to the clipboard.
window-browse = Browse…
window-script-saved = Saved to { $path }; the command that runs it is on the clipboard.
window-saved = Saved to { $path }
window-dropped-several = Of { $count } dropped files only the first is opened, { $path }; drop the others one at a time.
page-machine = Machine
page-model = Model
page-measure = Measure
page-advice = Advice
page-compare = Compare
page-cases = Cases
page-history = History
menu-file = &File
menu-edit = &Edit
menu-undo = Undo
menu-redo = Redo
menu-advice = &Advice
menu-view = &View
menu-help = &Help
menu-open = Open…
menu-recent = Open recent
menu-recent-empty = Nothing opened yet
menu-save-json = Save advice as JSON…
menu-export-pdf = Export PDF report…
menu-export-csv = Export candidates as CSV…
menu-export-markdown = Export as Markdown…
menu-save-script = Save launch script…
menu-settings = Settings…
menu-quit = Quit
menu-measure = Measure and advise
menu-predict = Predict without measuring
menu-cancel = Cancel measurement
menu-copy-text = Copy advice as text
menu-copy-command = Copy launch command
menu-zoom-in = Larger letters
menu-zoom-out = Smaller letters
menu-zoom-usual = Usual letters
menu-tip = Explain what has the focus
menu-language = Language
menu-scheme = Colours
menu-report-problem = Report a problem…
menu-about = About Advisor
scheme-system = As the system
scheme-light = Light
scheme-dark = Dark
open-other = { $path } cannot be opened.
open-other-remedy = Open a .toml workload, file of GPUs or of prices, a config.json, a .py model, a saved .json advice, or a training log (.log, .txt, .out, .csv, .jsonl).
open-filter = Workloads, models, saved advice, GPUs and prices
open-logs = Training logs
open-cards = Compared with from now on: { $names }.
open-prices = From now on costs are told by { $path }: { $currency } of { $date }, { $count ->
    [1] one device
   *[other] { $count } devices
}.
document-page = Documentation
document-missing = { $path } did not come with this installation. The source of the program has it in its folder docs.
open-reading = Opening { $path } …
qt-look-in = &Look in:
qt-files-of-type = Files of &type:
qt-folder = Folder
qt-file = File
qt-drive = Drive
qt-size = Size

## What stands in the window for a flag of the command line
flag-allow-code = the window asks
flag-allow-hub = "May fetch config.json from the hub"
flag-budget = "Seconds to measure"
flag-checkpointing = the command line
flag-claim-file = the command line
flag-counts = the command line
flag-critical-batch = the command line
flag-details = the report
flag-detect = the Machine page
flag-device = the command line
flag-gpu-file = "My card is not here"
flag-gpus = "GPUs to compare"
flag-host-memory = the command line
flag-interconnect = the command line
flag-json = "Save advice as JSON"
flag-list = the search for GPUs
flag-log = "Open a log…" on the page "Cases"
flag-measure = "Measure and advise"
flag-no-history = an empty data folder
flag-precision = "Precision"
flag-predict = "Predict without measuring"
flag-prices = "Price/h" on the page "Compare"
flag-sequence-length = "Sequence length"
flag-strategies = the command line
flag-verify = "Verify here for a minute"

## Dialogs
problem-title = That did not work
problem-bug = A fault of this program
problem-bug-remedy = This is our fault. Help › Report a problem shows what to send.
problem-log = Log
consent-title = Run this Python file?
consent-question = Describing this model runs a Python file. Do you trust it?
consent-warning = The file runs in a separate process with a time limit and without your tokens and keys, but this is no sandbox: it can do whatever you can do.
consent-allow = Run it
consent-refuse = Do not run
about-purpose = Which device, batch size, precision and parallel strategy should this PyTorch model be trained with, how long will it take, and why?
about-licence = Advisor is licensed under Apache-2.0. It stands on these works:
about-missing = not installed
about-qt = PySide6 is used unmodified under the LGPL-3.0 and can be replaced by another build of the same version.
report-problem-explained = This describes the machine as it was found. User name, host name, home folder and device identifiers are left out. Nothing is sent: copy it into your report.
settings-title = Settings
settings-save = Save
settings-language = Language
settings-scheme = Colours
settings-units = Memory units
settings-goal = Goal
settings-budget = Seconds to measure
settings-max-cost = Highest cost of the job
settings-max-power = Highest power (W)
settings-max-hours = Longest job (hours)
settings-currency = Currency
settings-prices = Price file
settings-data-folder = Data folder
settings-no-limit = no limit
settings-usual = the usual one
settings-none = none
settings-above-zero = above 0, at most { $range }
settings-no-file = there is no such file
settings-no-folder = a file stands there
goal-time = least time
goal-cost = least cost
goal-energy = least energy

## Machine
start-title = What shall be trained?
start-model = Model and data
start-edit = Change it
start-drop = or drop a file here
start-gpus = GPUs to compare
start-most = How many GPUs of a kind
start-most-of = { $count ->
    [1] one of each
   *[other] up to { $count } of each
}
start-most-each = a number for each
start-most-tip = How many cards of one kind you have or would buy: the advice takes no more. "a number for each" compares so many of one card with so many of another.
start-measure = Measure and advise (about { $seconds } s)
start-edited = { $name } (changed)
start-last = { $name } · { $when }
start-last-set-up = Last advice: { $name }
gpus-search = Search the table of GPUs
gpus-search-count = Search { $count } GPUs, as rtx 3090, or set-ups, as 2x rtx 3090
gpus-count-of = How many of { $name }: { $count }
gpus-own = My card is not here
gpus-mine = Change mine…
gpus-usual = The usual ones
gpus-remove = Do not compare with { $name }
gpus-only = { $name }: one GPU at least is compared
gpus-none-fits = No GPU of the table is called "{ $typed }". Yours can be described: "My card is not here".
own-title = My card is not here
own-change-title = Figures of a card of mine
own-explained = Figures from the card's data sheet: dense rates, without sparsity. They are kept in a file of yours (one that you have already is opened as any other file); what rests on them is marked "spec sheet".
own-name = Name
own-memory-bytes = Memory
own-memory-bandwidth-bytes-per-s = Memory bandwidth
own-boost-clock-hz = Boost clock
own-fp32-flop-per-s = FP32
own-tf32-flop-per-s = TF32 tensor or matrix
own-fp16-flop-per-s = FP16 tensor or matrix
own-bf16-flop-per-s = BF16 tensor or matrix
own-power-w = Board power
own-compute-capability = Compute capability, or AMD's target
own-sm-count = SMs, or AMD's compute units
own-source = Source
own-no-capability = two numbers with a point between them, such as 8.9; of AMD's cards a target such as gfx90a
own-delete = Delete this card…
own-delete-question = Delete { $name } from your cards? Saved advice keeps its figures.
own-taken = A card of yours is called { $name } already. Change that one, or choose another name.
machine-looking = Looking at the hardware …
machine-looking-short = Looking …
machine-failed = The machine could not be looked at. Press "Look again"; the advice can still be predicted for cards of the spec table.
machine-refresh = Look again
machine-cpu = CPU
machine-cpu-and-ram = CPU and RAM
machine-gpus-short = { $count ->
    [one] 1 GPU
   *[other] { $count } GPUs
  }
machine-no-gpu-short = no GPU
machine-driver = driver { $version }
machine-no-driver = no GPU driver
machine-no-torch = torch is not installed
machine-cores = { $usable } of { $logical }
machine-fact-cores = Cores
machine-fact-clock = Clock
machine-spec-unknown = none: measure it
machine-memory = { $free } free of { $total }
machine-memory-total = { $total }, free memory unknown
machine-unusable = not usable
machine-lost = lost

## Live plots
plot-utilisation = Utilisation
plot-memory = Memory
plot-video-memory = Video memory
plot-video-memory-tip = Share of each card's own memory that is in use.
plot-host-memory = Host memory
plot-rows = All GPUs, a row each
plot-no-processes = no process
plot-power = Power
plot-clock = Clock
plot-temperature = Temperature
plot-pressure = Waiting for a core
plot-utilisation-tip = GPU utilisation is the share of time with any kernel running, averaged over 1/6 to 1 s: 90 % can still be idle silicon.
plot-pressure-tip = Share of time in which some task waited for a CPU core. Above 5 % a measurement is disturbed.
plot-legend-tip = Show or hide { $name }
plot-zoom = Show the last { $minutes ->
    [one] minute
   *[other] { $minutes } minutes
  }
plot-pause = Pause
plot-resume = Resume
plot-export = Export

## Advice
advice-tied = No clear difference to { $devices }.
advice-none-yet = Nothing has been advised yet
advice-empty-title = No advice yet
advice-empty-text = Describe your model, then measure it here for half a minute, or predict without measuring. A saved advice can be opened too.
advice-copy-command = Copy launch command
advice-export = Export PDF
advice-from-measured = { $count ->
    [one] measured on 1 device
   *[other] measured on { $count } devices
  }
advice-from-predicted = predicted, nothing measured
advice-setups = { $count } set-ups compared
advice-best-of-all = Best of all
advice-on-this-machine = On this machine
advice-other-local = Here: { $set_up }
advice-other-all = Best of all: { $set_up }
advice-run-on = { $mode ->
    [inference] Run inference on
    [forward_backward] Run forward and backward on
   *[training] Train on
  } { $count ->
    [one] one { $device }
   *[other] { $count } × { $device }
  }
advice-batch-short = batch { $batch } per device
advice-machines = { $count } machines
advice-global-batch = global batch { $batch }
advice-accumulation = accumulate { $steps }
advice-threads = { $count ->
    [one] 1 thread
   *[other] { $count } threads
  }
advice-job = Whole job
advice-step = One step
advice-rate = Throughput
advice-memory = Peak memory
advice-cost = Cost
advice-energy = Energy
advice-epochs = { $count ->
    [one] { $count } epoch
   *[other] { $count } epochs
}
advice-of-usable = of { $size } usable
advice-usable = A step can take { $size }
advice-basis-tip = Under each figure stands its 80 % range. Measured: timed here. Calibrated: parts were timed here. Spec sheet: published figures only.
picture-click = Click a row for its figures.
picture-figures = Figures of { $set_up }
picture-back = Back to the advice
picture-compare = In Compare
advice-measure-again = Measure again
advice-prices-typed = The costs follow the prices typed into Compare; neither the advice nor a file that is exported of it weighs them yet.
advice-weigh-prices = Advise with them
advice-more = { $count } more
advice-fewer = Fewer
switches-note = Each is predicted for the advised set-up alone, from the spec sheet. Several at once are multiplied as if none acted on another.
switches-job = with these: { $time }
advice-batch-title = Throughput by batch size
advice-crossover-title = CPU or GPU
advice-memory-title = Memory by batch size
advice-memory-mark = The mark is what a step can take: { $size }.
advice-strategy-title = Strategies at this batch
advice-split-title = Where the time goes
advice-does-not-fit = does not fit
advice-hollow = Filled points were measured, hollow ones predicted.
advice-tip-over-limits = Over a limit that was given, or not known to keep it
advice-tip-batch = batch { $batch } per device{ $steps ->
    [1] { "" }
   *[other] { ", " }gradients of { $steps } batches accumulated
}, global batch { $total }
advice-wall-part = { $kind } takes { $share_fraction } of the job
axis-batch = batch size per device
axis-samples-per-s = samples/s
rate-of-samples = { $rate } samples/s
axis-step = time of a step
mark-advised = advised { $batch }
mark-knee = knee { $batch }
mark-limit = fits up to { $batch }
mark-crossover = from { $batch }
wall-part-training = Training
wall-part-validation = Validation
wall-part-loss-reads = Reading the loss
wall-part-loader = The loader
wall-part-copy = Copies between host and device
wall-part-launch = Launching kernels
wall-part-communication = Communication
advice-batch-row = batch { $batch }
watch-phase-batch = { $device } · batch { $batch }
machine-spec = spec row { $key }
machine-link-unknown = link unknown
machine-no-vectors = no vector instructions known
machine-fact-waiting = Wait

## Compare
compare-subtitle = Every device at the chosen precision, batch size and number of cards, with its 80 % range
compare-empty-title = Nothing to compare yet
compare-empty-text = An advice, measured or predicted, compares this machine with the cards of the spec table.
compare-batch = Batch
compare-count = Count
compare-as-asked = as asked
compare-own-batch = Each set-up has the batch size that is best for it.
compare-goal = Goal
compare-bars-title = Ranking
compare-order-title = How precision turns the order
compare-table-title = Set-ups
compare-filter = Filter, such as "4090 ddp"
compare-all = All set-ups
compare-rows = { $shown } of { $total }
compare-none-match = No set-up matches the filter and what is ticked beside it.
compare-fitting = Only what fits
compare-columns = Columns
compare-export = Export CSV
compare-reset = Reset
compare-reset-tip = Back to the switches, ticks, columns and prices that the advice came with. A dot marks what is not as it was.
compare-table-help = Ticked rows are drawn above. Space ticks a row and P pins it to the top; a double click or F2 changes a price.
compare-tick = Draw above
compare-untick = Do not draw above
compare-pin = Pin to the top
compare-unpin = Unpin
compare-set-price = Price of an hour…
compare-tick-tip = Draw this set-up in the ranking and the order by precision
compare-pin-tip = Keep this row at the top in every order
compare-prices-kept = The prices marked with a dot were typed in { $currency } and are kept as of { $date }; the reset above forgets them.
compare-price = Price/h
compare-price-tip = Price of an hour of one device. Double click or F2 changes it; an empty price is the one it had. The currency is chosen in the settings.
compare-price-refused = "{ $typed }" is no price of an hour: { $reason }.
compare-more-bars = The first { $shown } of { $total } ticked set-ups are drawn.
compare-rate = Samples/s
compare-tie-tip = No clear difference: their ranges touch
compare-tie-note = A bracket joins set-ups whose difference is not clear.
compare-bars-note = The blue bar is the advised device; of the others, strong bars were measured here and faint ones are predicted.
compare-none-ticked = No set-up is ticked: tick one in the table to see it here.
compare-disturbed-note = A hatched bar: the measurement was disturbed.
compare-over-limits-note = { $mark }: over a limit that was given, or not known to keep it.
compare-beyond-data = Left out, as a step of them takes more samples than there are ({ $samples }): { $count } of the set-ups that were predicted.
compare-unit-time = samples/s, more is better
compare-unit-cost = cost of the job, less is better
compare-unit-energy = energy of the job, less is better

## Measure
job-busy-tip = A job is running: its progress is at the left below.
job-next = Starts as soon as the job that is being cancelled has ended.
job-ready = Advice ready
job-ready-below = Show it
job-verified = Verified
job-verified-below = Show the comparison
job-failed = Not finished
job-cancelled = Cancelled
watch-percent = { $percent } % done
watch-cancelled-early = Cancelled before a step was timed.
watch-predicted-only = The advice is made without what this worker would still have measured.
watch-cancel = Cancel
watch-progress = Progress of the measurement
watch-median = Median step
watch-rate = Throughput
watch-memory = Peak memory
watch-verdict = Verdict
watch-memory-below = of the newest batch size
watch-blocks = { $count ->
    [one] 1 group of steps
   *[other] { $count } groups of steps
  }
watch-table-title = Step times by device and batch size
watch-steps-title = Step time
watch-steps-waiting = waiting for the first step
watch-steps-unit = as it comes, logarithmic
watch-explained = "Measure and advise" times what each device can do, then trains your model on it at several batch sizes, as many as the time in the settings allows. It runs in a process of its own; this window only watches. Close what keeps the machine busy, or the verdict will say that the run was disturbed.
watch-no-workload = no model described yet
watch-starting = starting
watch-cancelling = cancelling …
watch-left = about { $left } left
watch-late = takes longer than foreseen
watch-done = { $count ->
    [one] 1 batch size measured
   *[other] { $count } batch sizes measured
  }
watch-nothing-measured = nothing measured yet
watch-cancelled = Cancelled. What was measured until then is kept.
watch-failed = The measurement did not finish
watch-worker-failed = The process that measures reported
watch-this-device = the device
watch-show-log = Show log
watch-state-running = running
watch-state-ended = done
compare-here = { $device } · here

## Model
model-source-title = Where the model comes from
model-source-preset = Preset
model-source-huggingface = Hugging Face
model-source-python = Python file
model-source-form = Form
model-preset-explained = Bundled workloads. Everything below can be changed after choosing one.
model-huggingface-explained = A bundled name, a folder or config.json, or a hub id. Only config.json is read: weights are never loaded and no code of the model is run.
model-python-explained = Defines build_model(**arguments) and make_batch(batch_size, length, **arguments). You are asked before it runs.
model-allow-hub = May fetch config.json from the hub
model-use = Use this model
model-form-kind = Kind of description
model-form-template = A network of a named shape
model-form-numbers = Totals only
model-invalid = One field holds something that is not allowed: correct it or take it back first.
model-unnamed = My model
model-save = Save as TOML
model-training-title = Training
model-data-title = Data
model-more-title = More settings
model-parameters = Parameters
model-flop = Work per sample
model-memory = Memory of a step
tip-none = There is no explanation of what has the focus.
model-figures-invalid = unknown: a field is not allowed
model-all-trained = all trained
model-trained = { $count } trained
model-flop-below = forward and backward
model-flop-below-inference = forward alone
model-assumptions = Assumptions
model-python-runs = The Python file runs in the worker; its build_model and make_batch are traced as they are.
model-memory-assumption = Memory is what a step takes on one GPU, whichever it is, with the driver's context and fragmentation.
model-memory-of = Memory is what one { $device } needs, driver context and fragmentation included.
model-layers-title = Layers
model-layer = Layer
model-layer-flop = Forward
model-layer-memory = Activations
model-layer-count = { $count } at batch { $batch }
model-no-layers = A model described by totals has no layers.
model-tracing = tracing …
model-trace-failed = The model could not be traced
model-needs-consent = The Python file was not run yet: your consent is asked when it is measured or predicted.
form-reset = { $name }: back to { $value }
form-required = needed
form-not-a-number = not a number
form-two-readings = can be read in two ways: write 1500 or 1.5
form-not-whole = a whole number, please
form-not-a-list = whole numbers, separated by commas
form-out-of-range = allowed: { $range }
form-not-set = not set
choice-precision-fp32 = FP32
choice-precision-default = torch's default
choice-precision-tf32 = TF32
choice-precision-fp16-amp = FP16 AMP
choice-precision-bf16-amp = BF16 AMP
choice-precision-fp16 = FP16
choice-precision-bf16 = BF16
choice-precision-fp16-true = pure FP16
choice-precision-bf16-true = pure BF16
choice-precision-fp8 = FP8
choice-fp8-recipe-rowwise = by row
choice-fp8-recipe-tensorwise = by tensor
choice-fp8-recipe-transformer-engine = Transformer Engine
choice-optimizer-adafactor = Adafactor
choice-optimizer-adam = Adam
choice-optimizer-adamw = AdamW
choice-optimizer-lamb = LAMB
choice-optimizer-none = none
choice-optimizer-sgd = SGD
choice-optimizer-sgd-momentum = SGD with momentum
choice-attention-eager = eager
choice-attention-flash = FlashAttention
choice-attention-sdpa = SDPA
choice-trainable-all = all weights
choice-trainable-head = the head
choice-trainable-lora = LoRA
choice-quantization-gptq = GPTQ
choice-quantization-int8 = INT8
choice-quantization-nf4 = NF4
choice-offload-activations = activations
choice-offload-none = none
choice-offload-optimizer = optimizer states
choice-offload-parameters = parameters
choice-activation-checkpointing-full = whole blocks
choice-activation-checkpointing-none = none
choice-activation-checkpointing-selective = selective
choice-mode-forward-backward = forward and backward
choice-mode-inference = inference
choice-mode-training = training
choice-template-cnn = CNN
choice-template-gru = GRU
choice-template-lstm = LSTM
choice-template-mlp = MLP
choice-template-rnn = RNN
choice-template-transformer = Transformer
field-precision = Precision
help-precision = How a step computes. AMP: 16-bit products, FP32 weights. FP16 and BF16: weights and gradients in half, FP32 master copies. Pure FP16 and BF16: no FP32 copies. FP8: BF16 AMP with linear layers in FP8. torch's default: what torch does by itself, FP32 with convolutions in TF32.
field-batch-size = Batch size
help-batch-size = Samples per device and micro-batch.
field-epochs = Epochs
help-epochs = Passes over the data set.
field-optimizer = Optimizer
help-optimizer = Decides the memory of the states and the time of the update.
field-fused-optimizer = Fused optimizer
help-fused-optimizer = One kernel for all parameters instead of torch's default.
field-attention = Attention
help-attention = Which kernel family computes attention.
field-gradient-accumulation-steps = Accumulation
help-gradient-accumulation-steps = Micro-batches added up before one optimizer step.
field-trainable = Trainable
help-trainable = All weights, only the head, or low-rank adapters.
field-lora-rank = LoRA rank
help-lora-rank = Rank of the adapters; empty: 16.
field-modules-to-save = Modules to save
help-modules-to-save = Modules of which a copy is trained whole beside the adapters, such as embed_tokens and lm_head.
field-unpacked-bits = Unpacked bits
help-unpacked-bits = Of norms and embeddings beside quantised weights; 32 as PEFT's preparation leaves them.
field-adapter-bits = Adapter bits
help-adapter-bits = Of adapters in a model of 16 bits; 32 as PEFT keeps them.
field-weights-bits = Weight bits
help-weights-bits = Bits of the frozen weights, as in QLoRA.
field-lora-targets = LoRA targets
help-lora-targets = Layers with adapters: attention (query, key, value and output), all_linear, or names of layers; empty: query and value.
field-quantization = Quantisation
help-quantization = How frozen linear layers and experts are stored.
field-fp8-recipe = FP8 recipe
help-fp8-recipe = How FP8 products are scaled; for precision FP8.
field-optimizer-in-backward = Optimizer in backward
help-optimizer-in-backward = Each parameter is stepped as its gradient is ready, which is then freed.
field-offload = Off-load
help-offload = What is kept in host memory and copied when it is needed.
field-chunked-loss = Chunked loss
help-chunked-loss = Logits and cross-entropy in chunks: never whole.
field-fused-layers = Fused layers
help-fused-layers = Norms, rotary embedding, gated activation and cross-entropy in one kernel each (Liger Kernel, Unsloth).
field-fused-gate = Fused gate
help-fused-gate = Of fused layers the gated activation too, as in Liger Kernel; Unsloth leaves a gate without adapters around it.
field-optimizer-bits = State bits
help-optimizer-bits = 8: quantised optimizer states.
field-activation-checkpointing = Checkpointing
help-activation-checkpointing = What backward computes again: less memory, more time. Selective: all but attention and every other matrix product.
field-channels-last = Channels last
help-channels-last = Memory layout NHWC, for convolutions.
field-compile = torch.compile
help-compile = Fuse element-wise operators.
field-clip-gradient-norm = Clip norm
help-clip-gradient-norm = Largest norm of the gradients.
field-read-loss-every = Read loss every, steps
help-read-loss-every = Steps between .item() calls; each waits for the device. 0: never.
field-evaluate-every-steps = Evaluate every, steps
help-evaluate-every-steps = Steps between validation passes. 0: once an epoch.
field-mode = Mode
help-mode = Training, inference, or forward and backward without an update.
field-samples = Samples
help-samples = Rows in the training set.
field-validation-samples = Validation rows
help-validation-samples = Rows in the validation set.
field-sequence-length = Sequence length
help-sequence-length = Tokens per sample.
field-image-size = Image size
help-image-size = Side of the image in pixels.
field-loader-workers = Loader workers
help-loader-workers = Processes that prepare batches.
field-template = Shape
help-template = What kind of network.
field-layers = Layer sizes
help-layers = Widths from input to output, separated by commas.
field-vocabulary-size = Vocabulary
help-vocabulary-size = Number of tokens.
field-embedding-size = Embedding
help-embedding-size = Width of the embedding.
field-classes = Classes
help-classes = Outputs of the last layer.
field-heads = Heads
help-heads = Attention heads.
field-parameters = Parameters
help-parameters = Number of weights.
field-flop-per-sample = Work per sample
help-flop-per-sample = Floating-point operations, forward and backward together.
field-activation-bytes-per-sample = Activation bytes
help-activation-bytes-per-sample = Bytes kept for backward, per sample.

## History
history-verify = Verify here for a minute
history-verify-tip = Trains the set-up that is advised for this machine for a minute and records the truth beside the prediction.
history-verified = Verified predictions
history-verified-below = advised set-ups that were run here
history-inside = Inside the range
history-inside-below = 80 % is what the ranges promise
history-error = Median error
history-error-below = predicted against true step time
history-empty-title = No runs yet
history-empty-text = Every advice is kept here: reopen it, compare two, and see how right the predictions were on this machine.
history-not-kept-title = Runs are not kept
history-not-kept = The data folder { $path } cannot be written: { $reason }. An advice stays until the window is closed; save it as a file, or choose another data folder.
history-runs = Runs
history-open = Open
history-compare = Compare
history-export = Export
history-delete = Delete
history-delete-question = { $count ->
    [one] Delete this run for good?
   *[other] Delete these { $count } runs for good?
  }
history-older = Older than…
history-older-days = Delete runs older than this many days
history-older-delete = { $count ->
    [0] Delete
    [one] Delete one run
   *[other] Delete { $count } runs
  }
history-hint = Double-click opens a run; select two with Ctrl to compare them.
history-when = When
history-workload = Workload
history-predicted = predicted
history-no-advice = no advice
history-cancelled = { $basis }, cancelled
history-reading-two = Reading both runs …
history-with-measurements = with steps measured here
history-ledger = Predicted against what came true
history-actual = True step
history-in-range = In range
history-not-counted = not counted
history-compared = Two runs compared
history-first = Earlier run
history-second = Later run
history-same = both advise the same set-up
history-other = they advise different set-ups
history-figure = Figure
history-ratio = Later / earlier
history-clear = Clear
history-clear-tip = A difference is clear where the two 80 % ranges do not touch.
history-settings = What was set or installed differently
history-setting = Setting
history-steps = Step times of the same set-ups
history-steps-clear = { $clear } of { $total } clearly different
history-measured-title = Predicted against measured in this run
history-only-measured-title = Measured in this run
history-checks-note = No error is told where the measurement itself became the prediction, or where only some of the model's blocks were run. "Verify here" puts an advice to the test.
history-measured = Measured
history-subtitle = Every run stays on this machine

## Cases
cases-subtitle = Published questions about training speed, answered; claims checked, and training logs explained
cases-checker = Is this claim possible?
cases-check = Check
cases-examples = Try
cases-computing = Computing the answer …
cases-claims = What was also claimed
cases-answer = Answer
cases-model = Model: { $model }
cases-other = Show that case
cases-bar-claimed = claimed
cases-bar-expected = expected
cases-bar-least = no faster than
cases-bar-most = at most
logs-title = Where does the time of a run go?
logs-explained = A training log says it: Trainer's, Lightning's, Keras', bars of tqdm, a table of steps, or prints of your own. Open it, drop it on this window, or copy its lines.
logs-open = Open a log…
logs-paste = From the clipboard
logs-reading = Reading the log …
logs-copied = Copied lines
logs-nothing-copied = The clipboard holds no text: copy the lines of a log first.
watch-part-of-layers = { $layers ->
    [one] { $batch } (1 block)
   *[other] { $batch } ({ $layers } blocks)
  }
history-reading = Reading the history …
machine-fact-use = Use
machine-fact-heat = Temp.
cases-example-1 = BERT-base at 30 ms a step, batch 32, length 384, FP32, on a V100
cases-example-2 = 2 GPUs made it 3.5 times faster
cases-example-3 = ResNet-50 training at 5,000 images/s on one RTX 3090
