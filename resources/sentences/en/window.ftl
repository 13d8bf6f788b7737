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
window-saved = Saved to { $path }
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
menu-language = Language
menu-scheme = Colours
menu-report-problem = Report a problem…
menu-about = About Advisor
scheme-system = As the system
scheme-light = Light
scheme-dark = Dark
open-filter = Workloads, models and saved advice

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
goal-time = least time
goal-cost = least cost
goal-energy = least energy

## Machine
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
plot-power = Power
plot-clock = Clock
plot-temperature = Temperature
plot-pressure = Waiting for a core
plot-utilisation-tip = GPU utilisation is the share of time with any kernel running, averaged over 1/6 to 1 s: 90 % can still be idle silicon.
plot-pressure-tip = Share of time in which some task waited for a CPU core. Above 5 % a measurement is disturbed.
plot-legend-tip = Show or hide { $name }
plot-zoom = Show the last { $minutes } minutes
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
advice-global-batch = { $batch } together
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
advice-epochs = { $count } epochs
advice-of-capacity = of { $size }
advice-capacity = Capacity: { $size }
advice-basis-tip = Under each figure stands its 80 % range. Measured: timed here. Calibrated: parts were timed here. Spec sheet: published figures only.
picture-click = Click a row for its figures.
picture-figures = Figures of { $set_up }
picture-back = Back to the advice
picture-compare = In Compare
advice-disturbed = { $devices }: the measurement was disturbed ({ $verdict }), so its times may be too long.
advice-measure-again = Measure again
advice-more = { $count } more
advice-fewer = Fewer
switches-note = Each is predicted for the advised set-up alone, from the spec sheet. Several at once are multiplied as if none acted on another.
switches-job = with these: { $time }
advice-batch-title = Throughput by batch size
advice-crossover-title = CPU or GPU
advice-memory-title = Memory by batch size
advice-memory-mark = the mark is the capacity, { $size }
advice-strategy-title = Strategies at this batch
advice-split-title = Where the time goes
advice-does-not-fit = does not fit
advice-hollow = Filled points were measured, hollow ones predicted.
advice-tip-batch = batch { $batch } per device, { $total } together
advice-wall-part = { $kind } takes { $share_fraction } of the job
axis-batch = batch size per device
axis-samples-per-s = samples/s
axis-step = time of a step
mark-advised = advised { $batch }
mark-knee = knee { $batch }
mark-limit = fits up to { $batch }
mark-crossover = from { $batch }
wall-part-training = Training
wall-part-validation = Validation
wall-part-loss-reads = Reading the loss
wall-part-clipping = Gradient clipping
wall-part-loader = The loader
wall-part-copy = Copying batches
wall-part-launch = Launching kernels
wall-part-communication = Communication
advice-batch-row = batch { $batch }
machine-spec = spec row { $key }
machine-link-unknown = link unknown
machine-no-vectors = no vector instructions known
machine-fact-waiting = Wait

## Compare
compare-subtitle = Every candidate at the same precision, batch and count, with its 80 % range
compare-empty-title = Nothing to compare yet
compare-empty-text = An advice, measured or predicted, compares this machine with the cards of the spec table.
compare-batch = Batch
compare-count = Count
compare-goal = Goal
compare-bars-title = Ranking
compare-order-title = How precision turns the order
compare-table-title = Set-ups
compare-filter = Filter, such as "4090 ddp"
compare-all = All set-ups
compare-rows = { $shown } of { $total }
compare-fitting = Only what fits
compare-columns = Columns
compare-export = Export CSV
compare-reset = Reset
compare-reset-tip = Back to the switches, ticks, columns and prices that the advice came with. A dot marks what is not as it was.
compare-table-help = Ticked rows are drawn above. Space ticks a row and P pins it to the top; a double click on a price changes it.
compare-tick-tip = Draw this set-up in the ranking and the order by precision
compare-pin-tip = Keep this row at the top in every order
compare-price = Price/h
compare-price-tip = Price of an hour of one device. Double click to change it; an empty price is the one it had.
compare-more-bars = The first { $shown } of { $total } ticked set-ups are drawn.
compare-rate = Samples/s
compare-tie-tip = No clear difference: their ranges touch
compare-tie-note = A bracket joins set-ups whose difference is not clear. The blue bar ranks first; of the others, strong bars were measured here and faint ones are predicted.
compare-unit-time = samples/s, more is better
compare-unit-cost = cost of the job, less is better
compare-unit-energy = energy of the job, less is better

## Measure
job-busy-tip = A job is running: its progress is at the left below.
watch-cancel = Cancel
watch-progress = Progress of the measurement
watch-median = Median step
watch-rate = Throughput
watch-memory = Peak memory
watch-verdict = Verdict
watch-memory-below = of the newest batch size
watch-blocks = { $count ->
    [one] 1 block of steps
   *[other] { $count } blocks of steps
  }
watch-table-title = Step times by device and batch size
watch-steps-title = Step time
watch-steps-waiting = waiting for the first step
watch-steps-unit = as it comes, logarithmic
watch-explained = "Measure and advise" calibrates each device and trains your model for real at three batch sizes or more, for about half a minute in all. It runs in a process of its own; this window only watches. Close what keeps the machine busy, or the verdict will say that the run was disturbed.
watch-no-workload = no model described yet
watch-starting = starting
watch-cancelling = cancelling …
watch-left = about { $left } left
watch-done = { $count ->
    [one] 1 batch size measured
   *[other] { $count } batch sizes measured
  }
watch-nothing-measured = nothing measured yet
watch-cancelled = Cancelled. What was measured until then is kept.
watch-failed = The measurement did not finish
watch-worker-failed = The process that measures reported
watch-show-log = Show log
watch-state-running = running
watch-state-ended = done
compare-here = { $device } · here

## Model
model-door-title = Where the model comes from
model-door-preset = Preset
model-door-huggingface = Hugging Face
model-door-python = Python file
model-door-form = Form
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
model-all-trained = all trained
model-trained = { $count } trained
model-flop-below = fwd and bwd
model-assumptions = Assumptions
model-python-runs = The Python file runs in the worker; its three functions are traced as they are.
model-memory-assumption = Memory is what one GPU of unknown generation needs, driver context and fragmentation included.
model-layers-title = Layers
model-layer = Layer
model-layer-flop = Forward
model-layer-memory = Activations
model-layer-count = { $count } at batch { $batch }
model-no-layers = A model described by totals has no layers.
model-tracing = tracing …
model-trace-failed = not traced
model-needs-consent = not run yet: consent is asked when it is measured or predicted
form-reset = { $name }: back to { $value }
form-required = needed
form-not-a-number = not a number
form-not-whole = a whole number, please
form-not-a-list = whole numbers, separated by commas
form-out-of-range = allowed: { $range }
form-not-set = not set
field-precision = Precision
help-precision = How a step computes. AMP: 16-bit products, FP32 weights. fp16 and bf16: weights and gradients in half, FP32 master copies. fp16_true and bf16_true: no FP32 copies. fp8: BF16 AMP with linear layers in FP8. default: what torch does by itself, FP32 with convolutions in TF32.
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
help-lora-rank = Rank of the adapters.
field-weights-bits = Weight bits
help-weights-bits = Bits of the frozen weights, as in QLoRA.
field-lora-targets = LoRA targets
help-lora-targets = Layers with adapters: attention, all_linear, or names of layers.
field-quantization = Quantisation
help-quantization = How frozen linear layers and experts are stored.
field-fp8-recipe = FP8 recipe
help-fp8-recipe = How FP8 products are scaled; for precision fp8.
field-optimizer-in-backward = Optimizer in backward
help-optimizer-in-backward = Each parameter is stepped as its gradient is ready, which is then freed.
field-offload = Off-load
help-offload = What is kept in host memory and copied when it is needed.
field-chunked-loss = Chunked loss
help-chunked-loss = Logits and cross-entropy in chunks: never whole.
field-optimizer-bits = State bits
help-optimizer-bits = 8: quantised optimizer states.
field-activation-checkpointing = Checkpointing
help-activation-checkpointing = What backward computes again: less memory, more time. selective: all but attention and every other matrix product; full: whole blocks.
field-channels-last = Channels last
help-channels-last = Memory layout NHWC, for convolutions.
field-compile = torch.compile
help-compile = Fuse element-wise operators.
field-clip-gradient-norm = Clip norm
help-clip-gradient-norm = Largest norm of the gradients.
field-read-loss-every = Read loss every
help-read-loss-every = Steps between .item() calls; each waits for the device. 0: never.
field-evaluate-every-steps = Evaluate every
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
history-runs = Runs
history-open = Open
history-compare = Compare
history-export = Export
history-delete = Delete
history-delete-question = { $count ->
    [one] Delete this run for good?
   *[other] Delete these { $count } runs for good?
  }
history-hint = Double-click opens a run; select two with Ctrl to compare them.
history-when = When (UTC)
history-workload = Workload
history-predicted = predicted
history-with-measurements = with steps measured here
history-ledger = Predicted against what came true
history-actual = True step
history-in-range = In range
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
history-checks-note = No error is told where the measurement itself became the prediction, or where only some of the model's blocks were run. "Verify here" puts an advice to the test.
history-measured = Measured
history-subtitle = Every run stays on this machine

## Cases
cases-subtitle = Published questions about training speed, answered; and claims, checked
cases-checker = Is this claim possible?
cases-check = Check
cases-examples = Try
cases-computing = Computing the answer …
cases-claims = What was also claimed
cases-answer = Answer
cases-contradicts = Contradicts: { $title }
cases-bar-claimed = claimed
cases-bar-expected = expected
cases-bar-least = no faster than
cases-bar-most = at most
watch-part-of-layers = { $layers ->
    [one] { $batch } (1 block)
   *[other] { $batch } ({ $layers } blocks)
  }
history-reading = Reading the history …
machine-fact-use = Use
machine-fact-heat = Heat
cases-example-1 = BERT-base at 30 ms a step, batch 32, length 384, FP32, on a V100
cases-example-2 = 2 GPUs made it 3.5 times faster
cases-example-3 = ResNet-50 training at 5,000 images/s on one RTX 3090
