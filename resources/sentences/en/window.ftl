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
window-basis-measured = measured
window-basis-calibrated = calibrated
window-basis-specified = spec sheet
page-machine = Machine
page-model = Model
page-measure = Measure
page-advice = Advice
page-compare = Compare
page-cases = Cases
page-history = History
menu-file = &File
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
machine-failed = The machine could not be looked at. Press “Look again”; the advice can still be predicted for cards of the spec table.
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
advice-train-on = { $count ->
    [one] Train on one { $device }
   *[other] Train on { $count } × { $device }
  }
advice-batch-short = batch { $batch } per device
advice-global-batch = { $batch } together
advice-accumulation = accumulate { $steps }
advice-threads = { $count } threads
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
step-part-forward = forward
step-part-backward = backward
step-part-optimizer = optimizer
step-part-host = launches
step-part-copy = copy
step-part-loader = loader
step-part-synchronisation = synchronisation
step-part-communication = communication
step-part-imbalance = waiting for the slowest
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
machine-fact-waiting = Waiting

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
compare-filter = Filter, such as “4090 ddp”
compare-all = All set-ups
compare-rows = { $shown } of { $total }
compare-rate = Samples/s
compare-tie-tip = No clear difference: their ranges touch
compare-tie-note = A bracket joins set-ups whose difference is not clear. Dark bars were measured here, light ones are predicted.
compare-unit-time = samples/s, more is better
compare-unit-cost = cost of the job, less is better
compare-unit-energy = energy of the job, less is better

## Measure
watch-cancel = Cancel
watch-progress = Progress of the measurement
watch-median = Median step
watch-rate = Throughput
watch-memory = Peak memory
watch-verdict = Verdict
watch-memory-below = of the newest batch size
watch-blocks = { $count } blocks of steps
watch-table-title = Step times by device and batch size
watch-steps-title = Step time
watch-steps-unit = as it comes, logarithmic
watch-explained = “Measure and advise” calibrates each device and trains your model for real at three batch sizes or more, for about half a minute in all. It runs in a process of its own; this window only watches. Close what keeps the machine busy, or the verdict will say that the run was disturbed.
watch-no-workload = no model described yet
watch-starting = starting
watch-cancelling = cancelling …
watch-left = about { $left_s } left
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
