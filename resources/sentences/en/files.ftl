## What can be wrong with a file that is read
file-missing = { $path }: there is no such file.
file-missing-remedy = Check the path.
file-no-regular = { $path }: this is not a regular file.
file-no-regular-remedy = Give the path of a file.
file-is-advice = { $path }: this is a saved advice.
file-is-advice-remedy = Open it with --open.
file-is-config = { $path }: this is a model's configuration.
file-is-config-remedy = It describes a workload: give it to --predict or --measure.
file-is-adapter = { $path }: this is the configuration of an adapter, without the model that it is trained on.
file-is-adapter-remedy = Give the config.json of that model, and --trainable lora.
file-is-workload = { $path }: this describes a workload.
file-is-workload-remedy = Give it to --predict or --measure.
file-is-prices = { $path }: this is a file of prices.
file-is-prices-remedy = Give it with --prices.
file-is-gpus = { $path }: this describes GPUs of your own.
file-is-gpus-remedy = Give it with --gpu-file.
file-is-claims = { $path }: this is a file of claims.
file-is-claims-remedy = Give it to --claim-file.
file-is-runs = { $path }: this is a table of training runs.
file-is-runs-remedy = Give it to --evaluate.
file-is-python = { $path }: this is Python code.
file-is-python-remedy = A file with build_model() and make_batch() is given to --predict or --measure.
file-unreadable = { $path }: the file cannot be read ({ $detail }).
file-unreadable-remedy = Check the path and its permissions.
file-too-large = { $path }: the file is larger than { $limit } bytes.
file-too-large-remedy = Such a file is no description by hand: shorten it or split it.
file-no-text = { $path }: byte { $place } is not UTF-8.
file-no-text-remedy = Save the file as UTF-8 text.
file-no-toml = { $path }: this is not valid TOML from line { $line }, column { $column } on, where { $found ->
    [line-end] the line ends
   *[other] { $found } stands
}.
file-no-toml-remedy = Correct the line named.
file-no-toml-cut = { $path }: this is not valid TOML: something that line { $line } or an earlier one begins is never ended.
file-no-toml-cut-remedy = Look for a value that is missing, or a quotation mark or bracket that nothing closes.
file-toml-backslash = { $path }: line { $line } has a single backslash in double quotes, where TOML takes it for an escape.
file-toml-backslash-remedy = Put a path into single quotes: 'C:\models'.
file-toml-again = { $path }: line { $line } names what an earlier line has set already.
file-toml-again-remedy = Keep one of the two.
file-no-json = { $path }: this is not valid JSON from line { $line }, column { $column } on, where { $found ->
    [line-end] the line ends
   *[other] { $found } stands
}.
file-no-json-remedy = Correct the line named.
file-no-json-cut = { $path }: this is not valid JSON: it ends at line { $line } before it is complete.
file-no-json-cut-remedy = Was it saved or downloaded as a whole?
file-no-number = { $path }: { $given } is no number that JSON has.
file-dots = { $path }: line { $line } has over { $limit } dots.
file-dots-remedy = Write nested tables instead of dotted keys.
file-told = { $path }: { $detail }.
file-correct = Correct the file.
file-too-deep = { $path }: values are nested over { $limit } deep.
file-too-deep-remedy = Flatten the file.
file-text-too-long = { $path }: the text is longer than { $limit } bytes.
file-text-too-long-remedy = Shorten it.
file-digits = { $path }: a number has over { $limit } digits.
file-real-figure = Give a figure of a real model.
file-not-finite = { $path }: `{ $field }` is { $given }.
file-not-finite-remedy = Only finite numbers are allowed.
file-beyond-64-bits = { $path }: `{ $field }` is an integer beyond 64 bits.
file-half-character = { $path }: `{ $field }` holds half a character (a lone surrogate).
file-half-character-remedy = Correct the text.
file-no-plain = { $path }: `{ $field }` is a { $given }.
file-no-plain-remedy = Only numbers, text, lists and tables are read; put a date or time in quotes.
## What is wrong with a field, and what it takes
file-unknown-field = { $path }: `{ $field }` is not a known field.
file-did-you-mean-one = Did you mean { $names }?
file-did-you-mean = Did you mean `{ $word }`?
file-known-fields = Known fields: { $names }.
file-known-layers = Its linear layers: { $names }.
file-known-modules = Its modules with weights: { $names }.
file-missing-field = { $path }: `{ $field }` is missing.
file-add-it = Add it.
file-wrong-field = { $path }: `{ $field }` is { $given }.
file-wrong-whole = { $path }: the whole is { $given }.
file-allowed = Allowed: { $kind }.
file-say-in-fields = Say it so: { $fields }.
file-allowed-or-meant = Allowed: { $kind }. Did you mean `{ $word }`?
file-kind-integer = an integer
file-kind-number = a number
file-kind-boolean = true or false
file-kind-text = text
file-kind-table = a table
file-kind-list = a list
file-kind-text-of = text of { $low } to { $high } characters
file-kind-text-like = text of the form { $pattern }
file-kind-text-such-as = text such as { $examples }
file-kind-list-of = a list of { $low } to { $high } entries
file-kind-in-unit = { $kind } in { $unit }
file-kind-either = { $kind } or { $other }
file-range-from = { $kind } from { $from }
file-range-over = { $kind } over { $over }
file-range-to = { $kind } to { $to }
file-range-below = { $kind } below { $below }
file-range-from-to = { $kind } from { $from } to { $to }
file-range-from-below = { $kind } from { $from } below { $below }
file-range-over-to = { $kind } over { $over } to { $to }
file-range-over-below = { $kind } over { $over } below { $below }
## What is wrong with a saved advice
file-no-advice-json = { $path }: is not JSON from line { $line }, column { $column } on, where { $found ->
    [line-end] the line ends
   *[other] { $found } stands
}.
file-no-advice-json-remedy = The file is damaged or was not saved by this program. A workload is asked about with --predict, a training log with --log.
file-no-advice-json-cut = { $path }: this is not all of the file: it ends at line { $line } before it is complete.
file-no-advice-json-cut-remedy = Copy the whole file, or write it once more where it came from. What may be opened is a saved advice or a model's configuration.
file-advice-remedy = Give the path of a JSON file saved by this program.
file-advice-large = { $path }: is larger than any advice ({ $limit } bytes).
file-no-version = { $path }: schema_version is missing: this is not a saved advice.
file-no-version-remedy = Open a file that was saved with --json or from the window.
file-odd-version = { $path }: schema_version { $version } never was.
file-newer-version = { $path }: schema_version { $version } is newer than this program's { $known }.
file-newer-version-remedy = Open it with a newer version of advisor; the file was left as it is.
file-changed = The file was changed or damaged; nothing of it is shown.
file-not-shown = { $path }: what it holds cannot be shown ({ $detail }).
file-not-shown-remedy = The file was changed or damaged, or another version of this program wrote it: open it with that one, or ask for the advice anew.
## What is wrong with a workload, a configuration or a model's file
file-code-missing = { $path }: `model.file` is { $given }, which names no file.
file-code-missing-remedy = Paths are relative to the workload file's folder.
file-code-no-file = { $path }: model.file names no file.
file-code-large = { $path }: a model file of over 1 MiB is not run.
file-code-large-remedy = Move data out of the file.
file-no-workload-in = { $given } is no bundled workload, and { $path } holds no such TOML file.
file-bundled = Bundled: { $names }.
file-no-kind = { $path }: a file of type { $given } describes no workload.
file-no-kind-remedy = Give a .toml file, a config.json, its folder, or a .py file.
file-unknown-workload = { $given } is no bundled workload, no file and no folder.
file-of-the-hub = If it is a model of the hub, let its config.json be fetched with --allow-hub.
file-by-the-program = { $path }: `{ $field }` is set by the program.
file-by-the-program-remedy = Leave it out.
file-no-config-in = { $path }: the folder holds no config.json.
file-no-config-in-remedy = Give a model's folder.
file-unknown-config = { $path }: `model.config` is { $given }, which is no bundled configuration and no file.
file-no-bundled-config = { $path }: { $given } is no bundled configuration.
file-config-double = { $path }: field `dtype`: the weights are float64, in which nothing is predicted, and no other precision is told.
file-config-double-remedy = If it is trained in another precision, name it (--precision bf16_amp, or `precision` under [training]), or write `float32` or `bfloat16` there.
file-config-no-table = { $path }: a configuration is a table of keys.
file-config-no-table-remedy = Give a model's config.json.
file-no-model-type = { $path }: `model_type` is missing.
file-no-model-type-remedy = Give the config.json of a model that transformers can build.
file-config-of-library = { $path }: it is a configuration of { $library } ({ $model }), and only those of transformers are built here.
file-config-of-library-remedy = Build the model in a Python file with `build_model` and `make_batch`, and give that with --allow-code.
file-config-product = { $path }: its layers, widths, experts and words together make some { $weights } parameters.
file-config-product-remedy = At most { $limit } are looked at: the largest real models have a tenth of it.
file-entries = { $path }: `{ $field }` has { $given } entries.
file-entries-remedy = At most { $limit } are allowed.
file-beyond-real = That is beyond the size of any real model.
file-no-setting = { $path }: `{ $given }` is no setting.
file-known-settings = Settings: { $names }.
file-global-batch = { $path }: the global batch size is { $given }.
file-global-batch-remedy = Allowed: an integer from 1.
file-no-multiple = { $path }: a global batch of { $given } is no multiple of `training.batch_size` = { $batch }.
file-divisible = Give { $below } or { $above }, or a batch size that divides { $given }.
file-divisible-above = Give { $above }, or a batch size that divides { $given }.
## What is wrong with a file of prices, or with a log
file-no-date = { $path }: date: { $given } is not a date.
file-no-date-remedy = Write the day of the prices as 2026-01-31.
file-no-device = { $path }: devices.{ $given }: no such device in the spec table.
file-write-key = Write { $cards }.
file-key-of-card = `{ $key }` for { $device }
file-no-device-remedy = Use a key that `advisor --list` shows, `cpu`, or the UUID of a GPU of this machine.
file-no-step-times = The log tells no step times.
file-no-step-times-remedy = Lines like `step 100 … elapsed 310 s`, `Iter: 100 … Time: 0:05:10`, `time: 0.35 data_time: 0.12`, tqdm bars, or `train_runtime` are understood.
file-table-no-times = The table of metrics tells no times: its columns are { $columns }.
file-table-no-times-remedy = A column of times beside the steps is understood: `_runtime` or `_timestamp` (the whole history that wandb's API gives), `Wall time` (TensorBoard), `time`, `step_time`.
## What the model hub answers
file-hub-no-commit = { $path }: the hub named no commit for it.
file-hub-no-commit-remedy = Check the model's name.
file-hub-address = The environment's HF_ENDPOINT is no https address.
file-hub-address-remedy = Set it right or unset it.
file-hub-large = { $path }: the hub's answer is over 1 MiB.
file-hub-large-remedy = That is no config.json.
file-hub-answered = { $path }: the hub answered { $status }.
file-hub-answered-remedy = Check the name; private and gated models need a local config.json.
file-hub-away = { $path }: the hub could not be reached within { $limit } s.
file-hub-away-remedy = Check the network, or give a local config.json.
## What is wrong with a table of GPUs
file-no-gpu = { $path }: no GPU in this file.
file-no-gpu-remedy = Add at least one [[gpu]] table; see resources/gpus.toml.
file-gpu-taken = { $path }: key = "{ $key }" is a card of the spec table.
file-gpu-taken-remedy = Give yours another key, for example "my-{ $key }".
file-gpu-speed = { $path }: gpu { $key }: { $field } is missing.
file-gpu-speed-remedy = Without it nothing can be predicted: take it from the card's data sheet, in base SI units.
file-gpus-many = { $path }: { $given } GPUs.
file-gpu-twice = { $path }: key = "{ $key }" is given twice.
file-gpu-twice-remedy = Give each GPU its own key.
## What is wrong with a table of runs
file-columns-missing = { $path }: { $count ->
    [one] lacks the column { $names }.
   *[other] lacks the columns { $names }.
 }
file-columns-unread = { $path }: { $count ->
    [one] nothing is read from the column { $names } under this name.
   *[other] nothing is read from the columns { $names } under these names.
 }
file-columns-missing-remedy = An evaluation needs { $names }.
file-columns-meant = { $count ->
    [one] Perhaps it has another name there; rename { $names }.
   *[other] Perhaps they have other names there; rename { $names }.
 }
file-no-answer = { $path }: no column to compare with.
file-no-answer-remedy = Give { $names }.
file-column-twice = { $path }: the column { $column } is there twice.
file-column-twice-remedy = Keep one of them.
file-no-rows = { $path }: below its header stands no row.
file-no-rows-remedy = Write one run a row.
file-other-separator = { $path }: its cells are parted by { $mark }, not by commas.
file-other-separator-remedy = Save it with commas between the cells and points in the numbers.
file-no-csv = { $path }: line { $line } is not valid CSV: { $detail }.
file-no-csv-remedy = Quote such cells.

## What the system says of a file that it refuses; in English word for word as the C library has it
system-said-no-permission = Permission denied
system-said-not-permitted = Operation not permitted
system-said-no-file = No such file or directory
system-said-is-folder = Is a directory
system-said-no-folder = Not a directory
system-said-no-space = No space left on device
system-said-read-only = Read-only file system
system-said-long-name = File name too long
system-said-links = Too many levels of symbolic links
system-said-failed = Input/output error
system-said-quota = Disk quota exceeded
system-said-busy = Device or resource busy
system-said-open-files = Too many open files
system-said-invalid = Invalid argument
