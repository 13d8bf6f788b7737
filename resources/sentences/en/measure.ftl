# Phases, verdicts and the closed list of caveats of a measurement; each caveat says what to do about it.

## Phases
measure-phase-load = Building the model
measure-phase-calibrate = Calibrating the device
measure-phase-steps = Training the model for real
measure-phase-loader = Timing the data loader
measure-loader-failed = The data loader was not timed, so times leave loading out. Mend what is named here, then measure again: { $text }
measure-phase-keeping = Training while memory is kept

## Verdicts
measure-verdict-stable = stable
measure-verdict-usable = usable
measure-verdict-unstable = unstable
measure-verdict-throttled = throttled
measure-verdict-contended = contended
measure-verdict-not-measured = not measured

## Why a series was not, or not fully, measured
measure-no-samples = No sample was made in the time there was. Give a larger budget (--budget).
measure-only-warm-up = Only warm-up steps fitted into the budget; the figure may be too high. Give a larger budget (--budget).
measure-few-samples = Only { $count } samples fitted into the budget, so the interval may be too narrow. Give a larger budget (--budget).
measure-interval-too-wide = The samples scatter: the interval of the median is ± { $half_width_fraction }. Close other programs and measure again.
measure-drifted = The step time drifted by { $drift_fraction } while it was measured. Let the machine come to rest and measure again, from --budget 60 on with longer series.
measure-ended-too-long = Batch size { $batch_size } was left out: one step would take longer than its share of the budget. Give a larger budget (--budget).
measure-ended-no-budget = Batch size { $batch_size } was left out: the budget was used up. Give a larger budget (--budget).
measure-ended-memory-limit = Batch size { $batch_size } was left out: it needs more memory than is free. Free memory of other programs, or choose a smaller batch size.
measure-ended-out-of-memory = Batch size { $batch_size } ran out of memory. Choose a smaller batch size, or free memory of other programs.
measure-ended-not-supported = Batch size { $batch_size } was left out: the device has no kernel for it. Choose another precision.
measure-ended-cap = Batch size { $batch_size } ended before its first sample. Give a larger budget (--budget).
measure-ended-settled = Batch size { $batch_size } ended before its first sample. Measure again.
measure-ended-noise-settled = Batch size { $batch_size } ended before its first sample. Measure again.
measure-size-left-out = The model does not run at batch size { $samples }, so larger ones alone were measured: `{ $text }`.
measure-does-not-fit = { $device } was not measured: { $samples ->
    [one] one sample needs
   *[other] { $samples } samples, the fewest that this model trains on, need
    } { $need_bytes } and only { $limit_bytes } may be used. Choose a smaller model, checkpointing or half precision.
measure-memory-handed-back = At batch size { $batch_size } { $device } spends { $system_fraction } of a step's processor time in the system, and { $kept_fraction } while the process keeps the memory that a step frees, instead of handing it back and asking for it again: a step then took { $kept_step_s } instead of { $step_s }, both measured here. To have this, set MALLOC_MMAP_MAX_=0 and MALLOC_TRIM_THRESHOLD_=-1 before Python starts; the process then holds more memory.
measure-memory-handed-back-unclear = At batch size { $batch_size } { $device } spends { $system_fraction } of a step's processor time in the system, and { $kept_fraction } while the process keeps the memory that a step frees, instead of handing it back and asking for it again. How much faster a step then is could not be told, as the measurement was disturbed. To try it, set MALLOC_MMAP_MAX_=0 and MALLOC_TRIM_THRESHOLD_=-1 before Python starts; the process then holds more memory.
measure-sizes-left-out = On { $device } in { $precision } nothing was timed from batch size { $batch_size } on: time or memory did not reach so far (chosen sizes left out: { $count }). They are predicted from smaller ones; a larger budget (--budget) may time them.
measure-part-of-layers = Only { $layers } of { $all } blocks were run, as the whole model takes too long for the budget; the rest is extended along a line. Give a larger budget (--budget) to measure the whole.
measure-numbers-cannot-run = A model described by numbers cannot be run here; its time is predicted. Describe the model itself to have it measured.
measure-cancelled = The measurement was cancelled; what had been measured is kept. Measure again for the rest.
measure-no-time = { $device } was not measured: there was no time for it in the budget. Give a larger budget (--budget) or name the device (--device).
measure-like-another = { $device } was not measured: an equal GPU ({ $twin }) stands for it. Give a larger budget (--budget) to measure each.
measure-gpu-unusable = { $gpu } cannot be used at present. See --detect for the reason.
measure-gpu-hidden = { $gpu } is hidden by CUDA_VISIBLE_DEVICES. Change the variable to have it measured.

## Others on the device
measure-others-hold-memory = Other programs held { $used_bytes } of this GPU's memory before the measurement. End them, then measure again.
measure-others-use-gpu = Other programs kept this GPU busy ({ $busy_fraction }) before the measurement. End them, then measure again.
measure-cpu-pressure = Other programs wanted the processor too: tasks waited for a core during { $pressure_fraction } of the time. End them, then measure again.
measure-cpu-stolen = The host of this virtual machine took { $steal_fraction } of the processor's time. Measure again when it is less busy.
measure-cpu-waited = The measuring thread had a core for only { $share_fraction } of the time. End other programs, then measure again.
measure-cpu-shared = Other programs used { $foreign_cores } cores meanwhile. End them, then measure again.

## The device held back
measure-throttled-bits = { $gpu } was slowed by heat or by its hardware (reasons { $bits }). Improve its cooling, then measure again.
measure-throttled-low-clock = { $gpu } ran at only { $clock_fraction } of its default clock. Check cooling, power supply and the set power limit.
measure-throttled-hot = { $gpu } lost { $fall_fraction } of its clock as it grew hot. Improve its cooling, then measure again.
measure-throttled-dropped = { $dropped } of { $all } samples were dropped because the GPU was slowed meanwhile. Improve its cooling, then measure again.
measure-power-capped = { $gpu } ran at its power limit, as is normal at full load; with a higher limit it may be faster.
measure-launch-bound = The GPU waited for the host during { $waiting_fraction } of the step. A larger batch size or torch.compile would use it better.

## What was run differs from what was asked
measure-lamb-as-adamw = torch has no LAMB: the steps were measured with AdamW. The prediction counts LAMB itself.
measure-compile-not-applied = torch.compile was not applied while measuring, as compiling takes longer than the budget. Compare with --predict.
measure-optimizer-bits-not-applied = 8-bit optimizer states were measured as 32-bit ones. The predicted memory counts 8 bits.
measure-cpu-tf32-is-fp32 = TF32 exists on GPUs only: the processor was measured in FP32. Ask for fp32 to compare like with like.
measure-cpu-fp16-as-bf16 = Processors have no { $asked }: FP32 was measured and, as this one computes in bfloat16, { $measured } too. Ask for { $measured } to compare like with like.
measure-cpu-half-as-fp32 = This processor has no instructions for { $asked }: it was measured in FP32, which is faster there. Ask for fp32 to compare like with like.

## The worker
measure-worker-failed = Measuring { $device } failed: { $text } Please report this with the log.
measure-worker-died = The worker that measured { $device } ended by itself (code { $code }); what it had measured is kept. See the log, then measure again.
measure-worker-died-early = The worker that measured { $device } ended by itself (code { $code }) before a step was timed. See the log, then measure again.
measure-worker-killed = The worker that measured { $device } was killed, most likely because memory ran out; what it had measured is kept. Free memory or choose a smaller batch size.
measure-worker-killed-early = The worker that measured { $device } was killed before a step was timed, most likely because memory ran out. Free memory or choose a smaller batch size.
measure-worker-hung = The worker that measured { $device } did not answer in time and was ended; what it had measured is kept. Give a larger budget (--budget), or see the log.
measure-worker-hung-early = The worker that measured { $device } did not answer in time and was ended before a step was timed. Give a larger budget (--budget), or see the log.
measure-worker-too-large = The worker that measured { $device } held more memory than it may and was ended; what it had measured is kept. Choose a smaller batch size.
measure-worker-too-large-early = The worker that measured { $device } held more memory than it may and was ended before a step was timed. Choose a smaller batch size.
measure-trace-failed = The model could not be traced: { $text } Describe it by numbers, or see the log.
input-refused = { $said }
worker-said = { $text }
worker-torch-missing = { $package } is not installed. Install it with pip install "training-advisor[measure]".
worker-torch-broken = torch cannot be imported: { $text } Install torch anew (pip install --force-reinstall torch).
worker-out-of-memory = Memory ran out: { $text } Choose a smaller batch size, or free memory of other programs.
worker-model-failed = model.config: { $model } fails here: { $error }. Give the model and its batches as a Python file.
worker-unknown-type = model.config: `model_type` is { $given }, which the installed transformers cannot build.
worker-unknown-type-remedy = Give the model as a Python file with build_model instead.
worker-config-key-ignored = model.config: { $model } takes no `{ $key }` beside its parts, and would be built with another one.
worker-config-key-ignored-remedy = Put `{ $key }` and what belongs to it into `text_config`.
worker-config-key-unknown = model.config: { $model } knows no `{ $key }`.
worker-config-refused = model.config: transformers cannot build this { $model }: { $error }. Correct the configuration.
worker-config-needs-library = model.config: transformers cannot build this { $model } without a library that is not installed here: { $error }. Install it in the environment that Advisor runs in, or choose a configuration that needs none (for DETR and its kin `use_timm_backbone: false`).
worker-no-task-model = model.task: transformers has no { $task } model of type { $model }. Choose another task, or leave it out.
worker-part-of-model = model.config: { $model } describes a part of another model: transformers has no model of its own for it. Give the configuration of the whole model.
worker-mixes-types = model.config: { $model } mixes its 16-bit weights with FP32 numbers that it makes itself ({ $error }), which torch refuses on a device as well. Train it under autocast: bf16_amp or fp16_amp.
worker-not-running = model.config: { $model } is built, but does not run on what is made for it here ({ $given }): { $error }. Give the model and its batches as a Python file.
worker-no-forward = model.config: transformers runs { $model } part by part: its class { $class } has no forward pass that a step could be made of. Give the part that is trained and its batches as a Python file.
worker-no-class = model.config: the installed transformers has no class { $named }, which `architectures` names, of type { $model }. Give the head as `task`, leave `architectures` out for the bare model, or give a Python file.
worker-users-code-failed = The model's own file raised { $error }. Mend the file; the log has the traceback.
worker-file-is-code = { $file }: this file is code (SHA-256 { $digest }) and would run with your rights. Read it, then allow it to run (--allow-code).
worker-file-changed = { $file }: the file was changed since it was allowed to run. Read it and allow it again.
worker-file-not-python = { $file }: this is not a Python file. Give a file that ends in .py.
worker-file-lacks-module = { $file }: it imports { $module }, which is not installed beside this program. Install it into the same environment; the log has the traceback.
worker-file-lacks-distribution = { $file }: it imports { $module }, which is not installed beside this program. Install { $distribution }, which brings it, into the same environment; the log has the traceback.
worker-file-module-elsewhere = { $file }: it imports { $module }, which lies in { $folder }, where Python does not look by itself. Set PYTHONPATH={ $folder }.
worker-file-ends-itself = { $file }: it ends the program as it is imported, as a script does that reads its arguments at once. Put what trains under `if __name__ == "__main__":`, below build_model and make_batch.
worker-file-own-optimizer = { $file }: training_step steps an optimizer of its own ({ $optimizer }). Return the loss alone: backward and the optimizer's step are run and timed from outside, by the workload's `optimizer`.
worker-file-own-lbfgs = { $file }: training_step steps { $optimizer }, which asks for loss and gradients several times a step (up to `max_eval`, 25 unless you set it) and is not modelled. Return the loss alone and give `optimizer = "sgd"`: a step is then one such evaluation, of which yours takes several.
worker-file-own-backward = { $file }: training_step calls backward itself. Return the loss alone: what comes after it, backward and the optimizer's step, is run and timed from outside.
worker-file-run-failed = { $file }: running it raised { $error }. Mend the file; the log has the traceback.
worker-file-same-batch = { $file }: make_batch ignores its batch size: the same tensors for { $first } and { $second }. Draw as many samples as it is asked for; of whole graphs, as many graphs.
worker-file-no-samples = { $file }: make_dataset returned a { $given } without samples to count and index. Return a torch.utils.data.Dataset with __len__ and __getitem__.
worker-file-lacks = { $file }: it does not define { $name }. A model file defines build_model(**arguments) and make_batch(batch_size, length, **arguments).
worker-file-call-failed = { $file }: { $function } raised { $error }. Mend the file; the log has the traceback.
worker-file-arguments = model.arguments: build_model in { $file } does not take { $unknown }. It takes { $count ->
        [0] no arguments
       *[other] { $names }
    }.
worker-file-no-module = { $file }: build_model returned { $given } where an nn.Module is expected. Return the model itself.
worker-file-no-batch = { $file }: make_batch returned { $given } where a tuple of tensors, the targets last, or a dict of tensors is expected; a list, with a part for each sample, or a dict or tuple of tensors may stand in a tensor's place. Return (inputs, targets), or a dict by the names that the model's forward takes; a tensor by itself where training_step(model, batch) takes one, or where the model returns its loss.
worker-file-batch-names = { $file }: make_batch returned a dict of { $given }, but forward of { $model } takes { $count ->
        [0] nothing
       *[other] { $wanted }
    }. Name the tensors as forward does, return a tuple (inputs, targets), or define training_step(model, batch).
worker-file-call = { $file }: called as { $wanted }, but defined as { $given }. Take these arguments, or, for build_model, make_batch and make_dataset, give what is missing in model.arguments.
worker-file-opens-missing = { $file }: it opens { $opened }, which is not there; a relative path is looked for in the folder of this command, then around the file, from { $folder } on. Write the path from the root, or leave the reading out: an advice needs the model's sizes, no trained weights and no real samples. The log has the traceback.
worker-file-downloads = { $file }: it asks for something over the network, which did not come ({ $error }). Build the model without trained weights, on which no figure depends (`weights=None` in torchvision, `pretrained=False` in timm), and with its own class in place of torch.hub. Or run build_model() by itself where there is a network: what these libraries fetch is then found in their caches.
worker-file-asks-hub = { $file }: it loads something from the Hugging Face hub, where nothing is fetched while a file runs ({ $error }). Build the model from a configuration that the file holds (`AutoModel.from_config`, or its class), or give the model's hub id in the file's place, or fetch it before (`hf download`): what lies in the cache is found.
worker-file-step-failed = { $file }: { $function } raised { $error } on { $given }. Mend the model, make_batch or training_step; the log has the traceback.
worker-file-step-failed-half = { $file }: { $function } raised { $error } on { $given }. Every 16-bit precision is traced in float16, BF16 too. Cast what takes no 16 bits, as torch.fft and torch.linalg do not (`x.float()`), or tensors of two types to one; or train at fp32 or tf32. The log has the traceback.
worker-file-step-unread = { $file }: it defines `{ $name }`, which nothing here calls: a loss of the file's own is returned by `training_step(model, batch)`. Rename it. Without one the usual loss was tried.
worker-file-no-loss = { $file }: training_step returned { $given } where the loss, a tensor of one number, is expected. Return the loss.
worker-file-no-own-loss = { $file }: forward of { $model } returned { $given }, which has no loss. Let it return the loss (one number), an object with the attribute loss or a dict with this key, return a tuple (inputs, targets) from make_batch, or define training_step(model, batch).
worker-file-no-losses = { $file }: { $model }, called with the whole batch, returned { $given } where its loss or a dict of losses is expected. Define training_step(model, batch), which returns the loss.
worker-file-no-output = { $file }: forward of { $model } returned { $given } where a tensor, or a tuple that begins with one, is expected. Define training_step(model, batch), which returns the loss.
worker-not-built = { $workload }: a model given by numbers cannot be built. It is predicted from its totals instead.
worker-no-blocks = `training.activation_checkpointing`: the model has no repeated blocks. Set it to none.
worker-no-linear-layer = `training.trainable` is `lora`, but the model has no linear layer beside its head. Train all or the head.
worker-no-such-layer = `training.lora_targets` names { $given }, which no linear layer is called.
worker-no-such-module = `training.modules_to_save` names { $given }, which no module with weights is called.
worker-no-linear-head = `training.chunked_loss` is true, but the model has no linear head. Set it to false.
worker-no-such-optimizer = { $workload }: `training.optimizer` is `{ $optimizer }`, which torch does not have: it is predicted, not run. Measure with adamw, or use --predict.
worker-mlp-layers = `model.layers` of an mlp needs two sizes at least. Give input, hidden and output sizes.
worker-recurrent-layers = `model.layers` of a recurrent template lists different sizes. Give the hidden size once a layer.
worker-transformer-layers = `model.layers` of a transformer: equal widths that its { $heads } heads divide. Give the width once a block.
worker-no-kernels-for-gpu = The installed torch has no kernels for { $device }. Install a build whose arch list covers its compute capability.
worker-driver-too-old = The driver of { $device } is too old for the CUDA version of the installed torch. Update the driver, or install torch for an older CUDA.
worker-cpu-only-torch = The installed torch is a CPU-only build, so { $device } was not measured. Install torch with CUDA; the prediction for it is given all the same.
worker-gpu-hidden = torch cannot see { $device }, though the driver reports it. Check CUDA_VISIBLE_DEVICES, the container's GPU settings and the permissions of /dev/nvidia*.
worker-fabric-manager = { $device } is not ready yet (CUDA error 802). Start the NVIDIA fabric manager service, then measure again.
worker-gpu-busy = { $device } is taken by another process (exclusive compute mode). Wait until it is free, or set its compute mode to default.

## Predicted from what was measured here
local-other-precision = { $asked } was not measured on this device; its time follows from { $measured } with a wider range. Measure with --precision { $asked } to be sure.
local-disproved = What was timed at batch size { $sizes } took longer than a larger batch did: other programs held it up, so it is left out and predicted from the others. Stop them and measure again to have it timed.
local-extended-layers = The time follows from a part of the model's blocks, extended along a line. Give a larger budget (--budget) to measure the whole.
local-rates-only = No step of the model was measured on this device; its time follows from the calibration alone. Give a larger budget (--budget).
