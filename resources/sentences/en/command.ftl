## What can be wrong with a command line
command-told = Command line: { $detail }.
command-unknown = Command line: unrecognized arguments: { $given }.
command-choice = Command line: argument { $option }: { $given } is none of { $names }.
command-whole-number = Command line: argument { $option }: { $given } is not a whole number from 1 to { $most }.
command-number = Command line: argument { $option }: { $given } is not a number from { $least } to { $most }.
command-range-reversed = Command line: argument { $option }: { $given } ends below where it begins.
command-too-many-devices = Command line: argument { $option }: { $devices } devices are more than the { $most } this program predicts for.
command-call-counts = counts: { $given } is no list of whole numbers from 1 to { $most }.
command-call-whole = { $argument }: { $given } is no whole number from 1 up.
command-call-number = { $argument }: { $given } is no number above zero.
command-call-goal = goal: { $given } is none of { $names }.
command-call-no-prices = max_cost: no prices were given.
command-call-no-prices-remedy = Name a price file with prices="prices.toml".
command-optimizer-of-fields = Command line: argument { $option }: { $given } is a trainer's word. In a workload file it is: { $fields }.
command-no-precision = Command line: argument { $option }: { $given } is no precision; known: { $names }.
command-double-precision = Command line: argument { $option }: { $given }: nothing is predicted in FP64 (double precision). Compare the FP64 rates of the data sheets: cards for games mostly have a 32nd or a 64th of their FP32 rate.
command-no-layer = Command line: argument { $option }: no layer is named.
command-no-card = Command line: argument { $option }: no card is named.
command-not-with = Command line: argument { $option }: not allowed with argument { $other }.
command-expected = Command line: argument { $option }: a value is missing.
command-see-help = See advisor --help.
command-did-you-mean = Did you mean { $names }? See advisor --help.
command-workload-behind = A workload stands behind --predict or --measure: advisor --predict { $given }.
command-untraced = { $workload }: the model cannot be traced.
command-unfinished-remedy = Mend a loop that does not end; else a shorter sequence (--sequence-length) takes less, or describe the model by numbers (source = "numbers").
command-untraced-remedy = Mend the model, or describe it by numbers (source = "numbers").
command-untraced-log = The whole log: { $path }
command-two-on-stdout = Command line: more than one output goes to stdout.
command-two-on-stdout-remedy = Give the others a file name.
command-pdf-on-terminal = --pdf -: a PDF is not text for a terminal.
command-pdf-on-terminal-remedy = Give a file name.
command-not-written = { $given }: cannot be written: { $detail }
command-not-written-remedy = Name another file or folder, or make this one writable.
command-is-folder = { $given }: is a folder.
command-is-folder-remedy = Give a file name in it.
command-folder-missing = { $given }: its folder does not exist.
command-folder-missing-remedy = Create the folder first.
command-folder-not-writable = { $given }: its folder is not writable.
command-folder-not-writable-remedy = Name another folder.
command-not-ours = { $given }: the file exists and was not written by advisor, or was changed since.
command-not-ours-remedy = Give another name, or --force to write over it.
command-also-read = { $given }: this file is an input or another output of the same command.
command-also-read-remedy = Give the output a name of its own.
command-writes-only = { $command }: only { $given } can be written.
command-writes-only-remedy = Use --measure or --predict for a report.
command-writes-not = { $given }: this command writes { $names } only.
command-writes-not-remedy = Leave that option out.
command-no-prices = --max-cost: no prices were given.
command-no-prices-remedy = Name a price file with --prices.
command-device-unmeasured = --device { $given }: it says what is measured, and --predict measures nothing.
command-device-unmeasured-remedy = Measure it with --measure, or name cards of the table with --gpus.
command-runs-code = { $path }: this workload runs Python code (SHA-256 { $digest }).
command-no-language = language: { $given } is none of { $names }.
command-no-language-remedy = Take one of them.
command-runs-code-remedy = Read the file; where you trust it, { $asked_by ->
        [call] pass allow_code=True
       *[command] add --allow-code
    }. It runs in a child process, which is no sandbox.
command-unknown-card = { $asked_by ->
        [call] gpus
       *[command] --gpus
    }: not in the spec table: { $given }.
command-card-count = { $asked_by ->
        [call] gpus
        [window] Search
       *[command] --gpus
    }: { $given }: the number in front of a card goes from 1 to { $most }.
command-card-count-remedy = Write how many there are of it, such as `2x { $card }`.
command-count-alone = { $asked_by ->
        [call] gpus
        [window] Search
       *[command] --gpus
    }: { $given } is a number without a card.
command-count-alone-remedy = Write both in one, such as `2x rtx3090`.
command-card-meant = Did you mean { $names }? See advisor --list{ $asked_by ->
        [call] { "" }
       *[command] , or describe the card with --gpu-file
    }.
command-in-commas = Join the names by commas, without blanks: { $option } { $given }
command-cards-together = A job is predicted on cards of one kind each: a comma compares them ({ $names }). In one job all would wait for the slowest.
command-card-processor = A processor is measured, never read from a table: --measure --device cpu.
command-card-list = See advisor --list{ $asked_by ->
        [call] { "" }
       *[command] , or describe the card with --gpu-file
    }.
command-all-variants = --gpus { $given }: all of its variants are tried: { $names }.
command-uneven-batch = --global-batch: { $given } samples cannot be dealt out evenly to { $counts } devices.
command-uneven-batch-remedy = Give a multiple of { $least }, such as { $choices }, or other --counts.
command-batch-over-data = --global-batch: { $given } samples a step are more than the { $samples } of the data.
command-batch-over-data-remedy = Give at most { $samples }.
command-uneven-nodes = --nodes { $nodes }: { $counts } devices cannot be spread evenly over { $nodes } machines.
command-uneven-nodes-remedy = Give --counts that are multiples of { $nodes }, such as --counts { $nearest }, or another --nodes.
command-no-link = --interconnect: { $given } names no known link.
command-no-link-remedy = Use one of: { $names }, or a number with GB/s from 0.001 to 100,000; a network may follow: + InfiniBand HDR x8.
command-budget-short = --budget is { $budget_s }.
command-budget-short-remedy = Give at least { $least_s }.
command-no-such-device = --device { $given }: there is no such device here.
command-no-such-device-remedy = Choose from { $names }.
command-init-name = --init { $path }: a workload file ends in .toml.
command-init-name-remedy = Name it { $name }.
command-init-exists = --init { $path }: the file exists.
command-init-exists-remedy = Give another name, or --force to write over it.
command-init-written = { $path } is written. Edit it, then: advisor --measure { $path }
command-init-read = Filled in from the command: { $fields }.
command-init-files = Read beside the command: { $files }.
command-init-steps = { $steps } steps of { $batch } samples over all devices that the command starts { $each ->
    [yes] are each epoch's: samples = { $samples }.
   *[no] are the length of the job, written as one epoch: samples = { $samples }.
  }
command-init-steps-unread = { $steps } steps are not filled in: the command does not tell how many samples a step takes over all devices. Multiply { $steps } by that and put it into [data] as samples{ $each ->
    [yes] .
   *[no] , with epochs = 1.
  }
command-init-unread = Left out, as a workload file has no field for them, or not for such a value: { $flags }.
command-init-global-batch = The batch over all devices, { $batch }, is no field of a workload file, and the command does not tell how devices share it: ask with --global-batch { $plain }.
command-init-unknown-model = The file trains the starter's model, bert-base-uncased, not { $model }, which is not known here: put yours into [model] before you ask.
command-init-no-model = The command names no model: the file trains the starter's, bert-base-uncased. Put yours into [model] before you ask.
command-from-command = --from-command: { $given } is no command: a quotation is not closed.
command-from-command-remedy = Give the whole command in one pair of quotation marks: --from-command "python train.py --bf16".
command-from-command-alone = --from-command goes with --init alone.
command-from-command-alone-remedy = Write the file first: advisor --init train.toml --from-command "…".
command-prune-unasked = --prune-history: nobody is here to say yes.
command-prune-unasked-remedy = Add --yes to delete these runs.
command-interrupted = interrupted.
script-no-advice = --script: there is no recommendation to follow.
script-no-advice-remedy = See the caveats of the advice.
script-no-strategy = --script: no script is written for { $strategy }.
script-no-sharded-inference = --script: no script is written for inference with { $strategy }.
script-no-sharded-inference-remedy = Use a server that spreads a model over cards, such as vLLM, with the figures of the advice.
script-no-strategy-remedy = Use a framework for it, such as torchtitan or DeepSpeed, with the figures of the advice.
script-no-training = --script { $framework }: nothing is trained here.
script-no-training-remedy = Take the script itself: --script FILE.
script-no-field = --script { $framework }: this program writes no configuration of { $framework } for { $strategy }.
script-no-field-remedy = Take the script itself: --script FILE.
script-no-field-nor-script = --script { $framework }: this program writes neither a configuration nor a script for { $strategy } of this model.
script-no-field-nor-script-remedy = torchtitan and Megatron-LM train so: give them the figures of the advice.
command-no-temporary = No temporary folder could be made: { $detail }.
command-no-temporary-remedy = Set TMPDIR to a folder that can be written and has room.
