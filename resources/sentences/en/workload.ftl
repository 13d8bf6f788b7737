# What a description of a workload leaves open, and where a built model differs from it.

workload-totals-only = The model is known by its totals only: its layers are taken for plain products, small operators and the size of the inputs are left out, and ranges are wider for it.
workload-weights-bits-predicted-only = Weights of { $bits } bits are predicted only: measured steps run with the weights in the step's own precision.
workload-weights-not-prepared = Predicted without PEFT's prepare_model_for_kbit_training (norms and what flows between layers in FP32), which made steps 1.25 to 1.3 times as long in published runs on one card. If it is called, set unpacked_bits to 32.
workload-experts-whole = Its experts are counted packed, as they are where each is a layer of its own. bitsandbytes packs linear layers alone: where experts are kept as stacks of weights, as in transformers 5, they stay in 16 bits and take { $more_bytes } more, of all devices together. GPTQ's libraries pack them (`quantization = "gptq"`).
workload-fused-layers-predicted-only = Fused layers are predicted only: measured steps run the model's own.
workload-fp8-predicted-only = FP8 products are predicted only: measured steps run in BF16 autocast.
workload-offload-predicted-only = Off-loading to host memory ({ $what }) is predicted only: measured steps keep everything on the device.
workload-optimizer-bits-predicted-only = 8-bit optimizer states are predicted only: measured steps keep them in FP32.
workload-attention-eager-only = transformers has no fused attention for `{ $model }`: it runs eagerly.
workload-attention-eager-unless-flash = transformers has no SDPA for `{ $model }`: by itself it runs eagerly, and so it is predicted. attention = "flash" predicts it with the flash kernels that transformers takes for it, which are installed apart.
workload-attention-flash-alone = transformers has no SDPA for `{ $model }`: it is predicted with the flash kernels that transformers takes for it instead, which are installed apart; steps that are measured here run eagerly.
workload-attention-fused-elsewhere = transformers has no fused attention for `{ $model }`: it is predicted with the flash kernels that its makers' own library calls.
workload-activation-in-parts = The activation `gelu_new` is eight kernels in transformers; `gelu_pytorch_tanh` in its place computes the same in one, as other libraries do.
workload-positions-lengthened = `{ $model }` has positions for { $limit } tokens as configured; samples of { $length } are predicted with a table as long as they are.
workload-head-tied = The head shares its weight with `{ $weight }`: both are trained, and the backward pass runs through the whole model, so that freezing the rest saves memory but little time.
workload-frozen-parts = Of { $parameters } parameters { $trained } are trained: { $source ->
    [file] the file
   *[library] the model's library
  } freezes the rest as the model is built. Steps and memory are predicted so, and a script trains no more.
workload-half-batch-norm = In { $precision } batch normalisation is in half precision too, as `model.half()` makes it: so it was traced, measured and predicted. Kept in FP32 it trains more stably, for a little more time and memory.
workload-last-batch-single = The last batch of an epoch holds a single sample: { $samples } samples do not divide into batches of { $batch } ({ $devices ->
    [one] one device
   *[other] { $devices } devices
  }). A batch norm of this model then sees one value of each channel, and torch ends training with "Expected more than 1 value per channel when training". Pass `drop_last=True` to the DataLoader, as the launch script does, or take another batch size.
workload-batches-single = Each batch holds a single sample: a batch norm of this model then sees one value of each channel, and torch ends training with "Expected more than 1 value per channel when training". Take a batch size of 2 or more; gradient accumulation does not help.
workload-own-batch-single = Batches of a single sample, as the workload has them, cannot be trained: a batch norm of this model then sees one value of each channel, and torch ends training with "Expected more than 1 value per channel when training". Set-ups with one sample a device are left out; gradient accumulation does not help.
workload-no-head = The configuration has no "architectures": its base class { $built } is predicted, without a head. To train another, name it there ({ $other }, say).
workload-other-class = The installed transformers has no class { $named }, which the configuration names: { $built } is predicted in its place. Update transformers where it should have it.
workload-keeps-cache = The model of { $file } has use_cache on, as transformers builds it: unless its step passes use_cache=False, each forward pass keeps keys and values, which only generating uses and whose memory is counted here. model.config.use_cache = False leaves them out.
workload-step-unread = `{ $name }` in { $file } is not called: the loss is cross-entropy or the mean squared error of the outputs, or their own. Call it `training_step(model, batch)` and let it return the loss, if it is meant.
workload-reads-elsewhere = { $name }, which { $file } looks for where it is run, was found in { $folder }, and the model is built as if run there. Run its training there, too.
workload-optimizer-unread = `{ $name }` in { $file } is not called: the optimizer is the one that the workload names. If the file makes another, say so with `optimizer` there.
workload-compiles-itself = { $file } compiles its model itself, and is predicted as it is written, without. `compile = true` in the workload counts what torch.compile brings.
workload-wraps-itself = { $file } wraps its model in { $wrapper }, which is left out of every prediction: cards and strategies are compared with the bare model. Return that from build_model.
workload-own-side = Pictures are { $height } × { $width } pixels, the size that this model's class has by default, not the { $side } × { $side } that were assumed. Give the side in the configuration or as `data.image_size`.
workload-text-only = Images are left out of the steps of `{ $model }`: only its text part runs.
workload-stored-packed = The weights of this configuration are published packed ({ $method }); here they are predicted unpacked. { $packing ->
    [known] `quantization = "{ $method }"` beside `trainable = "lora"` predicts them as they are.
   *[unknown] Steps on such weights are not predicted.
  }
workload-assumed-values = Not given, so assumed: { $fields }.
assumed-samples = { $value } training samples
assumed-loader-workers = { $value } loader workers
assumed-image-size = images of { $value } pixels
assumed-sequence-length = { $value } tokens a sequence
assumed-batch-length = a `length` of { $value } for make_batch (tokens or pixels of a side)
assumed-speech-length = { $value } sound samples a recording (10 s at 16 kHz)
assumed-precision = precision { $value }
assumed-optimizer = optimizer { $value ->
        [adamw] AdamW
        [adam] Adam
        [sgd] SGD
        [sgd_momentum] SGD with momentum
        [adafactor] Adafactor
        [lamb] LAMB
       *[none] none
    }
assumed-epochs = { $value } epochs
assumed-batch-size = batch size { $value } per device
assumed-frozen-bits = frozen weights of { $value } bits
assumed-other = { $value }
